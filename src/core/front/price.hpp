// What counts give within a budget, with prices; and whether they decide it.
#pragma once

#include "front/node.hpp"

namespace dtfinder::front {

struct Price {
  Value unit = 1, inner = 0;  // of a unit of weight that is wrong, and of an inner node

  // The cost of the best of the counted trees with up to so many splits.
  Value counted(const Node& node, std::size_t splits) const {
    Value best = kNever;
    for (std::size_t k = 0; k <= splits; ++k) {
      best = std::min(best, unit * node.counter.whole(k) + inner * static_cast<Value>(k));
    }
    return best;
  }
  Value counted(const Node& node, const Budget& budget) const {
    const bool triples = node.counter.has_triples();
    if (budget.depth == 2) {
      const std::size_t splits = splits_of(budget, 3);
      const Value best = counted(node, std::min<std::size_t>(splits, 2));
      return splits < 3 ? best : std::min(best, unit * node.counter.flat() + 3 * inner);
    }
    return counted(node, splits_of(budget, triples ? (budget.depth == 3 ? 7 : 3) : 2));
  }
  // What trees within the budget that pairs, or triples, do not count cost at least.
  Value beyond_pairs(const Budget& budget) const {
    if (budget.depth <= 2) return kNever;
    return budget.inner == kPriced ? 3 * inner : budget.inner <= 2 ? kNever : 0;
  }
  Value beyond_triples(const Budget& budget) const {
    if (budget.depth <= 3) return kNever;
    return budget.inner == kPriced ? 4 * inner : budget.inner <= 3 ? kNever : 0;
  }
  // Whether trees of three inner nodes are the largest that matter, and no deeper than allowed.
  bool three_decide(const Budget& budget, Value limit) const {
    if (budget.inner == kPriced) return budget.depth >= 3 && 4 * inner >= limit;
    return budget.inner == 3 && budget.depth > 3;
  }
  static std::size_t splits_of(const Budget& budget, std::size_t most) {
    if (budget.depth == 0) return 0;
    if (budget.depth < 4) most = std::min(most, (std::size_t{1} << budget.depth) - 1);
    return budget.inner == kPriced ? most : std::min(most, static_cast<std::size_t>(budget.inner));
  }
};

}  // namespace dtfinder::front
