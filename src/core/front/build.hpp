// The tree behind a proven value: put together from the facts, and searched again where they are
// gone.
#pragma once

#include "front/search.hpp"

namespace dtfinder::front {

class Builder {
 public:
  explicit Builder(Search& search) : search_(search), table_(search.table()) {}

  Runner& runner() { return search_.runner(); }

  // The column that splits the rows as the feature does; width() if it does not split them.
  std::size_t column_of(const Node& node, std::int32_t feature) const {
    const Word* given = table_.column(static_cast<std::size_t>(feature));
    for (std::size_t f = 0; f < node.view.width(); ++f) {
      const Word* column = table_.column(static_cast<std::size_t>(node.view.ids[f]));
      bool equal = true, opposite = true;
      for (std::size_t w = 0; w < table_.words(); ++w) {
        const Word in = node.view.rows[w];
        equal &= ((given[w] ^ column[w]) & in) == 0;
        opposite &= ((given[w] ^ ~column[w]) & in) == 0;
      }
      if (equal || opposite) return f;
    }
    return node.view.width();
  }
  // Whether the feature is zero where column f, which splits the rows alike, is one.
  bool is_flipped(const Node& node, std::size_t f, std::int32_t feature) const {
    const Word* given = table_.column(static_cast<std::size_t>(feature));
    const Word* column = table_.column(static_cast<std::size_t>(node.view.ids[f]));
    bool same = true;
    for (std::size_t w = 0; w < table_.words(); ++w)
      same &= ((given[w] ^ column[w]) & node.view.rows[w]) == 0;
    return same == static_cast<bool>(node.view.flipped[f]);
  }

  // Puts a tree of value `value` within the budget in place of node `at` of `tree`.
  Task build(Node& node, Budget budget, Value value, TreeNodes& tree, std::int32_t at) {
    const Value leaf = search_.price().unit * node.view.leaf();
    const auto& weights = node.view.class_weight;
    tree[static_cast<std::size_t>(at)] = {
        -1, -1, -1,
        static_cast<std::int32_t>(std::max_element(weights.begin(), weights.end()) -
                                  weights.begin())};
    if (leaf <= value) co_return;
    std::size_t f = 0;
    Budget below[2];
    Value parts[2] = {kNever, kNever};
    co_await search_.count(node, false);
    if (search_.price().counted(node, budget) > value) co_await search_.count(node, true);
    if (search_.price().counted(node, budget) <= value) {
      find_counted(node, budget, value, f, below, parts);
    } else {
      Bounds bounds = search_.facts().look(node.view.rows.data(), budget);
      if (bounds.upper > value || bounds.feature < 0) {
        co_await search_.branch(node, budget, value + 1, bounds);
      }
      f = column_of(node, bounds.feature);
      const bool flipped = is_flipped(node, f, bounds.feature);
      below[flipped] = child_budget(budget, bounds.zero);
      below[!flipped] = child_budget(budget, bounds.one);
      parts[flipped] = bounds.zero_value;
      parts[!flipped] = bounds.upper - search_.price().inner - bounds.zero_value;
    }
    const auto next = static_cast<std::int32_t>(tree.size());
    tree.resize(tree.size() + 2);
    tree[static_cast<std::size_t>(at)] = {node.view.ids[f], next, next + 1, -1};
    for (int side = 0; side < 2; ++side) {
      NodePool::Lease child(search_.pool());
      std::vector<Word> rows(table_.words());
      node.view.child_rows(table_, f, side, rows.data());
      search_.make_child(node, f, side, rows.data(), *child);
      const bool one = (side != 0) != static_cast<bool>(node.view.flipped[f]);
      co_await build(*child, simplest(below[side]), parts[side], tree, one ? next + 1 : next);
    }
  }

 private:
  void find_counted(const Node& node, const Budget& budget, Value value, std::size_t& f,
                    Budget below[2], Value parts[2]) const {
    const Price& price = search_.price();
    const std::size_t most = node.counter.has_triples() ? 3 : 1;
    const std::size_t splits = Price::splits_of(budget, 7);
    const int depth = budget.depth == kUnlimited ? kUnlimited : budget.depth - 1;
    for (f = 0; f < node.view.width(); ++f) {
      for (std::size_t a = 0; a <= most; ++a) {
        for (std::size_t b = 0; b <= most && a + b < splits; ++b) {
          if (depth == 1 && std::max(a, b) > 1) continue;
          const Value none = node.counter.child(0, a, f), one = node.counter.child(1, b, f);
          if (price.unit * (none + one) + price.inner * static_cast<Value>(a + b + 1) > value)
            continue;
          below[0] = {static_cast<int>(a), depth};
          below[1] = {static_cast<int>(b), depth};
          // With a price, what follows is to find trees of so many splits and errors.
          parts[0] = price.unit * none + price.inner * static_cast<Value>(a);
          parts[1] = price.unit * one + price.inner * static_cast<Value>(b);
          return;
        }
      }
    }
    throw std::logic_error("a counted tree was not found again");
  }

  Search& search_;
  const Table& table_;
};

}  // namespace dtfinder::front
