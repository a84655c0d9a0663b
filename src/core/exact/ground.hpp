// The ground set: a few examples that need as large a tree as the whole table does.
//
// A bound proven for some of the examples holds for the table, and the examples that a proof needs
// are often few: 63 of 73 on colic 20%, but 58 of 138 on buggyCrx 20%. So the root's bound is
// raised within a ground set G of the table's examples, which starts as the root's first core.
// Either the bound of G rises, and the core that proves it is the root's; or G has a smallest tree
// of no more nodes than the root's bound says. If that tree classifies the whole table, it is an
// optimal one. Otherwise some of the examples that it gets wrong join G, hardest first, and G is
// searched again. Most of what was proven before is still there: every core, and every subproblem
// without a new example.
//
// Sets within G are small, so different paths meet in the same set more often, fewer features tell
// its examples apart, and more of them cut off a single one (singleton_cuts.hpp). A tree for G that
// is wrong elsewhere says which examples matter. This is how implicit hitting sets and abstraction
// refinement work: Clarke et al., Counterexample-guided abstraction refinement, CAV 2000.
//
// All this happens at the root alone: below, a subproblem is a part of G as it is.
#pragma once

#include "exact/improve.hpp"

namespace dtfinder {

template <int W>
class Ground {
 public:
  // The ground set starts with the examples of `first`.
  Ground(Search<W>& search, Improver<W>& improver, const Set<W>& first)
      : search_(search),
        facts_(search.facts()),
        examples_(search.examples()),
        improver_(improver),
        set_(first) {}
  Runner& runner() { return search_.runner(); }

  // Whether to use it for the root of a table. Where features are few, cores are large, and where
  // depth is limited they are small anyway: the whole table is searched as fast.
  bool suits(const Subproblem<W>& root) const {
    return root.limit >= kNoLimit && examples_.features() * 5 >= examples_.count();
  }

  // Raises the bound of `root`, the whole table, or solves it; then `tree` is a tree for it.
  Task raise(Subproblem<W>& root, TreeNodes& tree) {
    assert(suits(root) && !root.fact.settled());
    Layer<W>& layer = facts_.size_layer();
    while (!search_.find(layer, root)) {
      Subproblem<W> part{set_};
      part.parent = &root;
      facts_.look(layer, part, root.fact.core.examples);
      while (!part.fact.settled() && part.fact.lower <= root.fact.lower) {
        co_await search_.raise(layer, part);
      }
      const bool higher = part.fact.lower > root.fact.lower;
      if (higher) {
        take_bound(layer, root, part);
      } else {
        co_await improver_.build(layer, part, tree);
      }
      search_.release(layer, part);
      if (higher) co_return;
      list_wrong(tree);
      if (wrong_.empty()) {
        assert(inner_nodes(tree) == root.fact.lower);
        root.fact.upper = root.fact.lower;
        co_return;
      }
      tree.clear();
      const std::size_t most = 1 + set_.size() / kShare;
      if (wrong_.size() > most) wrong_.resize(most);
      for (std::uint32_t e : wrong_) set_.add(e);
    }
  }

 private:
  static constexpr std::size_t kShare = 16;  // of the ground set, so many examples join at once

  // What needs so many nodes within the ground set does so in the table.
  void take_bound(Layer<W>& layer, Subproblem<W>& root, const Subproblem<W>& part) {
    root.fact.lower = part.fact.lower;
    root.fact.core = part.fact.core;
    facts_.remember(layer, root);
  }

  void list_wrong(const TreeNodes& tree) {
    wrong_.clear();
    for (std::uint32_t e = 0; e < examples_.count(); ++e) {
      if (!examples_.allow(class_of(tree, e)).has(e)) wrong_.push_back(e);
    }
    facts_.spend(examples_.count() / 16);
  }
  std::size_t class_of(const TreeNodes& tree, std::size_t e) const {
    std::size_t at = 0;
    while (tree[at].feature >= 0) {
      const bool one = examples_.bit(e, static_cast<std::size_t>(tree[at].feature));
      at = static_cast<std::size_t>(one ? tree[at].one : tree[at].zero);
    }
    return static_cast<std::size_t>(tree[at].label);
  }

  Search<W>& search_;
  Facts<W>& facts_;
  const ExampleTable<W>& examples_;
  Improver<W>& improver_;
  Set<W> set_;
  std::vector<std::uint32_t> wrong_;
};

}  // namespace dtfinder
