// Singleton cuts: features that cut off one example need no refutation.
//
// In the composition for (C, k + 1), a feature that isolates exactly one example of C may be left
// unrefuted if at least two classes each have k + 1 or more examples in C, or an example in C that
// no feature isolates.
//
// Proof. Take a tree for C with at most k inner nodes, each of which splits what reaches it, and
// follow from its root the chain of nodes that are singleton cuts of C. If the chain ends in a
// leaf, then all examples of every class but the leaf's were cut off one by one: each such class
// has at most k examples and some feature isolates each of them, against the condition. Otherwise
// it ends at a node g that is not a singleton cut of C. Take the subtree at g, and send the
// examples that were cut off down it. Where one lands in a leaf of another class, put its cut
// there: it isolates the example from all of C. The tree has not grown, classifies C, and its root
// g splits C and is not a singleton cut; the composition refutes it. The argument may deepen the
// tree, so it holds for size without a depth limit only.
//
// Where examples allow sets of classes, the condition is that for every class k + 1 or more
// examples of C do not allow it, or one of these that no feature isolates. The proof is the same: a
// chain that ends in a leaf has cut off all examples that do not allow the leaf's class, and a cut
// that is put back leaves its example alone in a leaf, which takes a class that it allows.
//
// The condition is monotone: what C satisfies, every superset of C satisfies.
#pragma once

#include "shared/example_table.hpp"

namespace dtfinder {

template <int W>
class SingletonCuts {
 public:
  explicit SingletonCuts(const ExampleTable<W>& examples)
      : examples_(examples), words_(examples.row_words()) {}

  // Finds the features that isolate one example of `c`.
  void look_at(const Set<W>& c) {
    once_one_.assign(words_, 0);
    once_zero_.assign(words_, 0);
    twice_one_.assign(words_, 0);
    twice_zero_.assign(words_, 0);
    c.each([&](std::size_t e) {
      const Word* row = examples_.row(e);
      for (std::size_t i = 0; i < words_; ++i) {
        twice_one_[i] |= once_one_[i] & row[i];
        once_one_[i] |= row[i];
        twice_zero_[i] |= once_zero_[i] & ~row[i];
        once_zero_[i] |= ~row[i];
      }
    });
    for (std::size_t i = 0; i < words_; ++i) {
      once_one_[i] &= ~twice_one_[i] & once_zero_[i];
      once_zero_[i] &= ~twice_zero_[i] & (once_one_[i] | twice_one_[i]);
    }
  }
  // Whether `feature` isolates one example of the set last looked at.
  bool isolates(std::size_t feature) const {
    assert(feature < examples_.features());
    return (once_one_[feature / 64] | once_zero_[feature / 64]) >> (feature % 64) & 1;
  }
  bool isolated(std::size_t e) const {
    const Word* row = examples_.row(e);
    for (std::size_t i = 0; i < words_; ++i) {
      if ((once_one_[i] & row[i]) | (once_zero_[i] & ~row[i])) return true;
    }
    return false;
  }

  // The condition on `c`, the set last looked at, for bound k.
  bool allowed(const Set<W>& c, int k) const {
    if (examples_.sets()) {
      for (std::size_t each = 0; each < examples_.classes(); ++each) {
        if (!lasting(c.without(examples_.allow(each)), k)) return false;
      }
      return true;
    }
    int classes = 0;
    for (std::size_t each = 0; each < examples_.labels() && classes < 2; ++each) {
      classes += lasting(c & examples_.of_label(each), k);
    }
    return classes >= 2;
  }

 private:
  // Whether k cuts cannot take off all of `some`.
  bool lasting(const Set<W>& some, int k) const {
    return some.size() >= static_cast<std::size_t>(k) + 1 ||
           some.any_of([&](std::size_t e) { return !isolated(e); });
  }

  const ExampleTable<W>& examples_;
  std::size_t words_;
  std::vector<Word> once_one_, once_zero_, twice_one_, twice_zero_;
};

}  // namespace dtfinder
