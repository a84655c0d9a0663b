// The recursion: least errors of a set of rows within a budget of inner nodes and depth.
//
//   E(S, n, d) = min( leaf(S), min over columns f and a + b = n - 1 of E(S∧¬f, a, d-1) + E(S∧f, b,
//   d-1) )
//
// Budgets of up to three inner nodes, or of depth three, are counted (counter.hpp). A node that
// branches counts, too: that gives it the children's errors with up to two splits, exactly, and
// upper bounds for more, which put the columns in a good order.
//
// For every child and number of inner nodes there is a lower bound; a column is done with when no
// share of the inner nodes undercuts the best. Bounds come from
// - facts: the set was met before (facts.hpp);
// - similar sets (similar.hpp);
// - siblings: the same bound between children of one node, where all weights outside are known from
//   pair counts. It covers chains of thresholds: what is left of a threshold is also left of every
//   higher one;
// - the parent: E(S∧f, k) >= E(S, k) - weight(S∧¬f), the same bound once more.
//
// With a price on inner nodes the recursion is the same with one share, 'as many as pay'. A tree
// with k splits costs at least k prices, so where three of them reach the best, pairs decide, and
// triples where four do.
//
// `solve` proves E(S) >= limit or finds E(S) < limit; either way its bounds are true.
#pragma once

#include <numeric>

#include "front_exchange.hpp"
#include "node.hpp"
#include "similar.hpp"
#include "switches.hpp"

namespace dtfinder::front {

struct Price {
  Value unit = 1, inner = 0;  // of a unit of weight that is wrong, and of an inner node
};

class Search {
 public:
  Search(const Table& table, const Switches& switches)
      : table_(table),
        switches_(switches),
        kernels_(switches.kernel < 0 ? best_kernels()
                                     : kernels(static_cast<Machine>(switches.kernel))),
        facts_(table.words()),
        similar_(table, kernels_, switches.kept) {}

  Runner& runner() { return *runner_; }
  void use(Runner& runner) { runner_ = &runner; }
  std::uint64_t steps() const { return work_ / kWorkPerStep; }
  std::size_t bytes() const { return facts_.bytes() + similar_.bytes() + pool_.bytes(); }
  const Table& table() const { return table_; }
  const Switches& switches() const { return switches_; }
  Facts& facts() { return facts_; }
  NodePool& pool() { return pool_; }
  const Price& price() const { return price_; }
  void set_price(const Price& price) {
    price_ = price;
    priced_ = true;
    drop_facts();
  }
  void drop_facts() {
    facts_.clear();
    similar_.clear();
  }

  void make_root(Node& node) {
    node.view.make(table_);
    node.counter.begin(node.view, kernels_);
  }
  void make_child(const Node& parent, std::size_t f, bool side, const Word* rows, Node& child) {
    child.view.make(parent.view, f, side, rows, table_, kernels_);
    child.counter.begin(child.view, kernels_);
    work_ += child.view.work();
  }

  // The cost of the best of the counted trees with up to so many splits.
  Value counted(const Node& node, std::size_t splits) const {
    Value best = kNever;
    for (std::size_t k = 0; k <= splits; ++k) {
      best = std::min(best,
                      price_.unit * node.counter.whole(k) + price_.inner * static_cast<Value>(k));
    }
    return best;
  }
  Value counted(const Node& node, const Budget& budget) const {
    const bool triples = node.counter.has_triples();
    if (budget.depth == 2) {
      const std::size_t splits = splits_of(budget, 3);
      const Value best = counted(node, std::min<std::size_t>(splits, 2));
      return splits < 3 ? best
                        : std::min(best, price_.unit * node.counter.flat() + 3 * price_.inner);
    }
    return counted(node, splits_of(budget, triples ? (budget.depth == 3 ? 7 : 3) : 2));
  }
  // Whether pairs, or triples, decide the budget; `best` is the cost of a tree.
  bool pairs_decide(const Budget& budget, Value best) const {
    if (budget.depth <= 2) return true;
    return budget.inner == kPriced ? 3 * price_.inner >= best : budget.inner <= 2;
  }
  bool triples_decide(const Budget& budget, Value best) const {
    if (budget.depth <= 3) return true;
    return budget.inner == kPriced ? 4 * price_.inner >= best : budget.inner <= 3;
  }
  static std::size_t splits_of(const Budget& budget, std::size_t most) {
    if (budget.depth == 0) return 0;
    if (budget.depth < 4) most = std::min(most, (std::size_t{1} << budget.depth) - 1);
    return budget.inner == kPriced ? most : std::min(most, static_cast<std::size_t>(budget.inner));
  }

  Task count(Node& node, bool triples) {
    while (!node.counter.count_pairs(kPiece, work_)) co_await Yield{*runner_};
    while (triples && !node.counter.count_triples(kPiece, work_)) co_await Yield{*runner_};
  }

  // Fills `out` with bounds on the set of `node`: lower >= limit, or lower = upper.
  Task solve(Node& node, Budget budget, Value limit, Bounds& out) {
    const std::uint64_t before = steps();
    const Value leaf = price_.unit * node.view.leaf();
    out = {std::min(leaf, price_.inner), leaf};
    if (node.view.width() == 0 || budget.depth == 0 || budget.inner == 0 || leaf <= price_.inner) {
      out.lower = leaf;
      co_return;
    }
    co_await count(node, false);
    Value found = counted(node, budget);
    bool decided = pairs_decide(budget, found), chains = false;
    if (!decided && switches_.chains && budget.inner == 3 && budget.depth > 3 &&
        !node.counter.has_triples() && node.counter.begin_chains(limit, work_)) {
      while (!node.counter.count_chains(limit, kPiece, work_)) co_await Yield{*runner_};
      found = node.counter.chains();
      chains = decided = true;
    }
    if (!decided && (switches_.triples || triples_decide(budget, found))) {
      co_await count(node, true);
      found = counted(node, budget);
      decided = triples_decide(budget, found);
    }
    if (decided) {
      out = {chains ? std::min(found, limit) : found, found};
    } else {
      co_await branch(node, budget, limit, out);
    }
    if (switches_.cache) {
      if (decided && node.counter.has_triples() && budget.inner != kPriced) {
        facts_.note_curve(node.view.rows.data(), node.counter.curve());
      } else {
        facts_.note(node.view.rows.data(), budget, out);
      }
    }
    if (switches_.similar) similar_.note(node.view.rows.data(), budget, out.lower);
    if (member_ && steps() - before >= kWorthTelling) {
      member_.tell(node.view.rows, budget, out, steps() - before);
    }
  }

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
  Membership& member() { return member_; }
  // Takes what other engines told; hands what is said of all rows to `take`.
  template <class Take>
  void read_news(const std::vector<Word>& all, Take&& take) {
    member_.read([&](const News& news) {
      if ((news.budget.inner == kPriced) != priced_) return;
      if (switches_.cache) facts_.note(news.rows.data(), news.budget, news.bounds);
      if (switches_.similar) similar_.note(news.rows.data(), news.budget, news.bounds.lower);
      if (news.rows == all) take(news.budget, news.bounds);
    });
  }

  // Puts a tree of value `value` within the budget in place of node `at` of `tree`.
  Task build(Node& node, Budget budget, Value value, TreeNodes& tree, std::int32_t at) {
    const Value leaf = price_.unit * node.view.leaf();
    const auto& weights = node.view.class_weight;
    tree[static_cast<std::size_t>(at)] = {
        -1, -1, -1,
        static_cast<std::int32_t>(std::max_element(weights.begin(), weights.end()) -
                                  weights.begin())};
    if (leaf <= value) co_return;
    std::size_t f = 0;
    Budget below[2];
    Value parts[2] = {kNever, kNever};
    co_await count(node, false);
    if (counted(node, budget) > value) co_await count(node, true);
    if (counted(node, budget) <= value) {
      find_counted(node, budget, value, f, below, parts);
    } else {
      Bounds bounds = facts_.look(node.view.rows.data(), budget);
      if (bounds.upper > value || bounds.feature < 0) {
        co_await branch(node, budget, value + 1, bounds);
      }
      f = column_of(node, bounds.feature);
      const bool flipped = is_flipped(node, f, bounds.feature);
      below[flipped] = child_budget(budget, bounds.zero);
      below[!flipped] = child_budget(budget, bounds.one);
      parts[flipped] = bounds.zero_value;
      parts[!flipped] = bounds.upper - price_.inner - bounds.zero_value;
    }
    const auto next = static_cast<std::int32_t>(tree.size());
    tree.resize(tree.size() + 2);
    tree[static_cast<std::size_t>(at)] = {node.view.ids[f], next, next + 1, -1};
    for (int side = 0; side < 2; ++side) {
      NodePool::Lease child(pool_);
      std::vector<Word> rows(table_.words());
      node.view.child_rows(table_, f, side, rows.data());
      make_child(node, f, side, rows.data(), *child);
      const bool one = (side != 0) != static_cast<bool>(node.view.flipped[f]);
      co_await build(*child, simplest(below[side]), parts[side], tree, one ? next + 1 : next);
    }
  }

 private:
  static constexpr std::uint64_t kWorthTelling = 1000;  // steps
  static constexpr std::uint64_t kWorkPerStep = 20;
  static constexpr std::uint64_t kPiece = 200 * kWorkPerStep;

  void find_counted(const Node& node, const Budget& budget, Value value, std::size_t& f,
                    Budget below[2], Value parts[2]) const {
    const std::size_t most = node.counter.has_triples() ? 3 : 1;
    const std::size_t splits = splits_of(budget, 7);
    const int depth = budget.depth == kUnlimited ? kUnlimited : budget.depth - 1;
    for (f = 0; f < node.view.width(); ++f) {
      for (std::size_t a = 0; a <= most; ++a) {
        for (std::size_t b = 0; b <= most && a + b < splits; ++b) {
          if (depth == 1 && std::max(a, b) > 1) continue;
          const Value none = node.counter.child(0, a, f), one = node.counter.child(1, b, f);
          if (price_.unit * (none + one) + price_.inner * static_cast<Value>(a + b + 1) > value)
            continue;
          below[0] = {static_cast<int>(a), depth};
          below[1] = {static_cast<int>(b), depth};
          // With a price, what follows is to find trees of so many splits and errors.
          parts[0] = price_.unit * none + price_.inner * static_cast<Value>(a);
          parts[1] = price_.unit * one + price_.inner * static_cast<Value>(b);
          return;
        }
      }
    }
    throw std::logic_error("a counted tree was not found again");
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
  Budget child_budget(const Budget& budget, int inner) const {
    const int depth = budget.depth == kUnlimited ? kUnlimited : budget.depth - 1;
    return simplest({inner, depth});
  }

  // Bounds on all children from counts and from the parent's smaller budgets.
  void bound_children(Node& node, const Budget& budget) {
    const std::size_t m = node.view.width();
    const Counter& counter = node.counter;
    node.low.assign(2 * node.inner.size() * m, 0);
    node.high.assign(node.low.size(), kNever);
    node.ones.resize(m);
    for (std::size_t f = 0; f < m; ++f) node.ones[f] = node.counter.both(f)[f];
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
  }
  void bound_by_parent(Node& node, const Budget& budget) {
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
  // A lower bound on one child bounds the children of all columns.
  void tell_siblings(Node& node, std::size_t f, std::size_t side, std::size_t place, Value lower) {
    if (!switches_.siblings || lower <= 0) return;
    const std::size_t m = node.view.width();
    const Value* both = node.counter.both(f);
    const Value size = side ? node.ones[f] : node.view.weight - node.ones[f];
    // What holds for so many inner nodes holds for fewer. Up to two are known.
    for (std::size_t p = place + 1; p-- > 0 && (node.inner[p] > 2 || node.inner[p] == kPriced);) {
      Value* low_none = node.low.data() + node.at(0, p, 0);
      Value* low_one = node.low.data() + node.at(1, p, 0);
      for (std::size_t g = 0; g < m; ++g) {
        const Value inside = side ? both[g] : node.ones[g] - both[g];  // of this child, with g = 1
        low_one[g] = std::max(low_one[g], lower - price_.unit * (size - inside));
        low_none[g] = std::max(low_none[g], lower - price_.unit * inside);
      }
      work_ += m / 4;
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

  // Raises the bounds of one child until it is solved, or reaches `limit`.
  Task refine(Node& node, const Budget& budget, std::size_t f, std::size_t side, std::size_t place,
              Value limit, bool may_put_off) {
    const std::size_t at = node.at(side, place, f);
    const Budget below = child_budget(budget, node.inner[place]);
    node.child_rows.resize(table_.words());
    node.view.child_rows(table_, f, side, node.child_rows.data());
    work_ += table_.words() / 8 + 1;
    Bounds bounds;
    if (switches_.cache) {
      bounds = facts_.look(node.child_rows.data(), below);
      node.low[at] = std::max(node.low[at], bounds.lower);
      node.high[at] = std::min(node.high[at], bounds.upper);
      if (node.low[at] >= std::min(limit, node.high[at])) co_return;
    }
    if (switches_.similar) {
      const Value value = similar_.look(node.child_rows.data(), below, limit, price_.unit);
      work_ += switches_.kept * table_.words() / 16;
      node.low[at] = std::max(node.low[at], value);
      if (node.low[at] >= std::min(limit, node.high[at])) co_return;
    }
    Membership::Claim claim;
    if (member_ && may_put_off) {
      const std::uint64_t part = hash_of(node.child_rows.data(), table_.words()) ^
                                 (static_cast<std::uint64_t>(below.inner) +
                                  (static_cast<std::uint64_t>(below.depth) << 32)) *
                                     0x9E3779B97F4A7C15u;
      node.put_off |= !claim.take(member_, part);
      if (node.put_off) co_return;
    }
    NodePool::Lease child(pool_);
    make_child(node, f, side, node.child_rows.data(), *child);
    co_await solve(*child, below, limit, bounds);
    node.low[at] = std::max(node.low[at], bounds.lower);
    node.high[at] = std::min(node.high[at], bounds.upper);
    tell_siblings(node, f, side, place, bounds.lower);
  }

  Task branch(Node& node, Budget budget, Value limit, Bounds& out) {
    share_out(node, budget);
    bound_children(node, budget);
    put_in_order(node);
    const Value leaf = price_.unit * node.view.leaf();
    out = {0, leaf};
    node.best = std::min(limit, leaf);
    bool any_put_off = false;
    for (const bool may_put_off : {true, false}) {
      if (may_put_off ? !member_ : member_ && !any_put_off) continue;
      for (const std::int32_t column : node.order) {
        const auto f = static_cast<std::size_t>(column);
        // The side with less weight first.
        const std::size_t first = 2 * node.ones[f] <= node.view.weight ? 1 : 0;
        for (const auto& share : node.shares) {
          const std::size_t at[2] = {node.at(0, share.place[0], f), node.at(1, share.place[1], f)};
          node.put_off = false;
          for (const std::size_t side : {first, 1 - first}) {
            const Value most = node.best - price_.inner - node.low[at[1 - side]];
            if (node.low[at[side]] >= most) break;
            if (node.low[at[side]] >= node.high[at[side]]) continue;
            co_await refine(node, budget, f, side, share.place[side], most, may_put_off);
            if (node.put_off) break;
          }
          any_put_off |= node.put_off;
          const Value sum = node.low[at[0]] + node.low[at[1]] + price_.inner;
          if (node.put_off || sum >= node.best) continue;
          // Neither side reached its limit, so both are solved.
          node.best = sum;
          const bool flip = node.view.flipped[f];
          out = {0,
                 sum,
                 node.view.ids[f],
                 node.inner[share.place[flip]],
                 node.inner[share.place[!flip]],
                 node.low[at[flip]]};
        }
        work_ += node.shares.size();
      }
    }
    if (out.upper <= node.best) {
      out.lower = out.upper;
      co_return;
    }
    out.lower = leaf;
    for (std::size_t f = 0; f < node.view.width(); ++f) {
      for (const auto& share : node.shares) {
        const Value sum =
            node.low[node.at(0, share.place[0], f)] + node.low[node.at(1, share.place[1], f)];
        out.lower = std::min(out.lower, sum + price_.inner);
      }
    }
    out.lower = std::max(out.lower, std::min(node.best, out.upper));
  }

  const Table& table_;
  Switches switches_;
  const Kernels& kernels_;
  Runner* runner_ = nullptr;
  Price price_;
  bool priced_ = false;
  Facts facts_;
  SimilarSets similar_;
  NodePool pool_;
  Membership member_;
  std::uint64_t work_ = 0;
};

}  // namespace dtfinder::front
