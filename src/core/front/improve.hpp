// Better trees: greedy ones, pruned to every size, and parts of trees solved anew.
//
// For every node of a tree there is a curve: the least errors for each number of inner nodes when
// the subtree there is pruned, or replaced by the best tree that counting finds for its rows (up to
// three inner nodes of any shape, up to seven at depth three). Curves of two children add up to
// that of their parent: for each share of the inner nodes, the least sum. The curve of the root is
// a whole front of trees, and where it undercuts what was known, the tree is put together and
// offered.
#pragma once

#include "build.hpp"
#include "trees.hpp"

namespace dtfinder::front {

class Improver {
 public:
  Improver(Search& search, Trees& trees, int max_inner, int max_depth)
      : search_(search), trees_(trees), max_inner_(max_inner), max_depth_(max_depth) {}

  Runner& runner() { return search_.runner(); }

  // Grows a tree by Gini impurity and takes it for every size.
  Task start(Node& root) {
    TreeNodes tree{{-1, -1, -1, 0}};
    least_errors_ = std::max<Value>(1, root.view.leaf() / 1000);
    co_await grow(root, tree, 0, max_depth_);
    co_await resolve(root, std::move(tree));
  }
  // Solves parts of the best trees anew, from `from` inner nodes on, until none gets better.
  Task improve(Node& root, const int& from) {
    for (;;) {
      const int chosen = next_size(from);
      if (chosen < 0) co_return;
      trees_.entry(chosen).resolved = true;
      TreeNodes tree = trees_.entry(chosen).tree;
      co_await resolve(root, std::move(tree));
    }
  }
  bool idle(int from) const { return next_size(from) < 0; }

 private:
  struct Curve {
    std::vector<Value> errors;  // by number of inner nodes
    std::vector<std::int32_t>
        choice;  // kLeaf, kCounted, or the inner nodes where the feature is zero
  };
  static constexpr std::int32_t kLeaf = -1, kCounted = -2;
  static constexpr int kReach = 24;  // sizes beyond the one that is searched

  int next_size(int from) const {
    const int last = std::min(trees_.sizes() - 1, from + kReach);
    for (int n = std::min(from, last); n <= last; ++n) {
      const auto& entry = trees_.entry(n);
      if (n > 3 && !entry.resolved && inner_nodes(entry.tree) == n) return n;
    }
    return -1;
  }

  Task grow(Node& node, TreeNodes& tree, std::int32_t at, int depth) {
    const View& view = node.view;
    if (depth == 0 || view.width() == 0 || view.leaf() < least_errors_) co_return;
    std::size_t best = 0;
    double least = 0;
    for (std::size_t f = 0; f < view.width(); ++f) {
      double ones = 0, zeros = 0, one_squares = 0, zero_squares = 0;
      for (std::size_t c = 0; c < view.class_weight.size(); ++c) {
        const auto one = static_cast<double>(node.counter.single(c, f));
        const double zero = static_cast<double>(view.class_weight[c]) - one;
        ones += one;
        zeros += zero;
        one_squares += one * one;
        zero_squares += zero * zero;
      }
      const double impurity = ones - one_squares / ones + zeros - zero_squares / zeros;
      if (f == 0 || impurity < least) {
        best = f;
        least = impurity;
      }
    }
    const auto next = static_cast<std::int32_t>(tree.size());
    tree.resize(tree.size() + 2, {-1, -1, -1, 0});
    tree[static_cast<std::size_t>(at)] = {view.ids[best], next, next + 1, -1};
    for (int side = 0; side < 2; ++side) {
      NodePool::Lease child(search_.pool());
      make_child(node, best, side, *child);
      const bool one = (side != 0) != static_cast<bool>(view.flipped[best]);
      co_await Yield{search_.runner()};
      co_await grow(*child, tree, one ? next + 1 : next, depth == kUnlimited ? depth : depth - 1);
    }
  }
  void make_child(const Node& node, std::size_t f, bool side, Node& child) {
    std::vector<Word> rows(node.view.rows.size());
    node.view.child_rows(search_.table(), f, side, rows.data());
    search_.make_child(node, f, side, rows.data(), child);
  }

  Task resolve(Node& root, TreeNodes tree) {
    std::vector<Curve> curves(tree.size());
    co_await draw(root, tree, 0, max_depth_, curves);
    const Curve& curve = curves[0];
    for (std::size_t n = 0; n < curve.errors.size(); ++n) {
      if (n > 0 && curve.errors[n] >= curve.errors[n - 1]) continue;
      if (curve.errors[n] >= trees_.errors(static_cast<int>(n))) continue;
      TreeNodes made(1);
      co_await assemble(root, tree, 0, max_depth_, curves, n, made, 0);
      trees_.offer(std::move(made));
    }
  }
  static int below(int depth) { return depth == kUnlimited ? depth : depth - 1; }

  Task draw(Node& node, const TreeNodes& tree, std::int32_t at, int depth,
            std::vector<Curve>& curves) {
    Curve& curve = curves[static_cast<std::size_t>(at)];
    const Value leaf = node.view.leaf();
    curve.errors = {leaf};
    curve.choice = {kLeaf};
    if (leaf == 0 || depth == 0 || node.view.width() == 0) co_return;
    co_await search_.count(node, depth > 2);
    for (std::size_t k = 1; k <= (depth > 2 ? 7u : depth == 2 ? 3u : 1u); ++k) {
      const Value errors = depth == 2 && k == 3 ? node.counter.flat() : node.counter.whole(k);
      put(curve, k, errors, kCounted);
    }
    const TreeNode split = tree[static_cast<std::size_t>(at)];
    if (split.feature < 0) co_return;
    const std::size_t f = builder_.column_of(node, split.feature);
    if (f == node.view.width()) co_return;
    const bool flipped = builder_.is_flipped(node, f, split.feature);
    for (int side = 0; side < 2; ++side) {
      NodePool::Lease child(search_.pool());
      make_child(node, f, side, *child);
      co_await draw(*child, tree, (side != 0) != flipped ? split.one : split.zero, below(depth),
                    curves);
    }
    const Curve& zero = curves[static_cast<std::size_t>(split.zero)];
    const Curve& one = curves[static_cast<std::size_t>(split.one)];
    for (std::size_t a = 0; a < zero.errors.size(); ++a) {
      for (std::size_t b = 0; b < one.errors.size(); ++b) {
        if (a + b + 1 > static_cast<std::size_t>(max_inner_)) break;
        put(curve, a + b + 1, zero.errors[a] + one.errors[b], static_cast<std::int32_t>(a));
      }
    }
  }
  static void put(Curve& curve, std::size_t k, Value errors, std::int32_t choice) {
    while (curve.errors.size() <= k) {
      curve.errors.push_back(kNever);
      curve.choice.push_back(kLeaf);
    }
    if (errors >= curve.errors[k]) return;
    curve.errors[k] = errors;
    curve.choice[k] = choice;
  }

  Task assemble(Node& node, const TreeNodes& tree, std::int32_t at, int depth,
                const std::vector<Curve>& curves, std::size_t inner, TreeNodes& out,
                std::int32_t place) {
    const Curve& curve = curves[static_cast<std::size_t>(at)];
    const std::int32_t choice = curve.choice[inner];
    if (choice < 0) {
      const Budget budget = simplest({choice == kLeaf ? 0 : static_cast<int>(inner), depth});
      const Price& price = search_.price();
      const Value value =
          price.unit * curve.errors[inner] + price.inner * static_cast<Value>(inner);
      co_await builder_.build(node, counted_budget(budget, inner), value, out, place);
      co_return;
    }
    const TreeNode split = tree[static_cast<std::size_t>(at)];
    const auto next = static_cast<std::int32_t>(out.size());
    out.resize(out.size() + 2);
    out[static_cast<std::size_t>(place)] = {split.feature, next, next + 1, -1};
    const std::size_t f = builder_.column_of(node, split.feature);
    const bool flipped = builder_.is_flipped(node, f, split.feature);
    for (int side = 0; side < 2; ++side) {
      NodePool::Lease child(search_.pool());
      make_child(node, f, side, *child);
      const bool one = (side != 0) != flipped;
      const std::size_t part =
          one ? inner - 1 - static_cast<std::size_t>(choice) : static_cast<std::size_t>(choice);
      co_await assemble(*child, tree, one ? split.one : split.zero, below(depth), curves, part, out,
                        one ? next + 1 : next);
    }
  }
  // Counting knows trees of more than three inner nodes at depth three only.
  static Budget counted_budget(const Budget& budget, std::size_t inner) {
    return inner > 3 ? Budget{budget.inner, 3} : budget;
  }

  Search& search_;
  Builder builder_{search_};
  Trees& trees_;
  int max_inner_, max_depth_;
  Value least_errors_ = 1;
};

}  // namespace dtfinder::front
