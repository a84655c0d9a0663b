// Bounds on the children of a node, for every column, side and number of inner nodes.
//
// They come from the node's own counts, from the parent (what is known of a set bounds its subsets)
// and from siblings; search.hpp says why they hold.
#pragma once

#include <numeric>

#include "front/price.hpp"
#include "front/switches.hpp"

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
  void prove(ErrorLemmas* lemmas) { lemmas_ = lemmas; }

  // Shares the budget out, bounds all children from counts and from the parent's smaller budgets,
  // and puts the columns in order.
  void begin(Node& node, const Budget& budget) const {
    share_out(node, budget);
    const std::size_t m = node.view.width();
    const Counter& counter = node.counter;
    node.low.assign(2 * node.inner.size() * m, 0);
    node.high.assign(node.low.size(), kNever);
    if (switches_.proof) node.why.assign(node.low.size(), kNoLemma);
    node.ones.resize(m);
    for (std::size_t f = 0; f < m; ++f) node.ones[f] = node.counter.ones(f);
    const std::size_t most = counter.has_triples() ? 3 : 1;
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t place = 0; place < node.inner.size(); ++place) {
        Value* low = node.low.data() + node.at(side, place, 0);
        Value* high = node.high.data() + node.at(side, place, 0);
        for (std::size_t f = 0; f < m; ++f) {
          low[f] = counted_low(node, side, place, f);
          if (budget.inner == kPriced) {
            for (std::size_t s = 0; s <= most; ++s)
              high[f] = std::min(high[f], cost(counter.child(side, s, f), s));
          } else {
            const auto splits = static_cast<std::size_t>(node.inner[place]);
            high[f] = price_.unit * counter.child(side, std::min(splits, most), f);
          }
        }
      }
    }
    if (switches_.parents) bound_by_parent(node, budget);
    put_in_order(node);
  }
  // A lower bound on one child bounds the children of all columns.
  void tell_siblings(Node& node, std::size_t f, std::size_t side, std::size_t place,
                     const Bounds& bounds, std::uint64_t& work) const {
    const Value lower = bounds.lower;
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
      if (switches_.proof) note_reasons(node, p, both, side, size, bounds);
      for (std::size_t g = 0; g < m; ++g) {
        const Value inside = side ? both[g] : node.ones[g] - both[g];  // of this child, with g = 1
        low_one[g] = std::max(low_one[g], lower - price_.unit * (size - inside));
        low_none[g] = std::max(low_none[g], lower - price_.unit * inside);
      }
      work += m / 4;
    }
  }

  // Logs that no column undercuts the bound, by what counts and the lemmas in `why` say together. A
  // column that one lemma settles cites that one alone, if possible one that is cited anyway.
  LemmaId note_split(const Node& node, const Budget& budget, Value bound) {
    cites_.clear();
    open_.clear();
    for (std::size_t f = 0; f < node.view.width(); ++f) {
      for (const auto& share : node.shares) {
        Value low[2], bare[2];
        LemmaId why[2];
        for (std::size_t side = 0; side < 2; ++side) {
          const std::size_t at = node.at(side, share.place[side], f);
          low[side] = node.low[at];
          why[side] = node.why[at];
          bare[side] = counted_low(node, side, share.place[side], f);
        }
        const Value rest = bound - price_.inner;
        if (bare[0] + bare[1] >= rest) continue;
        const bool zero = low[0] + bare[1] >= rest, one = bare[0] + low[1] >= rest;
        if (zero && one) {
          open_.push_back({why[0], why[1]});
          continue;
        }
        if (!one && why[0] != kNoLemma) cites_.push_back(why[0]);
        if (!zero && why[1] != kNoLemma) cites_.push_back(why[1]);
      }
    }
    auto sort = [&] {
      std::sort(cites_.begin(), cites_.end());
      cites_.erase(std::unique(cites_.begin(), cites_.end()), cites_.end());
    };
    sort();
    const std::size_t sure = cites_.size();
    auto has = [&](LemmaId id) {
      const auto end = cites_.begin() + static_cast<std::ptrdiff_t>(sure);
      return std::binary_search(cites_.begin(), end, id) ||
             std::find(end, cites_.end(), id) != cites_.end();
    };
    for (const auto& [zero, one] : open_) {
      if (!has(zero) && !has(one)) cites_.push_back(std::min(zero, one));
    }
    sort();
    return lemmas_->split(node.path, budget, bound, cites_);
  }

  // What counts alone show of a child.
  Value counted_low(const Node& node, std::size_t side, std::size_t place, std::size_t f) const {
    const std::size_t exact = node.counter.has_triples() ? 2 : 1;
    const int inner = node.inner[place];
    if (inner != kPriced) {
      const auto splits = static_cast<std::size_t>(inner);
      return splits <= exact ? price_.unit * node.counter.child(side, splits, f) : 0;
    }
    Value low = price_.inner * static_cast<Value>(exact + 1);
    for (std::size_t s = 0; s <= exact; ++s)
      low = std::min(low, cost(node.counter.child(side, s, f), s));
    return low;
  }

 private:
  Value cost(Value errors, std::size_t splits) const {
    return price_.unit * errors + price_.inner * static_cast<Value>(splits);
  }
  // Before a sibling's bound raises those of place p: which it will raise.
  void note_reasons(Node& node, std::size_t p, const Value* both, std::size_t side, Value size,
                    const Bounds& bounds) const {
    for (std::size_t g = 0; g < node.view.width(); ++g) {
      const Value inside = side ? both[g] : node.ones[g] - both[g];
      const std::size_t none = node.at(0, p, g), one = node.at(1, p, g);
      if (bounds.lower - price_.unit * (size - inside) > node.low[one])
        node.why[one] = bounds.lemma;
      if (bounds.lower - price_.unit * inside > node.low[none]) node.why[none] = bounds.lemma;
    }
  }
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
      Bounds known;
      if (switches_.cache) known = facts_.look(node.view.rows.data(), child_budget(budget, k));
      Value whole = known.lower;
      if (k != kPriced && k <= 3 && node.counter.has_triples()) {
        const Value here = price_.unit * node.counter.whole(static_cast<std::size_t>(k));
        if (here > whole) known.lemma = kNoLemma;
        whole = std::max(whole, here);
      }
      if (whole <= 0) continue;
      if (switches_.proof) {
        if (known.lemma == kNoLemma)
          known.lemma = lemmas_->counted(node.path, child_budget(budget, k), whole);
        for (std::size_t f = 0; f < node.view.width(); ++f) {
          const Value ones = price_.unit * node.ones[f], all = price_.unit * node.view.weight;
          const std::size_t none = node.at(0, place, f), one = node.at(1, place, f);
          if (whole - ones > node.low[none]) node.why[none] = known.lemma;
          if (whole - (all - ones) > node.low[one]) node.why[one] = known.lemma;
        }
      }
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
  ErrorLemmas* lemmas_ = nullptr;
  std::vector<LemmaId> cites_;                     // scratch
  std::vector<std::pair<LemmaId, LemmaId>> open_;  // scratch: one of both is enough
};

}  // namespace dtfinder::front
