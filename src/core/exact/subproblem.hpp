// A subproblem on the search's path: its examples, what is known, and which cores lie inside it.
//
// `Inside` holds one bitmap for each level of the store, valid for the level's version that it
// names. It is renewed on demand from the nearest ancestor that is up to date: one AND per step if
// the step is a feature, subset tests among the parent's cores for any other subset.
#pragma once

#include <memory>

#include "exact/cache.hpp"
#include "exact/folding.hpp"

namespace dtfinder {

struct Inside {
  std::vector<std::uint32_t> version;  // by level; 0 is older than any version in use
  std::vector<Word> slots;
};

template <int W>
struct Subproblem {
  Set<W> examples;
  int limit = kNoLimit;
  Subproblem* parent = nullptr;
  int feature = -1;  // how it came from its parent: by feature and side, or as a plain subset
  bool one = false;
  bool lasting = true;  // worth an entry in the cache
  Fact<W> fact{};
  std::unique_ptr<Inside> inside{};
  std::unique_ptr<Fold> fold{};        // its packing of pairs, once that was tried
  std::unique_ptr<Subproblem> twin{};  // under a depth limit: the same examples, as a depth problem
};

// Under a depth limit: the same examples as a depth problem.
template <int W>
void give_twin(Subproblem<W>& s) {
  if (s.limit >= kNoLimit) return;
  s.twin = std::make_unique<Subproblem<W>>();
  s.twin->examples = s.examples;
  s.twin->lasting = s.lasting;
  if (s.parent) s.twin->parent = s.parent->twin.get();
  s.twin->feature = s.feature;
  s.twin->one = s.one;
}

// The side of `s` where `feature` is one (or zero). `s` must stay where it is.
template <int W>
Subproblem<W> side_of(const ExampleTable<W>& table, Subproblem<W>& s, std::size_t feature,
                      bool one) {
  assert(s.limit > 0);
  Subproblem<W> side{one ? s.examples & table.column(feature)
                         : s.examples.without(table.column(feature))};
  side.parent = &s;
  side.feature = static_cast<int>(feature);
  side.one = one;
  side.lasting = s.lasting;
  if (s.limit < kNoLimit) {
    side.limit = s.limit - 1;
    // A tree in which every node splits its examples is less deep than there are examples.
    if (static_cast<std::size_t>(side.limit) + 1 >= side.examples.size()) side.limit = kNoLimit;
    if (s.twin) give_twin(side);
  }
  return side;
}

template <int W>
class InsideIndex {
 public:
  explicit InsideIndex(const CoreStore<W>& store) : store_(store) {}

  // The slots of `level` whose cores lie inside `s`.
  const Word* slots(Subproblem<W>& s, int level) {
    const std::uint32_t version = store_.level(level).version;
    path_.clear();
    Subproblem<W>* at = &s;
    for (; at && !current(*at, level, version); at = at->parent) path_.push_back(at);
    for (std::size_t i = path_.size(); i-- > 0;) renew(*path_[i], level, version);
    return words(s, level);
  }
  void release(Subproblem<W>& s) {
    if (s.inside) free_.push_back(std::move(s.inside));
  }

 private:
  Word* words(Subproblem<W>& s, int level) {
    return s.inside->slots.data() + static_cast<std::size_t>(level) * store_.slot_words();
  }
  bool current(Subproblem<W>& s, int level, std::uint32_t version) {
    const std::size_t at = static_cast<std::size_t>(level);
    if (!s.inside) {
      if (free_.empty()) free_.push_back(std::make_unique<Inside>());
      s.inside = std::move(free_.back());
      free_.pop_back();
      std::fill(s.inside->version.begin(), s.inside->version.end(), 0u);
    }
    if (at >= s.inside->version.size()) {
      s.inside->version.resize(at + 1, 0);
      s.inside->slots.resize((at + 1) * store_.slot_words());
    }
    return s.inside->version[at] == version + 1;
  }

  // Each version of a level touches one word; a bitmap that is a few behind renews only those.
  void renew(Subproblem<W>& s, int level, std::uint32_t version) {
    const auto& stored = store_.level(level);
    std::uint32_t& mine = s.inside->version[static_cast<std::size_t>(level)];
    const std::uint32_t behind = version + 1 - mine;
    if (mine != 0 && behind <= 8) {
      for (std::uint32_t v = mine - 1; v < version; ++v) {
        renew_word(s, level, stored, stored.changed[v % stored.changed.size()]);
      }
    } else {
      const std::size_t used = words_for(stored.used);
      for (std::size_t i = 0; i < used; ++i) renew_word(s, level, stored, i);
      std::fill(words(s, level) + used, words(s, level) + store_.slot_words(), Word{0});
    }
    mine = version + 1;
  }

  void renew_word(Subproblem<W>& s, int level, const typename CoreStore<W>::Level& stored,
                  std::size_t i) {
    Word& mine = words(s, level)[i];
    Word from = s.parent ? words(*s.parent, level)[i] : used_word(stored.used, i);
    if (s.parent && s.feature >= 0) {
      mine = from & store_.side(stored, static_cast<std::size_t>(s.feature), s.one)[i];
      return;
    }
    mine = 0;
    for (; from; from &= from - 1) {
      const std::size_t bit = static_cast<std::size_t>(std::countr_zero(from));
      if (stored.cores[i * 64 + bit].examples.inside(s.examples)) mine |= Word{1} << bit;
    }
  }
  static Word used_word(std::size_t used, std::size_t index) {
    if (used >= (index + 1) * 64) return ~Word{0};
    return used > index * 64 ? (Word{1} << (used - index * 64)) - 1 : 0;
  }

  const CoreStore<W>& store_;
  std::vector<std::unique_ptr<Inside>> free_;
  std::vector<Subproblem<W>*> path_;
};

}  // namespace dtfinder
