// Composition: growing a core until every feature that splits it is refuted.
//
// Let C have bound k. If every feature f that splits C leaves cores A on its one side and B on the
// other, inside C, with bound(A) + bound(B) >= k (depth: the larger of both >= k), then C has bound
// k + 1: some least tree for C has a root that splits C, by some f, and its two subtrees classify A
// and B, so they have at least k inner nodes (depth k) together.
//
// `Growth` starts from a core C0 of bound k and takes in further examples. A feature that splits
// the grown set but not C0 leaves C0 whole on one side and is refuted by it, so only the features
// that split C0 ever need work. For these the growth keeps masks: `one[b]` are the features whose
// one side, within the grown set, is known to have bound >= b, likewise `zero[b]`; b = 1 comes from
// the classes met on the side (it is impure), b >= 2 from the cores that were noted. Refutations
// only ever grow with the set, since a side's bound cannot fall when examples are added.
//
// Under a depth limit L the two sides are looked at under L - 1. A side that no tree of that depth
// classifies refutes its feature alone: it holds a depth core of bound >= L, or it is impure and
// L = 1, or it has a size bound of 2^(L - 1) or more. Such features are kept in `never`.
#pragma once

#include "exact/lemmas.hpp"

namespace dtfinder {

template <int W>
class Growth {
 public:
  explicit Growth(const ExampleTable<W>& examples)
      : examples_(examples),
        words_(examples.row_words()),
        grown_(examples.none()),
        covered_(examples.none()) {}

  // Starts from a core of bound `bound`, within a subproblem of depth limit `limit`.
  void start(const Core<W>& core, int bound, Measure measure, int limit) {
    assert(bound >= 1 && limit >= 1 && !core.examples.empty());
    bound_ = bound;
    measure_ = measure;
    limit_ = limit;
    holds_ = kNoLimit;
    grown_ = covered_ = examples_.none();
    cited_.clear();
    one_.assign(static_cast<std::size_t>(bound + 1) * words_, 0);
    zero_.assign(static_cast<std::size_t>(bound + 1) * words_, 0);
    never_.assign(words_, 0);
    has_one_.assign(examples_.labels() * words_, 0);
    has_zero_.assign(examples_.labels() * words_, 0);
    first_split_.assign(words_, 0);
    open_.assign(words_, 0);
    absorb(core.examples);
    cite(core);
    for (std::size_t i = 0; i < words_; ++i) first_split_[i] = splits(i);
    noted_.clear();
    noted_depth_.clear();
    update_open();
    stale_ = true;
  }

  int bound() const { return bound_; }
  Measure measure() const { return measure_; }
  int holds() const { return holds_; }
  bool stale() const { return stale_; }
  void refreshed() { stale_ = false; }
  const Set<W>& grown() const { return grown_; }
  const std::vector<LemmaId>& cited() const { return cited_; }
  // The examples that no cited lemma brings.
  Set<W> extra() const { return grown_.without(covered_); }

  // Adds examples; the masks for impure sides follow.
  void absorb(const Set<W>& more) {
    const Set<W> fresh = more.without(grown_);
    if (fresh.empty()) return;
    fresh.each([&](std::size_t e) {
      const Word* row = examples_.row(e);
      Word* one = has_one_.data() + examples_.label(e) * words_;
      Word* zero = has_zero_.data() + examples_.label(e) * words_;
      for (std::size_t i = 0; i < words_; ++i) {
        one[i] |= row[i];
        zero[i] |= ~row[i];
      }
    });
    grown_ |= fresh;
    note_impure();
    update_open();
    stale_ = true;
  }

  // Whether a core of bound b could still say something new about an open feature.
  bool wants(int b) const {
    if (forbids(b)) b = bound_;
    b = std::min(b, bound_);
    for (std::size_t i = 0; i < words_; ++i) {
      if (open_[i] & ~(one(b)[i] & zero(b)[i])) return true;
    }
    return false;
  }

  // Whether a core with these masks would say anything new about an open feature; once it does not,
  // it never will. Of the same measure, and with a bound that no limit on depth forbids.
  bool gains(int b, const Word* ones, const Word* zeros) const {
    b = std::min(b, bound_);
    for (std::size_t i = 0; i < words_; ++i) {
      if (open_[i] & ((ones[i] & ~one(b)[i]) | (zeros[i] & ~zero(b)[i]))) return true;
    }
    return false;
  }

  // A core inside the grown set: its masks count from now on, for the features that are open.
  // Returns whether that changed anything.
  bool note(const Core<W>& core, const Word* ones, const Word* zeros) {
    assert(core.examples.inside(grown_));
    bool gained = false;
    if (core.measure != measure_ || forbids(core.bound)) {
      for (std::size_t i = 0; i < words_; ++i) {
        const Word more = (ones[i] | zeros[i]) & open_[i] & ~never_[i];
        gained |= more != 0;
        never_[i] |= more;
      }
    } else {
      // Where it gains nothing at its own bound it gains nothing below.
      for (int b = std::min(core.bound, bound_); b > 1; --b) {
        Word more = 0;
        for (std::size_t i = 0; i < words_; ++i) {
          more |= open_[i] & ((ones[i] & ~one(b)[i]) | (zeros[i] & ~zero(b)[i]));
        }
        if (!more) break;
        for (std::size_t i = 0; i < words_; ++i) {
          one(b)[i] |= ones[i] & open_[i];
          zero(b)[i] |= zeros[i] & open_[i];
        }
        gained = true;
      }
    }
    if (gained) {
      cite(core);
      update_open();
    }
    return gained;
  }
  Word open(std::size_t i) const { return open_[i]; }
  // Slots of a level of the store that were noted already.
  Word* noted(int level, std::size_t slot_words, Measure of) {
    auto& seen = of == measure_ ? noted_ : noted_depth_;
    const std::size_t end = (static_cast<std::size_t>(level) + 1) * slot_words;
    if (seen.size() < end) seen.resize(end, 0);
    return seen.data() + end - slot_words;
  }

  // The best bound known for a side of `f` within the grown set.
  int side(std::size_t f, bool ones) const {
    assert(f < examples_.features());
    for (int b = bound_; b > 0; --b) {
      const Word* known = ones ? one(b) : zero(b);
      if (known[f / 64] >> (f % 64) & 1) return b;
    }
    return 0;
  }
  bool refutes(std::size_t f) const {
    assert(f < examples_.features());
    return !(open_[f / 64] >> (f % 64) & 1);
  }

 private:
  // The features among the 64 of a word that split the grown set.
  Word splits(std::size_t i) const {
    Word one = 0, zero = 0;
    for (std::size_t c = 0; c < examples_.labels(); ++c) {
      one |= has_one_[c * words_ + i];
      zero |= has_zero_[c * words_ + i];
    }
    return one & zero;
  }
  void update_open() {
    for (std::size_t i = 0; i < words_; ++i) open_[i] = first_split_[i] & ~refuted(i);
  }
  // The refuted features among the 64 of a word.
  Word refuted(std::size_t i) const {
    Word done = never_[i];
    if (measure_ == Measure::kDepth) return done | one(bound_)[i] | zero(bound_)[i];
    done |= one(bound_)[i] | zero(bound_)[i];
    for (int b = 1; b < bound_; ++b) done |= one(b)[i] & zero(bound_ - b)[i];
    return done;
  }
  Word* one(int b) { return one_.data() + static_cast<std::size_t>(b) * words_; }
  Word* zero(int b) { return zero_.data() + static_cast<std::size_t>(b) * words_; }
  const Word* one(int b) const { return one_.data() + static_cast<std::size_t>(b) * words_; }
  const Word* zero(int b) const { return zero_.data() + static_cast<std::size_t>(b) * words_; }

  // Whether no tree within the sides' depth limit has that many inner nodes.
  bool forbids(int bound) const {
    return measure_ == Measure::kSize && limit_ < kNoLimit &&
           (limit_ <= 30 && bound >= 1 << (limit_ - 1));
  }

  void cite(const Core<W>& core) {
    if (core.lemma != kNoLemma) {
      cited_.push_back(core.lemma);
      covered_ |= core.examples;
    }
    if (core.measure != measure_) {
      holds_ = std::min(holds_, core.bound);
    } else if (core.limit < kNoLimit) {
      holds_ = std::min(holds_, core.limit + 1);
    }
    if (forbids(core.bound)) holds_ = std::min(holds_, limit_);
  }

  void note_impure() {
    const bool last = forbids(1);
    for (std::size_t i = 0; i < words_; ++i) {
      one(1)[i] = impure(has_one_, i);
      zero(1)[i] = impure(has_zero_, i);
      if (last) never_[i] |= one(1)[i] | zero(1)[i];
    }
    if (last) holds_ = std::min(holds_, limit_);
  }
  // The features among the 64 of a word whose side is impure, by what each label has there: two
  // labels, or, of sets of classes, for every class a label that does not allow it.
  Word impure(const std::vector<Word>& has, std::size_t i) const {
    if (!examples_.sets()) {
      Word some = 0, two = 0;
      for (std::size_t l = 0; l < examples_.labels(); ++l) {
        two |= some & has[l * words_ + i];
        some |= has[l * words_ + i];
      }
      return two;
    }
    Word all = ~Word{0};
    for (std::size_t c = 0; c < examples_.classes() && all; ++c) {
      Word against = 0;
      for (std::uint32_t l : examples_.labels_against(c)) against |= has[l * words_ + i];
      all &= against;
    }
    return all;
  }

  const ExampleTable<W>& examples_;
  std::size_t words_;
  int bound_ = 0, limit_ = kNoLimit, holds_ = kNoLimit;
  Measure measure_ = Measure::kSize;
  bool stale_ = true;
  Set<W> grown_, covered_;
  std::vector<LemmaId> cited_;
  std::vector<Word> one_, zero_, never_, has_one_, has_zero_, first_split_, open_, noted_,
      noted_depth_;
};

}  // namespace dtfinder
