// Look-ahead trees: a feature is as good as the tree that grows below it.
//
// Greedy criteria judge a feature by the counts of its two sides, which says little where classes
// depend on features jointly. Here a feature is judged by trees. Level 0 is the greedy tree. Level
// k takes the most promising `width` features of a set, completes both sides of each at level
// k - 1, keeps the feature with the smallest sum, and goes on at level k in its two sides (nested
// rollouts: T. Cazenave, Nested Monte-Carlo Search, IJCAI 2009; of trees: S. Esmeir and S.
// Markovitch, Lookahead-based algorithms for anytime induction of decision trees, ICML 2004).
//
// The smallest tree known for a set is remembered, whatever found it: a size and a root feature;
// the roots of its sides are remembered, too. So sets that several trees share are grown once,
// later rounds only add to earlier ones, and parts that exact search has solved (`learn`) count at
// once. A round has a budget of steps; when that is spent, what is left is completed greedily and
// the next round takes up where this one stopped. When memory is full or every feature has been
// tried, all is forgotten but the best tree, and another greedy criterion takes its turn.
// Everything found here is a tree, never a bound.
#pragma once

#include <unordered_map>

#include "exact/greedy.hpp"

namespace dtfinder {

template <int W>
class Lookahead {
 public:
  explicit Lookahead(Search<W>& search)
      : search_(search), facts_(search.facts()), examples_(search.examples()), greedy_(search) {}
  Runner& runner() { return search_.runner(); }

  std::size_t bytes() const { return known_.size() * bytes_each(); }

  // Whether another round may find more.
  bool more() const { return policy_ < std::size(kPolicies); }
  // Whether trees of `size` inner nodes are small enough to be remembered by their sets.
  bool affords(int size) const {
    return static_cast<std::size_t>(size) * bytes_each() < most_bytes() / 8;
  }

  // One round over all examples: `tree` becomes the smallest tree known after it. There must be
  // `more()` to find.
  Task round(std::uint64_t budget, TreeNodes& tree) {
    end_ = facts_.steps() + budget;
    expired_ = false;
    int size = 0;
    co_await complete(examples_.all(), level(), size);
    build(tree);
    if (!expired_) ++stage_;
    if (bytes() > most_bytes() || width() >= 2 * examples_.features()) {
      known_.clear();
      stage_ = 0;
      ++policy_;
    }
  }

  // Takes the subtrees of `tree`, which must classify all examples, as known for their sets.
  void learn(const TreeNodes& tree) {
    std::vector<int> sizes(tree.size(), 0);
    std::vector<std::pair<std::int32_t, Set<W>>> order{{0, examples_.all()}};
    for (std::size_t i = 0; i < order.size(); ++i) {
      const auto [node, set] = order[i];
      const TreeNode& at = tree[static_cast<std::size_t>(node)];
      if (at.feature < 0) continue;
      const Set<W>& column = examples_.column(static_cast<std::size_t>(at.feature));
      order.emplace_back(at.zero, set.without(column));
      order.emplace_back(at.one, set & column);
    }
    for (std::size_t i = order.size(); i-- > 0;) {
      const auto& [node, set] = order[i];
      const auto here = static_cast<std::size_t>(node);
      if (tree[here].feature < 0) continue;
      sizes[here] = 1 + sizes[static_cast<std::size_t>(tree[here].zero)] +
                    sizes[static_cast<std::size_t>(tree[here].one)];
      sizes[here] = note(set, sizes[here], tree[here].feature);
    }
    whole_ = static_cast<std::size_t>(sizes[0]);
    facts_.spend(order.size());
  }

 private:
  struct Known {
    int size = kUnknown;
    std::int32_t feature = -1;
    int effort = -1;  // the highest stage that has grown a tree for this set; -1 for none
  };
  struct Hash {
    std::size_t operator()(const Set<W>& set) const { return set.hash(); }
  };
  struct Stage {
    int level;
    std::size_t width;
  };
  // Each stage costs several times what the one before does; after the last, widths double.
  static constexpr Stage kStages[] = {{1, 4}, {2, 3}, {2, 6}, {2, 12}, {2, 24}};
  static constexpr int kLast = static_cast<int>(std::size(kStages)) - 1;
  static constexpr Criterion kPolicies[] = {Criterion::kEntropy, Criterion::kGini,
                                            Criterion::kPairs};
  static constexpr std::size_t kMostBytes = std::size_t{48} << 20;

  std::size_t bytes_each() const {
    const std::size_t spilled = W == 0 ? examples_.set_words() * sizeof(Word) + 16 : 0;
    return sizeof(Set<W>) + sizeof(Known) + 24 + spilled;
  }
  std::size_t most_bytes() const {
    const std::size_t memory = facts_.switches().memory;
    return memory ? std::min(memory / 4, kMostBytes) : kMostBytes;
  }

  int level() const { return kStages[std::min(stage_, kLast)].level; }
  std::size_t width() const {
    const int more = std::clamp(stage_ - kLast, 0, 20);
    return kStages[std::min(stage_, kLast)].width << more;
  }
  // Trees for small sets cost less to grow, so more features are tried there.
  std::size_t width_for(int size) const {
    const auto here = static_cast<std::size_t>(size);
    return width() * (std::max(whole_, here) + here) / (2 * here);
  }
  // Efforts compare: what a later stage grew is worth more.
  int effort(int level) const { return level == 0 ? 0 : 8 * std::min(stage_, 63) + level; }

  int note(const Set<W>& x, int size, std::int32_t feature) {
    Known& known = known_[x];
    if (size < known.size) {
      known.size = size;
      known.feature = feature;
    }
    return known.size;
  }

  // The size of a tree for `x`, grown at `level` unless that has been done before.
  Task complete(const Set<W> x, int level, int& size) {
    size = 0;
    if (examples_.pure(x)) co_return;
    if (facts_.steps() >= end_ || bytes() > most_bytes()) expired_ = true;
    if (expired_) level = 0;
    const auto found = known_.find(x);
    if (found != known_.end()) {
      size = found->second.size;
      const bool enough = found->second.effort >= effort(level);
      if (enough || (level == 0 && size < kUnknown) || (size <= 1)) co_return;
    }
    std::uint64_t steps = 1;
    std::size_t chosen = 0;
    if (level == 0) {
      chosen = greedy_.best_feature(x, kPolicies[policy_], steps);
      facts_.spend(steps);
      co_await Yield{runner()};
    } else {
      if (size == 0) co_await complete(x, 0, size);
      if (size <= 1) co_return;
      std::vector<std::uint32_t> features;
      greedy_.best_features(x, kPolicies[policy_], width_for(size), features, steps);
      facts_.spend(steps);
      co_await choose(x, features, level, chosen);
    }
    int sides[2] = {0, 0};
    co_await complete(x & examples_.column(chosen), level, sides[1]);
    co_await complete(x.without(examples_.column(chosen)), level, sides[0]);
    size = note(x, sides[0] + sides[1] + 1, static_cast<std::int32_t>(chosen));
    if (!expired_ || level == 0) {
      Known& known = known_[x];
      known.effort = std::max(known.effort, effort(level));
    }
  }

  // The feature whose sides, completed one level lower, have the smallest trees.
  Task choose(const Set<W>& x, const std::vector<std::uint32_t>& features, int level,
              std::size_t& chosen) {
    int least = kUnknown;
    for (std::uint32_t f : features) {
      if (expired_ && least < kUnknown) break;
      int sides[2] = {0, 0};
      co_await complete(x & examples_.column(f), level - 1, sides[1]);
      if (sides[1] + 1 >= least) continue;
      co_await complete(x.without(examples_.column(f)), level - 1, sides[0]);
      if (sides[0] + sides[1] + 1 >= least) continue;
      least = sides[0] + sides[1] + 1;
      chosen = f;
      note(x, least, static_cast<std::int32_t>(f));
    }
  }

  void build(TreeNodes& tree) const {
    std::vector<std::pair<std::int32_t, Set<W>>> open{{0, examples_.all()}};
    tree.assign(1, {});
    while (!open.empty()) {
      const auto [node, x] = open.back();
      open.pop_back();
      if (const std::int32_t label = examples_.common_class(x); label >= 0) {
        tree[static_cast<std::size_t>(node)].label = label;
        continue;
      }
      const std::int32_t f = known_.at(x).feature;
      const std::int32_t next = split(tree, node, f);
      const Set<W>& column = examples_.column(static_cast<std::size_t>(f));
      open.emplace_back(next, x.without(column));
      open.emplace_back(next + 1, x & column);
    }
  }

  Search<W>& search_;
  Facts<W>& facts_;
  const ExampleTable<W>& examples_;
  Greedy<W> greedy_;
  std::unordered_map<Set<W>, Known, Hash> known_;
  std::uint64_t end_ = 0;
  bool expired_ = false;
  int stage_ = 0;
  std::size_t policy_ = 0;
  std::size_t whole_ = 0;  // size of the tree for all examples
};

}  // namespace dtfinder
