// The best tree of every size so far, each evaluated on all rows.
#pragma once

#include "front/table.hpp"

namespace dtfinder::front {

class Trees {
 public:
  struct Entry {
    Value errors = kNever;  // without the unavoidable ones
    int depth = 0;
    TreeNodes tree;         // its inner nodes may be fewer than the size
    bool resolved = false;  // what is around it has been searched
  };

  Trees(const Table& table, int max_inner, int max_depth)
      : table_(table), max_inner_(max_inner), max_depth_(max_depth) {}

  // The least errors known with up to `inner` inner nodes.
  Value errors(int inner) const { return entries_.empty() ? kNever : entry(inner).errors; }
  const Entry& entry(int inner) const {
    return entries_[std::min(static_cast<std::size_t>(inner), entries_.size() - 1)];
  }
  Entry& entry(int inner) {
    return entries_[std::min(static_cast<std::size_t>(inner), entries_.size() - 1)];
  }
  void forget_resolved() {
    for (Entry& each : entries_) each.resolved = false;
  }
  // Sizes 0 .. sizes() - 1 are stored; larger ones do no better than the last.
  int sizes() const { return static_cast<int>(entries_.size()); }

  // Labels the leaves, drops splits that separate nothing, and keeps the tree wherever it is better
  // than what was known; whether it was.
  bool offer(TreeNodes tree) {
    check(tree);
    Value errors = label(tree);
    tree = compacted(tree);
    const int inner = inner_nodes(tree), depth = depth_of(tree);
    if (inner > max_inner_ || depth > max_depth_) return false;
    const auto size = static_cast<std::size_t>(inner);
    if (size >= entries_.size()) {
      if (!entries_.empty() && entries_.back().errors <= errors) return false;
      entries_.resize(size + 1, entries_.empty() ? Entry{} : entries_.back());
    }
    bool better = false;
    for (std::size_t n = size; n < entries_.size(); ++n) {
      Entry& at = entries_[n];
      if (at.errors < errors || (at.errors == errors && !(n == size && depth < at.depth))) break;
      better |= errors < at.errors || depth < at.depth;
      at = {errors, depth, tree, false};
    }
    version_ += better;
    return better;
  }
  std::uint64_t version() const { return version_; }  // changes with every better tree
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Entry& each : entries_)
      sum += sizeof(Entry) + each.tree.capacity() * sizeof(TreeNode);
    return sum;
  }

 private:
  void check(const TreeNodes& tree) const {
    std::vector<std::uint8_t> seen(tree.size());
    std::vector<std::int32_t> todo{0};
    while (!todo.empty()) {
      const std::int32_t at = todo.back();
      todo.pop_back();
      const bool inside = at >= 0 && static_cast<std::size_t>(at) < tree.size();
      if (!inside || seen[static_cast<std::size_t>(at)]++)
        throw std::invalid_argument("not a tree");
      const TreeNode& node = tree[static_cast<std::size_t>(at)];
      if (node.feature < 0) continue;
      if (static_cast<std::size_t>(node.feature) >= table_.features()) {
        throw std::invalid_argument("no such feature");
      }
      todo.push_back(node.zero);
      todo.push_back(node.one);
    }
  }
  // Every leaf gets the heaviest class of its rows; a split with an empty side falls away.
  Value label(TreeNodes& tree) const {
    std::vector<Value> weights(tree.size() * table_.classes(), 0);
    std::vector<std::uint8_t> reached(tree.size());
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      std::size_t at = 0;
      while (tree[at].feature >= 0) {
        reached[at] = 1;
        const bool one = table_.bit(r, static_cast<std::size_t>(tree[at].feature));
        at = static_cast<std::size_t>(one ? tree[at].one : tree[at].zero);
      }
      reached[at] = 1;
      for (std::size_t c = 0; c < table_.classes(); ++c) {
        weights[at * table_.classes() + c] += table_.weights(r)[c];
      }
    }
    Value errors = 0;
    for (std::size_t at = 0; at < tree.size(); ++at) {
      if (tree[at].feature >= 0 || !reached[at]) continue;
      const Value* first = weights.data() + at * table_.classes();
      const Value* best = std::max_element(first, first + table_.classes());
      tree[at].label = static_cast<std::int32_t>(best - first);
      for (std::size_t c = 0; c < table_.classes(); ++c) errors += first[c];
      errors -= *best;
    }
    if (!reached[0] && tree[0].feature < 0) tree[0].label = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (TreeNode& node : tree) {
        if (node.feature < 0) continue;
        const bool none = reached[static_cast<std::size_t>(node.zero)];
        const bool one = reached[static_cast<std::size_t>(node.one)];
        if (none && one) continue;
        const auto kept = static_cast<std::size_t>(none ? node.zero : node.one);
        reached[&node - tree.data()] |= reached[kept];
        node = tree[kept];
        changed = true;
      }
    }
    return errors;
  }

  const Table& table_;
  int max_inner_, max_depth_;
  std::vector<Entry> entries_;
  std::uint64_t version_ = 0;
};

}  // namespace dtfinder::front
