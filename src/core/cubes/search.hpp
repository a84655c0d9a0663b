// The best trees of depth up to three, and up to seven inner nodes, from the quadrants of all
// pairs.
//
// A side of the root f is the rows for which f holds, or those for which it does not. With one
// question g it falls into two quadrants, each of which is a leaf or is split once more:
//
//     side(f, 0) = leaf
//     side(f, 1) = min over g of leaf + leaf
//     side(f, 2) = min over g of leaf + split and of split + leaf
//     side(f, 3) = min over g of split + split
//
// and a tree of n inner nodes is a root f and two sides with n - 1 between them. A tree of up to
// three inner nodes is never deeper than three. All values are minima over *all* trees of their
// shape, so the least one is proven.
#pragma once

#include "cubes/pairs.hpp"
#include "shared/tree_nodes.hpp"

namespace dtfinder::cubes {

constexpr int kMostInner = 7, kMostDepth = 3;

class Trees {
 public:
  explicit Trees(const Pairs& pairs) : pairs_(pairs), layout_(pairs.layout()) {
    best_[0][0] = {pairs.leaf(), -1, 0, 0};
    for (int f = 0; f < layout_.features; ++f) take_root(f);
    for (int depth = 0; depth <= layout_.depth; ++depth) {
      for (int inner = 0; inner <= kMostInner; ++inner) {
        Best& best = best_[at(depth)][at(inner)];
        // What fewer nodes or less depth can do, this size can do as well.
        if (depth > 0 && best_[at(depth - 1)][at(inner)].errors <= best.errors)
          best = best_[at(depth - 1)][at(inner)];
        if (inner > 0 && best_[at(depth)][at(inner - 1)].errors <= best.errors)
          best = best_[at(depth)][at(inner - 1)];
      }
    }
  }

  // The fewest errors of a tree within both limits, which the layout must allow.
  Count errors(int depth, int inner) const { return best_[at(depth)][at(inner)].errors; }
  // The tree that has them, of as few nodes as can be, then of least depth. Its leaves have no
  // class.
  TreeNodes tree(int depth, int inner) const {
    const Best& best = best_[at(depth)][at(inner)];
    TreeNodes tree(1);
    if (best.root < 0) return tree;
    split(tree, 0, best.root);
    for (int holds = 0; holds < 2; ++holds)
      grow(tree, holds + 1, side_of(best.root, holds)[at(holds ? best.one : best.zero)], best.root,
           holds);
    return tree;
  }

 private:
  static constexpr Count kNever = std::numeric_limits<Count>::max() / 4;
  // The best side of a size: the question g, and which of its two quadrants are split.
  struct Side {
    Count errors = kNever;
    int g = -1;
    std::array<bool, 2> splits{};
  };
  using Sides = std::array<Side, 4>;
  struct Best {
    Count errors = kNever;
    int root = -1, zero = 0, one = 0;  // the inner nodes of both sides
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  const Quadrant& quadrant(int f, int f_holds, int g, int g_holds) const {
    return f < g ? pairs_.pair(f, g)[at(2 * f_holds + g_holds)]
                 : pairs_.pair(g, f)[at(2 * g_holds + f_holds)];
  }
  Sides side_of(int f, int holds) const {
    Sides sides;
    sides[0].errors = pairs_.single(f)[at(holds)];
    if (layout_.depth < 2) return sides;
    for (int g = 0; g < layout_.features; ++g) {
      if (g == f) continue;
      const Quadrant &zero = quadrant(f, holds, g, 0), &one = quadrant(f, holds, g, 1);
      const auto take = [&](std::size_t inner, Count errors, bool split_zero, bool split_one) {
        if (errors < sides[inner].errors) sides[inner] = {errors, g, {split_zero, split_one}};
      };
      take(1, zero.leaf + one.leaf, false, false);
      if (layout_.depth < 3) continue;
      take(2, zero.best + one.leaf, true, false);
      take(2, zero.leaf + one.best, false, true);
      take(3, zero.best + one.best, true, true);
    }
    return sides;
  }
  void take_root(int f) {
    if (layout_.depth < 1) return;
    const Sides zero = side_of(f, 0), one = side_of(f, 1);
    for (int a = 0; a < 4; ++a) {
      for (int b = 0; b < 4; ++b) {
        const int widest = a > b ? a : b, depth = widest == 0 ? 1 : widest == 1 ? 2 : 3;
        if (zero[at(a)].errors == kNever || one[at(b)].errors == kNever) continue;
        Best& best = best_[at(depth)][at(a + b + 1)];
        const Count errors = zero[at(a)].errors + one[at(b)].errors;
        if (errors < best.errors) best = {errors, f, a, b};
      }
    }
  }
  void grow(TreeNodes& tree, std::int32_t node, const Side& side, int f, int holds) const {
    if (side.g < 0) return;
    const std::int32_t first = split(tree, node, side.g);
    for (int g_holds = 0; g_holds < 2; ++g_holds) {
      const int third = quadrant(f, holds, side.g, g_holds).third;
      if (side.splits[at(g_holds)] && third >= 0) split(tree, first + g_holds, third);
    }
  }

  const Pairs& pairs_;
  const Layout& layout_;
  std::array<std::array<Best, kMostInner + 1>, kMostDepth + 1> best_;
};

}  // namespace dtfinder::cubes
