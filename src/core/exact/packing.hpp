// Disjoint parts: bounds of sets that no feature splits together add up.
//
// If no feature splits two of A1 .. Am, all inside C, then cost(C) >= bound(A1) + .. + bound(Am).
// Proof. In a tree for C, keep only the nodes that split what reaches them of Ai and contract the
// rest: a tree for Ai remains, no deeper than before, so at least bound(Ai) nodes split Ai. Their
// features split Ai, so for different i these nodes are different. (It follows that the rule also
// holds under a depth limit.)
//
// The simplest parts are pairs of opposite examples, which allow no class in common, with bound 1;
// the features that split a pair are those in which its examples differ. Two uses:
//   `pack`    packs pairs greedily, those with fewest differences first, out of a list of near
//             pairs that is made once for the whole table;
//   `extend`  looks for a pair that agrees on all features that split a core: it raises the core's
//             bound by one.
// The list of near pairs compares every example with a window of at most kWindow others, so it is
// linear in the table.
#pragma once

#include "shared/example_table.hpp"

namespace dtfinder {

template <int W>
class Packing {
 public:
  explicit Packing(const ExampleTable<W>& examples)
      : examples_(examples), words_(examples.row_words()), taken_(words_) {
    list_pairs();
  }

  struct Pair {
    std::uint32_t a, b, distance;
  };

  // The near pairs, nearest first.
  std::size_t near_count() const { return pairs_.size(); }
  const Pair& near(std::size_t i) const { return pairs_[i]; }

  // Greedily chosen pairs inside `x` with disjoint difference sets.
  const std::vector<Pair>& pack(const Set<W>& x) {
    chosen_.clear();
    std::fill(taken_.begin(), taken_.end(), 0);
    for (const Pair& pair : pairs_) {
      if (x.has(pair.a) && x.has(pair.b)) take(pair);
    }
    return chosen_;
  }

  // An opposite pair of x that agrees on the features of `mask`; false if there is none.
  bool extend(const Set<W>& x, const std::vector<Word>& mask, Pair& found) {
    assert(mask.size() == words_);
    std::size_t slots = 16;
    while (slots < 2 * x.size()) slots *= 2;
    table_.assign(slots, ~std::uint32_t{0});
    return x.any_of([&](std::size_t e) {
      std::size_t at = hash(e, mask) & (slots - 1);
      for (; table_[at] != ~std::uint32_t{0}; at = (at + 1) & (slots - 1)) {
        if (!agree(e, table_[at], mask)) continue;
        if (!examples_.opposite(e, table_[at])) return false;
        found = {table_[at], static_cast<std::uint32_t>(e), 0};
        return true;
      }
      table_[at] = static_cast<std::uint32_t>(e);
      return false;
    });
  }

 private:
  static constexpr std::size_t kWindow = 1024;
  static constexpr std::size_t kNear = 16;  // pairs kept for each example
  // Of a large table, fewer: set-up must not take longer than a first tree.
  static constexpr std::size_t kMostPairs = std::size_t{1} << 24, kMostKept = std::size_t{1} << 19;

  void list_pairs() {
    const std::size_t n = examples_.count();
    const std::size_t window = std::clamp<std::size_t>(kMostPairs / n, 1, kWindow);
    const std::size_t near = std::clamp<std::size_t>(kMostKept / n, 1, kNear);
    const std::size_t step = std::max<std::size_t>(1, n / window);
    // Examples of the same remainder share their window: it stays in the cache while they use it.
    for (std::size_t first = 0; first < step; ++first) {
      const std::vector<Word> rows = examples_.every(step, first);
      for (std::size_t a = first; a < n; a += step) list_near(a, rows, step, near);
    }
    std::sort(pairs_.begin(), pairs_.end(), closer);
    auto same = [](const Pair& p, const Pair& q) { return p.a == q.a && p.b == q.b; };
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end(), same), pairs_.end());
  }
  // Adds the nearest pairs of `a` with an example of its window, whose rows are `rows`.
  void list_near(std::size_t a, const std::vector<Word>& rows, std::size_t step, std::size_t most) {
    near_.clear();
    const Word* row = rows.data();
    for (std::size_t b = a % step; b < examples_.count(); b += step, row += words_) {
      if (!examples_.opposite(a, b)) continue;
      near_.push_back(
          {static_cast<std::uint32_t>(std::min(a, b)), static_cast<std::uint32_t>(std::max(a, b)),
           static_cast<std::uint32_t>(count_difference(examples_.row(a), row, words_))});
    }
    const auto end = near_.begin() + static_cast<long>(std::min(most, near_.size()));
    std::partial_sort(near_.begin(), end, near_.end(), closer);
    pairs_.insert(pairs_.end(), near_.begin(), end);
  }
  static bool closer(const Pair& p, const Pair& q) {
    if (p.distance != q.distance) return p.distance < q.distance;
    return p.a != q.a ? p.a < q.a : p.b < q.b;
  }

  void take(const Pair& pair) {
    const Word *a = examples_.row(pair.a), *b = examples_.row(pair.b);
    for (std::size_t i = 0; i < words_; ++i) {
      if ((a[i] ^ b[i]) & taken_[i]) return;
    }
    for (std::size_t i = 0; i < words_; ++i) taken_[i] |= a[i] ^ b[i];
    chosen_.push_back(pair);
  }

  std::size_t hash(std::size_t e, const std::vector<Word>& mask) const {
    Word h = 0x9E3779B97F4A7C15u;
    for (std::size_t i = 0; i < words_; ++i) {
      h = (h ^ (examples_.row(e)[i] & mask[i])) * 0xD6E8FEB86659FD93u;
      h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
  }
  bool agree(std::size_t a, std::size_t b, const std::vector<Word>& mask) const {
    for (std::size_t i = 0; i < words_; ++i) {
      if ((examples_.row(a)[i] ^ examples_.row(b)[i]) & mask[i]) return false;
    }
    return true;
  }

  const ExampleTable<W>& examples_;
  std::size_t words_;
  std::vector<Pair> pairs_, chosen_, near_;
  std::vector<Word> taken_;
  std::vector<std::uint32_t> table_;
};

}  // namespace dtfinder
