// Can a single feature classify X? If not, a handful of examples shows it.
//
// With two classes a and b in X, keep the features that are still 1 on all of a and 0 on all of b,
// and those that are the other way round, while walking over the examples. Most sets run out of
// both within a few examples, and those few, with at least one of each class, are a core of bound
// 2: no feature separates them, so every feature that splits them leaves a side with two classes.
// Three examples of three classes are such a core too. An example that rules out nothing is left
// out, and each of the rest is tried without at the end, so the core is minimal.
//
// Where examples allow sets of classes, every feature is asked which of its sides are impure, while
// walking over the examples: a side is impure if for every class it has an example that does not
// allow it. Once every feature has an impure side, no tree with one inner node is left.
//
// The same core bounds the depth: a tree of depth 1 has one inner node.
#pragma once

#include "shared/example_table.hpp"

namespace dtfinder {

template <int W>
class CostOne {
 public:
  explicit CostOne(const ExampleTable<W>& examples)
      : examples_(examples), straight_(examples.row_words()), crossed_(examples.row_words()) {}

  struct Finding {
    int cost;     // 0, 1, or 2 for 'at least 2'
    int feature;  // where the cost is 1
    Set<W> core;  // where the cost is at least 2
    std::size_t steps;
  };

  // Examples of `first` are taken first: a core of examples that are needed anyway costs nothing.
  Finding test(const Set<W>& x, const Set<W>& first) {
    Finding found{0, -1, examples_.none(), 1};
    if (examples_.sets()) {
      test_sets(x, first, found);
      return found;
    }
    if (!two_classes(x, found)) return found;
    reset();
    chosen_.clear();
    const Set<W> near = x & first;
    const bool apart = near.any_of([&](std::size_t e) { return take(e); }) ||
                       x.without(first).any_of([&](std::size_t e) { return take(e); });
    found.steps += chosen_.size();
    if (!apart) {
      found.cost = 1;
      found.feature = first_left();
      return found;
    }
    found.cost = 2;
    add_missing_class(x);
    shrink();
    for (std::size_t e : chosen_) found.core.add(e);
    return found;
  }

 private:
  void test_sets(const Set<W>& x, const Set<W>& first, Finding& found) {
    if (examples_.pure(x)) return;
    const std::size_t size = 2 * examples_.classes() * examples_.row_words();
    against_.assign(size, 0);
    chosen_.clear();
    std::size_t feature = 0;  // up to here all features have an impure side
    auto take_one = [&](std::size_t e) {
      if (!oppose(e)) return false;
      chosen_.push_back(e);
      return (feature = next_separating(feature)) == examples_.features();
    };
    const bool apart = (x & first).any_of(take_one) || x.without(first).any_of(take_one);
    found.steps += chosen_.size() * examples_.classes();
    if (!apart) {
      found.cost = 1;
      found.feature = static_cast<int>(feature);
      return;
    }
    found.cost = 2;
    for (std::size_t i = chosen_.size(); i-- > 0;) {
      const std::size_t e = chosen_[i];
      against_.assign(size, 0);
      for (std::size_t other : chosen_) {
        if (other != e) oppose(other);
      }
      if (next_separating(0) == examples_.features()) {
        chosen_.erase(chosen_.begin() + static_cast<long>(i));
      }
    }
    for (std::size_t e : chosen_) found.core.add(e);
  }
  // Notes, for every class that `e` does not allow, the sides that `e` is on; whether any is new.
  bool oppose(std::size_t e) {
    const std::size_t words = examples_.row_words();
    const Word* row = examples_.row(e);
    Word fresh = 0;
    for (std::size_t c = 0; c < examples_.classes(); ++c) {
      if (examples_.allow(c).has(e)) continue;
      Word* one = against_.data() + 2 * c * words;
      Word* zero = one + words;
      for (std::size_t i = 0; i < words; ++i) {
        fresh |= (row[i] & ~one[i]) | (~row[i] & ~zero[i]);
        one[i] |= row[i];
        zero[i] |= ~row[i];
      }
    }
    return fresh != 0;
  }
  // The first feature from `from` on with no impure side; the number of features if there is none.
  std::size_t next_separating(std::size_t from) const {
    const std::size_t words = examples_.row_words(), features = examples_.features();
    for (std::size_t i = from / 64; i < words; ++i) {
      Word one = ~Word{0}, zero = ~Word{0};
      for (std::size_t c = 0; c < examples_.classes(); ++c) {
        one &= against_[2 * c * words + i];
        zero &= against_[(2 * c + 1) * words + i];
      }
      Word pure = ~(one | zero);
      if (i == from / 64) pure &= ~Word{0} << (from % 64);
      if (pure)
        return std::min(features, i * 64 + static_cast<std::size_t>(std::countr_zero(pure)));
    }
    return features;
  }
  // Whether exactly two classes meet in `x`; otherwise `found` is complete.
  bool two_classes(const Set<W>& x, Finding& found) {
    std::size_t count = 0;
    std::size_t met[3];
    for (std::size_t c = 0; c < examples_.labels() && count < 3; ++c) {
      if (x.meets(examples_.of_label(c))) met[count++] = c;
    }
    if (count < 2) return false;
    left_ = met[0];
    right_ = met[1];
    if (count == 2) return true;
    found.cost = 2;
    for (std::size_t c : met) found.core.add((x & examples_.of_label(c)).first());
    return false;
  }

  void reset() {
    std::fill(straight_.begin(), straight_.end(), ~Word{0});
    if (const std::size_t rest = examples_.features() % 64) {
      straight_.back() = (Word{1} << rest) - 1;
    }
    crossed_ = straight_;
  }

  // Rules out what `e` rules out; true once nothing is left.
  bool take(std::size_t e) {
    const bool gained = strike(e);
    if (gained) chosen_.push_back(e);
    return gained && first_left() < 0;
  }
  bool strike(std::size_t e) {
    const Word flip = examples_.label(e) == left_ ? 0 : ~Word{0};
    const Word* row = examples_.row(e);
    Word struck = 0;
    for (std::size_t i = 0; i < straight_.size(); ++i) {
      const Word on = row[i] ^ flip;
      struck |= (straight_[i] & ~on) | (crossed_[i] & on);
      straight_[i] &= on;
      crossed_[i] &= ~on;
    }
    return struck != 0;
  }
  int first_left() const {
    for (std::size_t i = 0; i < straight_.size(); ++i) {
      if (const Word any = straight_[i] | crossed_[i]) {
        return static_cast<int>(i * 64) + std::countr_zero(any);
      }
    }
    return -1;
  }

  void add_missing_class(const Set<W>& x) {
    for (std::size_t c : {left_, right_}) {
      const bool there = std::any_of(chosen_.begin(), chosen_.end(),
                                     [&](std::size_t e) { return examples_.label(e) == c; });
      if (!there) chosen_.push_back((x & examples_.of_label(c)).first());
    }
  }

  void shrink() {
    for (std::size_t i = 0; i < chosen_.size() && chosen_.size() > 2;) {
      const std::size_t e = chosen_[i];
      bool left = false, right = false;
      reset();
      for (std::size_t other : chosen_) {
        if (other == e) continue;
        strike(other);
        (examples_.label(other) == left_ ? left : right) = true;
      }
      if (left && right && first_left() < 0) {
        chosen_.erase(chosen_.begin() + static_cast<long>(i));
      } else {
        ++i;
      }
    }
  }

  const ExampleTable<W>& examples_;
  std::vector<Word> straight_, crossed_;
  std::vector<Word> against_;  // by class, the sides with an example that does not allow it
  std::size_t left_ = 0, right_ = 0;
  std::vector<std::size_t> chosen_;
};

}  // namespace dtfinder
