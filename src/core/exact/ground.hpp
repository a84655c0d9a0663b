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
//
// Engines that share facts need the same G, or else they search different subproblems and have
// little to tell each other. So G is one set for all of them, which only grows (GroundSet). The
// engine that is first to find a tree for it adds to it; another one that comes later, or had its
// own tree, goes on with what G has become. In other processes this takes until the next message.
#pragma once

#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>

#include "exact/improve.hpp"
#include "shared/bitmap.hpp"

namespace dtfinder {

// The ground set of all engines that have joined. A line of text tells others of it: the work and
// lemma of a fact (fact_messages.hpp), the word `ground` and the set.
template <int W>
class GroundSet {
 public:
  explicit GroundSet(const ExampleTable<W>& examples) : set_(examples.none()), written_(set_) {
    for (std::size_t e = 0; e < examples.count(); ++e) original_.push_back(examples.original(e));
  }

  // The set; it begins with `first`, unless others have begun.
  Set<W> get(const Set<W>& first) {
    const std::lock_guard lock(mutex_);
    if (set_.empty()) set_ = first;
    return set_;
  }
  // Adds examples to the set if it still is `from`.
  void grow(const Set<W>& from, const std::vector<std::uint32_t>& more) {
    const std::lock_guard lock(mutex_);
    if (!(set_ == from)) return;
    for (std::uint32_t e : more) set_.add(e);
  }

  // What is new since the last time, as text for other processes.
  std::string write() {
    const std::lock_guard lock(mutex_);
    if (set_ == written_) return "";
    written_ = set_;
    BitmapText bitmap(original_.size());
    set_.each([&](std::size_t e) { bitmap.add(original_[e]); });
    return kFact + bitmap.text() + '\n';
  }
  // Takes the lines that are about ground sets out of a message; returns the others.
  std::string read(const std::string& text) {
    std::istringstream lines(text);
    std::string others;
    for (std::string each; std::getline(lines, each);) {
      std::istringstream words(each);
      std::string work, number, kind, bitmap, more;
      words >> work >> number >> kind >> bitmap;
      if (kind == "ground") {
        if (words >> more || !add(bitmap)) {
          throw std::invalid_argument("not a fact about this table: " + each.substr(0, 100));
        }
      } else {
        others += each + '\n';
      }
    }
    return others;
  }

 private:
  static constexpr const char* kFact = "1000000000 - ground ";  // worth more than any other fact

  bool add(const std::string& bitmap) {
    std::vector<bool> there(original_.size());
    if (!BitmapText::read(bitmap, there.size(), [&](std::size_t row) { there[row] = true; })) {
      return false;
    }
    const std::lock_guard lock(mutex_);
    for (std::size_t e = 0; e < there.size(); ++e) {
      if (there[original_[e]]) set_.add(e);
    }
    return true;
  }

  std::vector<std::size_t> original_;  // the callers' numbers
  std::mutex mutex_;
  Set<W> set_, written_;
};

template <int W>
class Ground {
 public:
  // The ground set starts with the examples of `first`, unless another engine has started it.
  Ground(Search<W>& search, Improver<W>& improver, GroundSet<W>& shared, const Set<W>& first)
      : search_(search),
        facts_(search.facts()),
        examples_(search.examples()),
        improver_(improver),
        shared_(shared),
        first_(first) {}
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
      const Set<W> set = shared_.get(first_);
      Subproblem<W> part{set};
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
      const std::size_t most = 1 + set.size() / kShare;
      if (wrong_.size() > most) wrong_.resize(most);
      shared_.grow(set, wrong_);
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
  GroundSet<W>& shared_;
  const Set<W> first_;
  std::vector<std::uint32_t> wrong_;
};

}  // namespace dtfinder
