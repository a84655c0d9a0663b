// Bounds on the children of a node, for every column, side and number of inner nodes.
//
// They come from the node's own counts, from the parent (what is known of a set bounds its subsets)
// and from siblings; search.hpp says why they hold.
#pragma once

#include <numeric>

#include "price.hpp"
#include "switches.hpp"

namespace dtfinder::front {

// The budget of a child with so many inner nodes.
inline Budget child_budget(const Budget& budget, int inner) {
  const int depth = budget.depth == kUnlimited ? kUnlimited : budget.depth - 1;
  return simplest({inner, depth});
}

class ChildBounds {
 public:
  ChildBounds(const Switches& switches, const Price& price, const Facts& facts)
      : switches_(switches), price_(price), facts_(facts) {}

  // Shares the budget out, bounds all children from counts and from the parent's smaller budgets,
  // and puts the columns in order.
  void begin(Node& node, const Budget& budget) const {
    share_out(node, budget);
    const std::size_t m = node.view.width();
    const Counter& counter = node.counter;
    node.low.assign(2 * node.inner.size() * m, 0);
    node.high.assign(node.low.size(), kNever);
    node.ones.resize(m);
    for (std::size_t f = 0; f < m; ++f) node.ones[f] = node.counter.ones(f);
    const std::size_t exact = counter.has_triples() ? 2 : 1, most = counter.has_triples() ? 3 : 1;
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t place = 0; place < node.inner.size(); ++place) {
        Value* low = node.low.data() + node.at(side, place, 0);
        Value* high = node.high.data() + node.at(side, place, 0);
        for (std::size_t f = 0; f < m; ++f) {
          if (budget.inner == kPriced) {
            low[f] = price_.inner * static_cast<Value>(exact + 1);
            for (std::size_t s = 0; s <= most; ++s) {
              const Value cost =
                  price_.unit * counter.child(side, s, f) + price_.inner * static_cast<Value>(s);
              if (s <= exact) low[f] = std::min(low[f], cost);
              high[f] = std::min(high[f], cost);
            }
          } else {
            const auto splits = static_cast<std::size_t>(node.inner[place]);
            high[f] = price_.unit * counter.child(side, std::min(splits, most), f);
            if (splits <= exact) low[f] = high[f];
          }
        }
      }
    }
    if (switches_.parents) bound_by_parent(node, budget);
    put_in_order(node);
  }
  // A lower bound on one child bounds the children of all columns.
  void tell_siblings(Node& node, std::size_t f, std::size_t side, std::size_t place, Value lower,
                     std::uint64_t& work) const {
    if (!switches_.siblings || lower <= 0) return;
    const std::size_t m = node.view.width();
    const Value* both = node.counter.both(f, work);
    const Value size = side ? node.ones[f] : node.view.weight - node.ones[f];
    // What holds for so many inner nodes holds for fewer. Few of them are counted.
    const int counted = node.counter.has_triples() ? 2 : 1;
    for (std::size_t p = place + 1;
         p-- > 0 && (node.inner[p] > counted || node.inner[p] == kPriced);) {
      Value* low_none = node.low.data() + node.at(0, p, 0);
      Value* low_one = node.low.data() + node.at(1, p, 0);
      for (std::size_t g = 0; g < m; ++g) {
        const Value inside = side ? both[g] : node.ones[g] - both[g];  // of this child, with g = 1
        low_one[g] = std::max(low_one[g], lower - price_.unit * (size - inside));
        low_none[g] = std::max(low_none[g], lower - price_.unit * inside);
      }
      work += m / 4;
    }
  }

 private:
  void share_out(Node& node, const Budget& budget) const {
    node.shares.clear();
    node.inner.clear();
    if (budget.inner == kPriced) {
      node.inner.push_back(kPriced);
      node.shares.push_back({{0, 0}});
      return;
    }
    const int depth = budget.depth - 1;
    const int most = depth < 28 ? (1 << depth) - 1 : budget.inner - 1;  // of one child
    const int below = std::min(budget.inner - 1, 2 * most);
    const int least = std::max(0, below - most);
    for (int k = least; k <= below - least; ++k) node.inner.push_back(k);
    const std::size_t last = node.inner.size() - 1;
    for (std::size_t a = last / 2 + 1; a-- > 0;) {
      node.shares.push_back({{a, last - a}});
      if (2 * a != last) node.shares.push_back({{last - a, a}});
    }
  }
  void bound_by_parent(Node& node, const Budget& budget) const {
    for (std::size_t place = 0; place < node.inner.size(); ++place) {
      const int k = node.inner[place];
      Value whole =
          switches_.cache ? facts_.look(node.view.rows.data(), child_budget(budget, k)).lower : 0;
      if (k != kPriced && k <= 3 && node.counter.has_triples()) {
        whole = std::max(whole, price_.unit * node.counter.whole(static_cast<std::size_t>(k)));
      }
      if (whole <= 0) continue;
      Value* low_none = node.low.data() + node.at(0, place, 0);
      Value* low_one = node.low.data() + node.at(1, place, 0);
      for (std::size_t f = 0; f < node.view.width(); ++f) {
        low_none[f] = std::max(low_none[f], whole - price_.unit * node.ones[f]);
        low_one[f] = std::max(low_one[f], whole - price_.unit * (node.view.weight - node.ones[f]));
      }
    }
  }
  void put_in_order(Node& node) const {
    const std::size_t m = node.view.width();
    node.order.resize(m);
    std::iota(node.order.begin(), node.order.end(), 0);
    if (!switches_.order) return;
    node.score.assign(m, kNever);
    for (const auto& share : node.shares) {
      const Value* none = node.high.data() + node.at(0, share.place[0], 0);
      const Value* one = node.high.data() + node.at(1, share.place[1], 0);
      for (std::size_t f = 0; f < m; ++f) node.score[f] = std::min(node.score[f], none[f] + one[f]);
    }
    std::sort(node.order.begin(), node.order.end(), [&](std::int32_t a, std::int32_t b) {
      const Value x = node.score[static_cast<std::size_t>(a)],
                  y = node.score[static_cast<std::size_t>(b)];
      return x < y || (x == y && a < b);
    });
  }

  const Switches& switches_;
  const Price& price_;
  const Facts& facts_;
};

}  // namespace dtfinder::front
