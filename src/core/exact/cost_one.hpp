// Can a single feature classify X? If not, a handful of examples shows it.
//
// With two classes a and b in X, keep the features that are still 1 on all of a and 0 on all of b,
// and those that are the other way round, while walking over the examples. Most sets run out of
// both within a few examples, and those few, with at least one of each class, are a core of bound
// 2: no feature separates them, so every feature that splits them leaves a side with two classes.
// Three examples of three classes are such a core too. An example that rules out nothing is left
// out, and each of the rest is tried without at the end, so the core is minimal.
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
  // Whether exactly two classes meet in `x`; otherwise `found` is complete.
  bool two_classes(const Set<W>& x, Finding& found) {
    std::size_t count = 0;
    std::size_t met[3];
    for (std::size_t c = 0; c < examples_.classes() && count < 3; ++c) {
      if (x.meets(examples_.of_class(c))) met[count++] = c;
    }
    if (count < 2) return false;
    left_ = met[0];
    right_ = met[1];
    if (count == 2) return true;
    found.cost = 2;
    for (std::size_t c : met) found.core.add((x & examples_.of_class(c)).first());
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
      if (!there) chosen_.push_back((x & examples_.of_class(c)).first());
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
  std::size_t left_ = 0, right_ = 0;
  std::vector<std::size_t> chosen_;
};

}  // namespace dtfinder
