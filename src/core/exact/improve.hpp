// Upper bounds: better trees while the lower bound climbs.
//
// Starts from greedy trees by several criteria. Then it walks over the best tree's subtrees, the
// small ones first, and re-solves each exactly for its own examples, with a budget of steps that
// doubles from round to round; a smaller subtree takes the old one's place. Between rounds whole
// trees are grown with look-ahead (lookahead.hpp), which knows all subtrees found so far; under a
// depth limit, and for tables too large for that, other roots are tried at every node instead,
// completed greedily. What the exact searches prove on the way stays in the store and the cache,
// for the lower bound to use, and the other way round.
#pragma once

#include "exact/greedy.hpp"
#include "exact/lookahead.hpp"
#include "exact/search.hpp"

namespace dtfinder {

template <int W>
class Improver {
 public:
  Improver(Search<W>& search, int limit)
      : search_(search),
        facts_(search.facts()),
        examples_(search.examples()),
        limit_(limit),
        greedy_(search),
        lookahead_(search) {}

  const TreeNodes& best() const { return best_; }
  bool has_tree() const { return !best_.empty(); }
  int upper() const { return has_tree() ? inner_nodes(best_) : kUnknown; }
  Runner& runner() { return search_.runner(); }
  std::uint64_t version() const { return version_; }
  std::size_t bytes() const { return lookahead_.bytes(); }

  // Takes `tree` if it is within the limit and smaller than the best.
  bool offer(const TreeNodes& tree) {
    if (tree.empty() || inner_nodes(tree) >= upper() || depth_of(tree) > limit_) return false;
    best_ = tree;
    ++version_;
    return true;
  }

  Task greedy_start(Criterion by) {
    TreeNodes tree;
    bool fits = false;
    co_await greedy_.grow(examples_.all(), by, limit_, tree, fits);
    if (fits) offer(tree);
  }

  // Improves until the root's subproblem is solved; `inner` runs the exact searches.
  Task improve(Runner& outer, Runner& inner) {
    std::uint64_t budget = 500;
    for (bool more = true; more && has_tree() && !solved(); budget *= 2) {
      attempts_ = 0;
      co_await resolve_round(outer, inner, budget);
      if (can_look_ahead()) {
        co_await look_ahead(budget);
      } else {
        co_await other_roots(budget);
      }
      facts_.spend(10);
      more = attempts_ > 0 || budget < kWidest || can_look_ahead();
      co_await Yield{outer};
    }
  }
  bool solved() const { return solved_; }
  void set_solved() { solved_ = true; }

  // The tree that the facts about `s` describe. Facts that were dropped are found again.
  Task build(Layer<W>& layer, Subproblem<W>& top, TreeNodes& tree) {
    struct Open {
      Subproblem<W>* s;
      std::int32_t node;
    };
    std::vector<std::unique_ptr<Subproblem<W>>> made;
    std::vector<Open> open{{&top, 0}};
    tree.assign(1, {});
    while (!open.empty()) {
      const Open at = open.back();
      open.pop_back();
      while (!at.s->fact.settled()) co_await search_.raise(layer, *at.s);
      if (at.s->fact.upper == 0) {
        tree[static_cast<std::size_t>(at.node)].label = examples_.common_class(at.s->examples);
        continue;
      }
      const auto f = static_cast<std::size_t>(at.s->fact.feature);
      const std::int32_t next = split(tree, at.node, at.s->fact.feature);
      for (int one = 0; one < 2; ++one) {
        made.push_back(std::make_unique<Subproblem<W>>(side_of(examples_, *at.s, f, one != 0)));
        facts_.look(layer, *made.back(), at.s->examples);
        open.push_back({made.back().get(), next + one});
      }
    }
    for (auto& each : made) search_.release(layer, *each);
  }

  // Raises the bound of `s` until it is solved, reaches `size`, or the budget is spent.
  Task attempt(Runner& outer, Runner& inner, Subproblem<W>& s, int size, std::uint64_t budget) {
    const std::uint64_t end = facts_.steps() + budget;
    while (!s.fact.settled() && s.fact.lower < size && facts_.steps() < end) {
      search_.use(inner);
      Task task = search_.raise(facts_.size_layer(), s);
      task.start();
      while (!task.done()) {
        const std::uint64_t soon = std::min<std::uint64_t>(end, facts_.steps() + 2000);
        search_.use(inner);
        inner.run([&] { return facts_.steps() >= soon; });
        if (!task.done() && (facts_.steps() >= end || outer.cancelled)) inner.cancel();
        search_.use(outer);
        if (!task.done()) co_await Yield{outer};
      }
    }
    search_.use(outer);
  }

 private:
  struct Spot {
    std::int32_t node;
    std::int32_t parent;  // index of the parent's spot, -1 for the root
    int size;
  };
  using Path = std::vector<std::unique_ptr<Subproblem<W>>>;  // from the root down

  // The inner nodes of the best tree, smallest subtree first.
  std::vector<Spot> spots() const {
    std::vector<Spot> all;
    std::vector<std::pair<std::int32_t, std::int32_t>> todo{{0, -1}};
    while (!todo.empty()) {
      const auto [node, parent] = todo.back();
      todo.pop_back();
      const TreeNode& at = best_[static_cast<std::size_t>(node)];
      if (at.feature < 0) continue;
      all.push_back({node, parent, 1});
      const auto mine = static_cast<std::int32_t>(all.size()) - 1;
      todo.emplace_back(at.zero, mine);
      todo.emplace_back(at.one, mine);
    }
    for (std::size_t i = all.size(); i-- > 1;) {
      all[static_cast<std::size_t>(all[i].parent)].size += all[i].size;
    }
    return all;
  }
  // The subproblems from the root down to a spot, each the parent of the next.
  void walk_to(const std::vector<Spot>& all, std::size_t spot, Path& path) {
    std::vector<std::size_t> way;
    for (auto at = static_cast<std::int32_t>(spot); at >= 0;
         at = all[static_cast<std::size_t>(at)].parent) {
      way.push_back(static_cast<std::size_t>(at));
    }
    auto top = std::make_unique<Subproblem<W>>();
    top->examples = examples_.all();
    top->limit = limit_;
    give_twin(*top);
    path.push_back(std::move(top));
    for (std::size_t i = way.size() - 1; i-- > 0;) {
      const TreeNode& above = best_[static_cast<std::size_t>(all[way[i + 1]].node)];
      const bool one = above.one == all[way[i]].node;
      path.push_back(std::make_unique<Subproblem<W>>(
          side_of(examples_, *path.back(), static_cast<std::size_t>(above.feature), one)));
    }
  }
  void leave(Path& path) {
    while (!path.empty()) {
      search_.release(facts_.size_layer(), *path.back());
      path.pop_back();
    }
  }
  Task resolve_round(Runner& outer, Runner& inner, std::uint64_t budget) {
    for (bool again = true; again && !solved_;) {
      again = false;
      const std::vector<Spot> all = spots();
      std::vector<std::size_t> order(all.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return all[a].size < all[b].size; });
      for (std::size_t spot : order) {
        if (all[spot].size < 3 || spot == 0) continue;
        Path path;
        walk_to(all, spot, path);
        Subproblem<W>& s = *path.back();
        facts_.look(facts_.size_layer(), s, examples_.none());
        bool better = false;
        TreeNodes part;
        if (!(s.fact.solved() && s.fact.upper >= all[spot].size)) {
          ++attempts_;
          co_await attempt(outer, inner, s, all[spot].size, budget);
          if (s.fact.solved() && s.fact.upper < all[spot].size) {
            co_await build(facts_.size_layer(), s, part);
            better = true;
          }
        }
        leave(path);
        if (better) {
          splice(all[spot].node, part);
          again = true;
          break;
        }
      }
    }
  }
  // Tries other features at every node, each side completed by what is known or greedily.
  Task other_roots(std::uint64_t budget) {
    const std::size_t width = budget < 2000 ? 4 : budget < kWidest ? 12 : 40;
    for (std::size_t spot = 0; spot < spots().size() && !solved_; ++spot) {
      const std::vector<Spot> all = spots();
      if (all[spot].size < 4) continue;
      Path path;
      walk_to(all, spot, path);
      const Set<W> x = path.back()->examples;
      const int limit = path.back()->limit;
      leave(path);
      std::vector<std::pair<std::int64_t, std::size_t>> scored;
      for (std::size_t f = 0; f < examples_.features(); ++f) {
        const std::size_t ones = x.count_in(examples_.column(f));
        if (ones == 0 || ones == x.size()) continue;
        scored.emplace_back(-search_.gain().of(x, f), f);
      }
      facts_.spend(scored.size() / 4);
      std::sort(scored.begin(), scored.end());
      if (scored.size() > width) scored.resize(width);
      for (const auto& [score, f] : scored) {
        TreeNodes tree(1);
        split(tree, 0, static_cast<std::int32_t>(f));
        TreeNodes side[2];
        bool fits = true;
        for (int one = 0; one < 2 && fits; ++one) {
          const Set<W> part = one ? x & examples_.column(f) : x.without(examples_.column(f));
          co_await greedy_.grow(part, Criterion::kEntropy, limit - 1, side[one], fits);
        }
        if (!fits || inner_nodes(side[0]) + inner_nodes(side[1]) + 1 >= all[spot].size) continue;
        graft(tree, 1, side[0]);
        graft(tree, 2, side[1]);
        splice(all[spot].node, tree);
        break;
      }
    }
  }
  bool can_look_ahead() const {
    return limit_ >= kNoLimit && lookahead_.more() && lookahead_.affords(upper());
  }
  Task look_ahead(std::uint64_t budget) {
    lookahead_.learn(best_);
    TreeNodes tree;
    co_await lookahead_.round(kGrowing * budget, tree);
    offer(tree);
  }
  void splice(std::int32_t node, const TreeNodes& part) {
    TreeNodes tree = best_;
    graft(tree, node, part);
    offer(compacted(tree));
  }

  static constexpr std::uint64_t kWidest = 32000;  // budget from which on most roots are tried

  static constexpr std::uint64_t kGrowing = 40;  // steps of look-ahead for a step of the budget

  Search<W>& search_;
  Facts<W>& facts_;
  const ExampleTable<W>& examples_;
  int limit_;
  std::uint64_t attempts_ = 0;
  Greedy<W> greedy_;
  Lookahead<W> lookahead_;
  TreeNodes best_;
  std::uint64_t version_ = 0;
  bool solved_ = false;
};

}  // namespace dtfinder
