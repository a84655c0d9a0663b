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
// with k splits costs at least k prices, so where three of them reach the best or the limit, pairs
// decide, and triples where four do.
//
// `solve` proves E(S) >= limit or finds E(S) < limit; either way its bounds are true.
#pragma once

#include "front/child_bounds.hpp"
#include "front/fact_messages.hpp"
#include "front/similar.hpp"

namespace dtfinder::front {

class Search {
 public:
  Search(const Table& table, const Switches& switches)
      : table_(table),
        switches_(switches),
        kernels_(switches.kernel < 0 ? best_kernels()
                                     : kernels(static_cast<Machine>(switches.kernel))),
        facts_(table.words()),
        similar_(table, kernels_, switches.kept) {
    if (switches_.proof) lemmas_ = std::make_unique<ErrorLemmas>();
    children_.prove(lemmas_.get());
  }

  Runner& runner() { return *runner_; }
  void use(Runner& runner) { runner_ = &runner; }
  std::uint64_t steps() const { return work_ / kWorkPerStep; }
  std::size_t bytes() const { return facts_.bytes() + similar_.bytes() + pool_.bytes(); }
  const Table& table() const { return table_; }
  const Switches& switches() const { return switches_; }
  Facts& facts() { return facts_; }
  NodePool& pool() { return pool_; }
  const Price& price() const { return price_; }
  ErrorLemmas* lemmas() const { return lemmas_.get(); }  // the proof log, or null
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
    node.view.make(table_, kernels_);
    begin(node);
    node.path = 0;
  }
  // A node for the same rows, without its counts.
  void make_copy(const Node& from, Node& node) {
    node.view = from.view;
    begin(node);
    node.path = from.path;
  }
  void make_child(const Node& parent, std::size_t f, bool side, const Word* rows, Node& child) {
    child.view.make(parent.view, f, side, rows, table_, kernels_);
    begin(child);
    if (lemmas_) child.path = path_of(parent, f, side);
    work_ += child.view.work();
  }

  void make_thin(const Node& from, const std::vector<std::size_t>& columns, Node& node) {
    node.view.make_thin(from.view, columns);
    begin(node);
    work_ += node.view.work();
  }

  Task count(Node& node, bool triples) {
    while (!node.counter.count_pairs(kPiece, work_)) co_await Yield{*runner_};
    while (triples && !node.counter.count_triples(kPiece, work_)) co_await Yield{*runner_};
  }

  // For this node `solve` ends with the first tree that undercuts the limit, with a lower bound of
  // 0.
  void watch(const Node* node) { watched_ = node; }

  // Fills `out` with bounds on the set of `node`: lower >= limit, or lower = upper.
  Task solve(Node& node, Budget budget, Value limit, Bounds& out) {
    const std::uint64_t before = steps();
    const Value leaf = price_.unit * node.view.leaf();
    out = {std::min(leaf, price_.inner), leaf};
    if (node.view.width() == 0 || budget.depth == 0 || budget.inner == 0 || leaf <= price_.inner) {
      out.lower = leaf;
      if (lemmas_) out.lemma = lemmas_->counted(node.path, budget, leaf);
      co_return;
    }
    co_await count(node, false);
    Value found = price_.counted(node, budget);
    Value beyond = price_.beyond_pairs(budget);  // trees that are not counted
    bool decided = beyond >= std::min(found, limit);
    if (!decided && switches_.chains && node.counter.may_have_triples() &&
        !node.counter.has_triples() && price_.three_decide(budget, std::min(found, limit))) {
      // Trees of three inner nodes count below these errors.
      const Value below = std::min(found, limit), three = 3 * price_.inner;
      const Value errors = (below - three + price_.unit - 1) / price_.unit;
      if (node.counter.begin_chains(errors, work_)) {
        while (!node.counter.count_chains(errors, kPiece, work_)) co_await Yield{*runner_};
        found = std::min(found, price_.unit * node.counter.chains() + three);
        beyond = below;
        decided = true;
      }
    }
    if (!decided && node.counter.may_have_triples() &&
        (switches_.triples || price_.beyond_triples(budget) >= std::min(found, limit))) {
      co_await count(node, true);
      found = price_.counted(node, budget);
      beyond = price_.beyond_triples(budget);
      decided = beyond >= std::min(found, limit);
    }
    if (decided) {
      out = {std::min(found, beyond), found};
      if (lemmas_) out.lemma = lemmas_->counted(node.path, budget, out.lower);
    } else {
      co_await branch(node, budget, limit, out);
      if (lemmas_ && out.lower > 0) out.lemma = children_.note_split(node, budget, out.lower);
    }
    if (switches_.cache) {
      if (decided && node.counter.has_triples() && budget.inner != kPriced) {
        facts_.note_curve(node.view.rows.data(), node.counter.curve());
      } else {
        facts_.note(node.view.rows.data(), budget, out);
      }
    }
    if (switches_.similar) similar_.note(node.view.rows.data(), budget, out);
    if (member_ && steps() - before >= kWorthSharing) {
      member_.share({node.view.rows, budget, out, steps() - before});
    }
  }

  Member& member() { return member_; }
  // Takes in what other engines have proven; hands what is said of all rows to `take`.
  template <class Take>
  void receive(const std::vector<Word>& all, Take&& take) {
    member_.read([&](const SharedFact& shared) {
      if ((shared.budget.inner == kPriced) != priced_) return;
      if (lemmas_ && shared.bounds.lemma == kNoLemma) return;  // its proof is elsewhere
      if (switches_.cache) facts_.note(shared.rows.data(), shared.budget, shared.bounds);
      if (switches_.similar) similar_.note(shared.rows.data(), shared.budget, shared.bounds);
      if (shared.rows == all) take(shared.budget, shared.bounds);
    });
  }

  // The same for a budget that counts do not decide, on a node with counts. Asked again with a
  // lower limit, it goes on from the bounds that it had.
  Task branch(Node& node, Budget budget, Value limit, Bounds& out) {
    if (node.begun != budget) children_.begin(node, budget);
    node.begun = budget;
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
          if (&node == watched_) co_return;
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

 private:
  static constexpr std::uint64_t kWorthSharing = 1000;  // steps
  static constexpr std::uint64_t kWorkPerStep = 20;
  static constexpr std::uint64_t kPiece = 200 * kWorkPerStep;

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
      if (lemmas_ && bounds.lower > node.low[at] && bounds.lemma == kNoLemma)
        bounds.lemma = lemmas_->counted(path_of(node, f, side), below, bounds.lower);
      raise(node, at, bounds);
      node.high[at] = std::min(node.high[at], bounds.upper);
      if (node.low[at] >= std::min(limit, node.high[at])) co_return;
    }
    if (switches_.similar) {
      const Bounds found = similar_.look(node.child_rows.data(), below, limit, price_.unit);
      work_ += switches_.kept * table_.words() / 16;
      raise(node, at, found);
      if (node.low[at] >= std::min(limit, node.high[at])) co_return;
    }
    Member::Claim claim;
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
    raise(node, at, bounds);
    node.high[at] = std::min(node.high[at], bounds.upper);
    children_.tell_siblings(node, f, side, place, bounds, work_);
  }
  void raise(Node& node, std::size_t at, const Bounds& bounds) const {
    if (bounds.lower <= node.low[at]) return;
    node.low[at] = bounds.lower;
    if (lemmas_) node.why[at] = bounds.lemma;
  }
  PathId path_of(const Node& node, std::size_t f, bool side) const {
    return lemmas_->path(node.path, node.view.ids[f],
                         side != static_cast<bool>(node.view.flipped[f]));
  }

  // A node with a view, about which nothing else is known.
  void begin(Node& node) const {
    node.counter.begin(node.view, kernels_, switches_);
    node.begun = {Node::kNone, 0};
  }

  const Table& table_;
  Switches switches_;
  const Kernels& kernels_;
  const Node* watched_ = nullptr;
  Runner* runner_ = nullptr;
  Price price_;
  bool priced_ = false;
  Facts facts_;
  SimilarSets similar_;
  ChildBounds children_{switches_, price_, facts_};
  NodePool pool_;
  Member member_;
  std::unique_ptr<ErrorLemmas> lemmas_;
  std::uint64_t work_ = 0;
};

}  // namespace dtfinder::front
