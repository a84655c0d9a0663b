// Trees as flat lists of nodes, and the surgery that improving them needs.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

namespace dtfinder {

// Nodes of a tree, root first. A leaf has feature -1.
struct TreeNode {
  std::int32_t feature = -1, zero = -1, one = -1, label = -1;
};
using TreeNodes = std::vector<TreeNode>;

inline int inner_nodes(const TreeNodes& tree) { return static_cast<int>(tree.size() / 2); }
inline int depth_of(const TreeNodes& tree) {
  assert(!tree.empty());
  int deepest = 0;
  std::vector<std::pair<std::int32_t, int>> todo{{0, 0}};
  while (!todo.empty()) {
    const auto [at, depth] = todo.back();
    todo.pop_back();
    deepest = std::max(deepest, depth);
    if (tree[static_cast<std::size_t>(at)].feature < 0) continue;
    todo.emplace_back(tree[static_cast<std::size_t>(at)].zero, depth + 1);
    todo.emplace_back(tree[static_cast<std::size_t>(at)].one, depth + 1);
  }
  return deepest;
}

// Splits the leaf at `node`. Returns its zero side, a new leaf; the one side comes right after it.
inline std::int32_t split(TreeNodes& tree, std::int32_t node, std::int32_t feature) {
  assert(node >= 0 && static_cast<std::size_t>(node) < tree.size() && feature >= 0);
  const auto zero = static_cast<std::int32_t>(tree.size());
  tree[static_cast<std::size_t>(node)] = {feature, zero, zero + 1, -1};
  tree.resize(tree.size() + 2);
  return zero;
}

// Puts `part` in the place of the leaf or subtree at `node`; nodes that fall away stay unused.
inline void graft(TreeNodes& tree, std::int32_t node, const TreeNodes& part) {
  assert(node >= 0 && static_cast<std::size_t>(node) < tree.size() && !part.empty());
  const auto base = static_cast<std::int32_t>(tree.size());
  auto moved = [&](TreeNode n) {
    if (n.feature >= 0) {
      n.zero += base - 1;
      n.one += base - 1;
    }
    return n;
  };
  tree[static_cast<std::size_t>(node)] = moved(part[0]);
  for (std::size_t i = 1; i < part.size(); ++i) tree.push_back(moved(part[i]));
}

// The tree without nodes that nothing leads to.
inline TreeNodes compacted(const TreeNodes& tree) {
  assert(!tree.empty());
  TreeNodes out;
  std::vector<std::pair<std::int32_t, std::int32_t>> todo;  // old node, new place
  out.push_back(tree[0]);
  todo.emplace_back(0, 0);
  while (!todo.empty()) {
    const auto [old, place] = todo.back();
    todo.pop_back();
    const TreeNode at = tree[static_cast<std::size_t>(old)];
    if (at.feature < 0) continue;
    const std::int32_t next = split(out, place, at.feature);
    out[static_cast<std::size_t>(next)] = tree[static_cast<std::size_t>(at.zero)];
    out[static_cast<std::size_t>(next) + 1] = tree[static_cast<std::size_t>(at.one)];
    todo.emplace_back(at.one, next + 1);
    todo.emplace_back(at.zero, next);
  }
  return out;
}

}  // namespace dtfinder
