// What a run knows: the best trees by size, proven bounds, and the state that its users see.
#pragma once

#include "front/error_proof.hpp"
#include "front/front_engine.hpp"
#include "front/trees.hpp"

namespace dtfinder::front {

class Known : public Engine {
 public:
  const State& state() const override { return state_; }
  TreeNodes tree(int inner) const override { return trees_.entry(std::max(inner, 0)).tree; }

 protected:
  Known(const RawWeights& raw, const Goal& goal)
      : rows_(raw.rows),
        table_(raw),
        goal_(goal),
        max_inner_(std::min(goal.max_inner, largest(goal.max_depth))),
        trees_(table_, goal.max_inner, goal.max_depth),
        lower_(1, 0) {}

  static int largest(int depth) { return depth < 28 ? (1 << depth) - 1 : kUnlimited; }

  Value lower(int inner) const {
    const auto n = static_cast<std::size_t>(inner);
    return n < lower_.size() ? std::max(lower_[n], table_.least_errors()) : table_.least_errors();
  }
  void note_lower(int inner, Value errors) {
    if (errors <= 0 || inner < 0) return;
    const int last = std::min(inner, std::max(trees_.sizes(), std::min(max_inner_ + 1, 4096)) - 1);
    if (static_cast<std::size_t>(last) >= lower_.size())
      lower_.resize(static_cast<std::size_t>(last) + 1, 0);
    for (int n = last; n >= 0 && lower_[static_cast<std::size_t>(n)] < errors; --n) {
      lower_[static_cast<std::size_t>(n)] = errors;
      changed_ = true;
    }
    if (inner >= max_inner_) all_lower_ = std::max(all_lower_, errors);
  }
  Value cost_of(Value errors, int inner) const {
    return goal_.error_price * (errors + table_.unavoidable()) + goal_.leaf_price * (inner + 1);
  }

  // Brings the state up to date.
  void publish() {
    if (trees_.version() == seen_ && !changed_) return;
    seen_ = trees_.version();
    changed_ = false;
    if (goal_.kind == Goal::kFront) {
      std::vector<Point> points;
      for (int n = 0; n < trees_.sizes() && n <= max_inner_; ++n) {
        const Value upper = trees_.errors(n);
        points.push_back({n, lower(n) + table_.unavoidable(), upper + table_.unavoidable()});
        if (upper <= table_.least_errors()) break;
      }
      if (!same(points, state_.points)) {
        state_.points = std::move(points);
        ++state_.version;
      }
      return;
    }
    choose_best();
    ++state_.version;
  }
  static bool same(const std::vector<Point>& a, const std::vector<Point>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Point& x, const Point& y) {
      return x.lower == y.lower && x.upper == y.upper;
    });
  }
  void choose_best() {
    auto key = [&](const Trees::Entry& entry) {
      const Value inner = inner_nodes(entry.tree), depth = entry.depth;
      const Value first = goal_.kind == Goal::kErrors ? entry.errors
                          : goal_.kind == Goal::kCost
                              ? cost_of(entry.errors, static_cast<int>(inner))
                              : 0;
      const bool deep = goal_.depth_first;
      return std::array<Value, 4>{first, deep ? depth : inner, deep ? inner : depth, entry.errors};
    };
    auto consider = [&](const Trees& trees) {
      for (int n = 0; n < trees.sizes(); ++n) {
        const auto& entry = trees.entry(n);
        if (inner_nodes(entry.tree) != n) continue;
        if (goal_.kind == Goal::kSize && entry.errors + table_.unavoidable() > goal_.max_errors)
          continue;
        const auto found = key(entry);
        if (!state_.tree.empty() && found >= best_key_) continue;
        best_key_ = found;
        state_.tree = entry.tree;
        state_.best = {entry.errors + table_.unavoidable(), cost_of(entry.errors, n), n,
                       entry.depth};
      }
    };
    consider(trees_);
    if (shallow_) consider(*shallow_);
    state_.lower.errors = table_.unavoidable() + std::max<Value>(all_lower_, 0);
  }
  void finish(bool infeasible = false) {
    publish();
    if (!infeasible && goal_.kind != Goal::kFront) {
      const int depth = state_.lower.depth;
      if (goal_.smallest) state_.lower = state_.best;
      // Of the smallest trees this need not be the shallowest.
      if (!goal_.depth_first) state_.lower.depth = depth;
      state_.lower.errors = state_.best.errors;
    }
    state_.done = true;
    state_.infeasible = infeasible;
    ++state_.version;
  }
  // What a run that is done claims of all rows, in errors; the largest budgets first.
  std::vector<ErrorProof::Claim> claims() const {
    std::vector<ErrorProof::Claim> made;
    auto add = [&](int inner, int depth, Value errors) {
      if (inner > 0 && depth > 0 && errors > table_.least_errors())
        made.push_back({simplest({inner, depth}), errors});
    };
    if (goal_.kind == Goal::kFront) {
      // The last point stands for all larger sizes within the limits.
      add(max_inner_, goal_.max_depth, all_lower_);
      for (std::size_t n = lower_.size(); n-- > 0;)
        add(static_cast<int>(n), goal_.max_depth, lower(static_cast<int>(n)));
      return made;
    }
    const Value best = state_.best.errors - table_.unavoidable();
    const Value target = goal_.kind == Goal::kSize ? goal_.max_errors - table_.unavoidable() : best;
    if (state_.infeasible) add(max_inner_, goal_.max_depth, target + 1);
    if (state_.infeasible) return made;
    if (goal_.kind == Goal::kErrors) add(max_inner_, goal_.max_depth, best);
    if (goal_.kind == Goal::kErrors && !goal_.smallest) return made;
    const int depth = goal_.depth_first ? state_.best.depth : goal_.max_depth;
    if (goal_.depth_first) add(max_inner_, depth - 1, target + 1);
    add(state_.best.inner - 1, depth, target + 1);
    return made;
  }
  void raise(int inner, int depth) {
    if (inner <= state_.lower.inner && depth <= state_.lower.depth) return;
    state_.lower.inner = std::max(state_.lower.inner, inner);
    state_.lower.depth = std::max(state_.lower.depth, depth);
    ++state_.version;
  }

  std::size_t rows_;  // of the caller's table
  Table table_;
  Goal goal_;
  int max_inner_;
  Trees trees_;
  std::unique_ptr<Trees> shallow_;
  State state_;
  std::array<Value, 4> best_key_{};
  std::vector<Value> lower_;  // by inner nodes; without the unavoidable errors
  Value all_lower_ = 0;       // for all trees within the limits
  bool changed_ = true;
  std::uint64_t seen_ = 0;  // version of the trees
};

}  // namespace dtfinder::front
