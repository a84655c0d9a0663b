// The store of cores: sets of examples with a proven lower bound, kept by bound.
//
// A core C with bound b is a fact about the table, true wherever it is used: cost(X) >= b for every
// X that contains C, as a subset never costs more. So facts found in one part of the search serve
// all others, and dropping any of them is always sound.
//
// The search asks: which cores of bound b lie inside X? Subproblems arise from their parents by one
// feature, X = Y with f = 1, and a core lies inside X exactly if it lies inside Y and all its
// examples have f = 1. So the store keeps, for every level (bound) and feature, two bitmaps over
// its slots, 'all ones' and 'all zeros', and a subproblem's bitmap is its parent's AND one of them:
// some 32 word operations, however large the sets are. `Inside` holds these bitmaps for one
// subproblem and renews a level when the store's version of it has moved on.
//
// A level has a fixed number of slots; the clock algorithm picks the one to give up: the hand skips
// cores that were used since it last passed.
//
// Each core carries the depth limit under which its bound holds (kNoLimit for any tree): it may be
// used under every limit that is not larger.
#pragma once

#include "shared/example_table.hpp"

namespace dtfinder {

inline constexpr int kNoLimit = 1 << 20;
using LemmaId = std::uint32_t;
inline constexpr LemmaId kNoLemma = ~LemmaId{0};
enum class Measure : std::uint8_t { kSize, kDepth };  // what a bound bounds

template <int W>
struct Core {
  Set<W> examples;
  int bound = 0;
  int limit = kNoLimit;
  LemmaId lemma = kNoLemma;
  Measure measure = Measure::kSize;
};

template <int W>
class CoreStore {
 public:
  struct Level {
    std::uint32_t version = 0;
    std::array<std::uint16_t, 64> changed{};  // by version: the word of slots that it touched
    std::size_t used = 0;                     // slots that hold a core
    std::size_t hand = 0;                     // of the clock
    std::vector<Core<W>> cores;               // by slot
    std::vector<Word> masks;                  // by slot: features all one, then features all zero
    std::vector<Word> ones, zeros;            // by feature: slots
    std::vector<Word> fresh;                  // slots used since the hand passed
    std::vector<std::vector<Word>> within;    // by depth limit: slots whose bound holds under it
    void touch(std::size_t slot) { fresh[slot / 64] |= Word{1} << (slot % 64); }
  };

  // `limits`: depth limits 0 .. limits-1 will be asked for; 0 where depth is not limited.
  CoreStore(const ExampleTable<W>& examples, std::size_t slots, std::size_t limits)
      : examples_(examples), slot_words_(std::max<std::size_t>(1, slots / 64)), limits_(limits) {}

  std::size_t slot_words() const { return slot_words_; }
  int top() const { return static_cast<int>(levels_.size()) - 1; }
  // `bound` is at most top().
  Level& level(int bound) {
    assert(bound >= 0 && bound <= top());
    return levels_[static_cast<std::size_t>(bound)];
  }
  const Level& level(int bound) const { return const_cast<CoreStore*>(this)->level(bound); }
  const Word* ones_of(const Level& level, std::size_t slot) const {
    return level.masks.data() + slot * 2 * examples_.row_words();
  }
  const Word* zeros_of(const Level& level, std::size_t slot) const {
    return ones_of(level, slot) + examples_.row_words();
  }
  const Word* side(const Level& level, std::size_t feature, bool one) const {
    return (one ? level.ones : level.zeros).data() + feature * slot_words_;
  }

  // Fills in the features that are one in all of `set`, then those that are zero: twice
  // row_words().
  void all_same(const Set<W>& set, Word* masks) const {
    const std::size_t words = examples_.row_words();
    std::fill_n(masks, 2 * words, ~Word{0});
    set.each([&](std::size_t e) {
      const Word* row = examples_.row(e);
      for (std::size_t i = 0; i < words; ++i) {
        masks[i] &= row[i];
        masks[words + i] &= ~row[i];
      }
    });
    if (const std::size_t rest = examples_.features() % 64) {
      masks[2 * words - 1] &= (Word{1} << rest) - 1;
    }
  }

  void add(const Core<W>& core) {
    assert(core.bound >= 0 && !core.examples.empty());
    while (top() < core.bound) levels_.emplace_back();
    Level& level = levels_[static_cast<std::size_t>(core.bound)];
    if (level.ones.empty()) open(level);
    const std::size_t slot = free_slot(level);
    if (slot < level.cores.size()) {
      mark(level, slot, false);
    } else {
      level.cores.emplace_back();
      level.masks.resize(level.masks.size() + 2 * examples_.row_words());
    }
    level.cores[slot] = core;
    all_same(core.examples, level.masks.data() + slot * 2 * examples_.row_words());
    mark(level, slot, true);
    level.touch(slot);
    level.changed[level.version++ % level.changed.size()] = static_cast<std::uint16_t>(slot / 64);
  }

  // Forgets every core; versions go on, so no stale bitmap is taken for a current one.
  void clear() {
    for (Level& level : levels_) {
      const auto version = level.version + static_cast<std::uint32_t>(2 * level.changed.size());
      level = Level{};
      level.version = version;
    }
  }
  std::size_t bytes() const {
    std::size_t words = 0;
    for (const Level& level : levels_) {
      words += level.masks.size() + level.ones.size() * 2;
      words += level.cores.size() * (examples_.set_words() + 4);
    }
    return words * sizeof(Word);
  }

 private:
  void open(Level& level) {
    level.ones.assign(examples_.features() * slot_words_, 0);
    level.zeros.assign(examples_.features() * slot_words_, 0);
    level.fresh.assign(slot_words_, 0);
    level.within.assign(limits_, std::vector<Word>(slot_words_, 0));
  }

  std::size_t free_slot(Level& level) {
    if (level.used < slot_words_ * 64) return level.used++;
    for (;;) {
      level.hand = (level.hand + 1) % level.used;
      Word& fresh = level.fresh[level.hand / 64];
      const Word bit = Word{1} << (level.hand % 64);
      if (!(fresh & bit)) return level.hand;
      fresh &= ~bit;
    }
  }

  // Enters the core of a slot into the bitmaps of its features and limits, or takes it out.
  void mark(Level& level, std::size_t slot, bool in) {
    const std::size_t words = examples_.row_words();
    auto put = [&](Word& word, bool on) {
      const Word bit = Word{1} << (slot % 64);
      word = on ? word | bit : word & ~bit;
    };
    for (std::size_t i = 0; i < 2 * words; ++i) {
      std::vector<Word>& bitmaps = i < words ? level.ones : level.zeros;
      for (Word left = level.masks[slot * 2 * words + i]; left; left &= left - 1) {
        const std::size_t feature =
            i % words * 64 + static_cast<std::size_t>(std::countr_zero(left));
        put(bitmaps[feature * slot_words_ + slot / 64], in);
      }
    }
    for (std::size_t limit = 0; limit < level.within.size(); ++limit) {
      put(level.within[limit][slot / 64], in && level.cores[slot].limit >= static_cast<int>(limit));
    }
  }

  const ExampleTable<W>& examples_;
  std::size_t slot_words_, limits_;
  std::vector<Level> levels_;
};

}  // namespace dtfinder
