// Better trees: greedy ones, pruned to every size, and parts of trees solved anew.
//
// For every node of a tree there is a curve: the least errors for each number of inner nodes when
// the subtree there is pruned, or replaced by the best tree that counting finds for its rows (up to
// three inner nodes of any shape, up to seven at depth three). Curves of two children add up to
// that of their parent: for each share of the inner nodes, the least sum. The curve of the root is
// a whole front of trees, and where it undercuts what was known, the tree is put together and
// offered.
//
// Counting takes the cube of the columns, and good trees are wanted soon. So where counting all
// takes more than `patience_`, only some of the columns are counted: those with the least impurity,
// those around the tree's own splits, and some from everywhere. When no tree gets better any more,
// patience grows.
#pragma once

#include <cmath>

#include "front/build.hpp"
#include "front/trees.hpp"

namespace dtfinder::front {

class Improver {
 public:
  Improver(Search& search, Trees& trees, int max_inner, int max_depth)
      : search_(search), trees_(trees), max_inner_(max_inner), max_depth_(max_depth) {}

  Runner& runner() { return search_.runner(); }

  // Grows a tree by Gini impurity and prunes it to every size, without counting more than single
  // columns, unless that takes no time and is not to be `quick`.
  Task start(Node& root, bool quick) {
    grown_ = {{-1, -1, -1, 0}};
    least_errors_ = std::max<Value>(1, root.view.leaf() / 1000);
    co_await grow(root, grown_, 0, max_depth_);
    if (!quick && root.counter.may_have_triples() &&
        root.counter.work_of_triples() <= patience_ / 100) {
      co_await go_on(root);
      co_return;
    }
    const std::uint64_t patience = std::exchange(patience_, 0);
    co_await resolve(root, grown_);
    patience_ = patience;
  }
  // Solves parts of that tree anew.
  Task go_on(Node& root) {
    if (!grown_.empty()) co_await resolve(root, std::exchange(grown_, {}));
  }
  // Solves parts of the best trees anew, from `from` inner nodes on, until none gets better.
  Task improve(Node& root, const int& from) {
    for (;;) {
      const int chosen = next_size(from);
      if (chosen < 0) {
        if (!skipped_) co_return;
        skipped_ = false;
        patience_ *= 2;
        trees_.forget_resolved();
        continue;
      }
      trees_.entry(chosen).resolved = true;
      TreeNodes tree = trees_.entry(chosen).tree;
      co_await resolve(root, std::move(tree));
    }
  }
  bool idle(int from) const { return next_size(from) < 0 && !skipped_; }

 private:
  struct Curve {
    std::vector<Value> errors;  // by number of inner nodes
    std::vector<std::int32_t>
        choice;  // kLeaf, kCounted, or the inner nodes where the feature is zero
    std::array<TreeNodes, 8> counted;  // by number of inner nodes
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

  // Gini impurity after a split on column f.
  static double impurity(Node& node, std::size_t f) {
    double ones = 0, zeros = 0, one_squares = 0, zero_squares = 0;
    for (std::size_t c = 0; c < node.view.class_weight.size(); ++c) {
      const auto one = static_cast<double>(node.counter.single(c, f));
      const double zero = static_cast<double>(node.view.class_weight[c]) - one;
      ones += one;
      zeros += zero;
      one_squares += one * one;
      zero_squares += zero * zero;
    }
    return ones - one_squares / ones + zeros - zero_squares / zeros;
  }
  Task grow(Node& node, TreeNodes& tree, std::int32_t at, int depth) {
    const View& view = node.view;
    if (depth == 0 || view.width() == 0 || view.leaf() < least_errors_) co_return;
    std::size_t best = 0;
    double least = 0;
    for (std::size_t f = 0; f < view.width(); ++f) {
      const double found = impurity(node, f);
      if (f == 0 || found < least) {
        best = f;
        least = found;
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
    ++round_;
    std::vector<Curve> curves(tree.size());
    co_await draw(root, tree, 0, max_depth_, curves);
    const Curve& curve = curves[0];
    for (std::size_t n = 0; n < curve.errors.size(); ++n) {
      if (n > 0 && curve.errors[n] >= curve.errors[n - 1]) continue;
      if (curve.errors[n] >= trees_.errors(static_cast<int>(n))) continue;
      TreeNodes made(1);
      co_await assemble(tree, 0, curves, n, made, 0);
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
    const TreeNode split = tree[static_cast<std::size_t>(at)];
    const std::size_t f =
        split.feature < 0 ? node.view.width() : builder_.column_of(node, split.feature);
    if (f < node.view.width()) {
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
    if (patience_ > 0) co_await count(node, tree, at, depth, curve);
  }
  // Counted trees win a tie.
  static bool put(Curve& curve, std::size_t k, Value errors, std::int32_t choice) {
    while (curve.errors.size() <= k) {
      curve.errors.push_back(kNever);
      curve.choice.push_back(kLeaf);
    }
    if (errors >= curve.errors[k] + (choice == kCounted)) return false;
    curve.errors[k] = errors;
    curve.choice[k] = choice;
    return true;
  }

  // Joins the trees that counting finds to the curve of a node.
  Task count(Node& node, const TreeNodes& tree, std::int32_t at, int depth, Curve& curve) {
    const Counter& counter = node.counter;
    const bool triples = depth > 2;
    const bool cheap = triples ? counter.has_triples() || (counter.may_have_triples() &&
                                                           counter.work_of_triples() <= patience_)
                               : counter.has_pairs() || counter.work_of_pairs() <= patience_;
    if (cheap) {
      co_await take_counted(node, depth, curve);
      co_return;
    }
    const std::vector<std::size_t> columns = choose_columns(node, tree, at, triples);
    skipped_ |= columns.size() < node.view.width();
    NodePool::Lease thin(search_.pool());
    search_.make_thin(node, columns, *thin);
    co_await take_counted(*thin, depth, curve);
  }
  Task take_counted(Node& node, int depth, Curve& curve) {
    co_await search_.count(node, depth > 2);
    const bool triples = depth > 2 && node.counter.has_triples();
    const std::size_t most = triples ? 7 : depth >= 2 ? 3 : 1;
    Value least = kNever;  // with fewer than k
    for (std::size_t k = 1; k <= std::min(most, static_cast<std::size_t>(max_inner_)); ++k) {
      const bool flat = k == 3 && !triples;
      const Value errors = flat ? node.counter.flat() : node.counter.whole(k);
      if (k <= curve.errors.size()) least = std::min(least, curve.errors[k - 1]);
      if (errors >= least || !put(curve, k, errors, kCounted)) continue;
      const Price& price = search_.price();
      curve.counted[k].assign(1, {});
      co_await builder_.build(node,
                              simplest({static_cast<int>(k), flat    ? 2
                                                             : k > 3 ? 3
                                                                     : depth}),
                              price.unit * errors + price.inner * static_cast<Value>(k),
                              curve.counted[k], 0);
    }
  }
  // As many columns as patience allows to count.
  std::vector<std::size_t> choose_columns(Node& node, const TreeNodes& tree, std::int32_t at,
                                          bool triples) const {
    const std::size_t m = node.view.width();
    const auto each = static_cast<double>(patience_) * (kWidest / sizeof(std::int16_t)) /
                      static_cast<double>(node.view.words + 4);
    const auto most = static_cast<std::size_t>(triples ? std::cbrt(6 * each) : std::sqrt(2 * each));
    const std::size_t part = std::min(m, std::max<std::size_t>(most / 4, 4));
    std::vector<std::uint8_t> chosen(m, 0);
    // From everywhere, others each time.
    for (std::size_t k = 0; k < 2 * part; ++k) chosen[(k * m / (2 * part) + 7 * round_) % m] = 1;
    // Around the tree's own splits.
    std::vector<std::int32_t> todo{at}, own;
    while (!todo.empty()) {
      const TreeNode& split = tree[static_cast<std::size_t>(todo.back())];
      todo.pop_back();
      if (split.feature < 0) continue;
      own.push_back(split.feature);
      todo.push_back(split.zero);
      todo.push_back(split.one);
    }
    for (const std::int32_t feature : own) {
      const auto& ids = node.view.ids;
      const auto place =
          static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), feature) - ids.begin());
      const std::size_t reach = part / own.size() / 2 + 1;
      for (std::size_t j = place - std::min(place, reach); j < std::min(m, place + reach); ++j)
        chosen[j] = 1;
    }
    // Those with the least impurity.
    std::vector<std::pair<double, std::size_t>> ranked(m);
    for (std::size_t f = 0; f < m; ++f) ranked[f] = {impurity(node, f), f};
    std::nth_element(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(part - 1),
                     ranked.end());
    for (std::size_t k = 0; k < part; ++k) chosen[ranked[k].second] = 1;
    std::vector<std::size_t> columns;
    for (std::size_t f = 0; f < m; ++f) {
      if (chosen[f]) columns.push_back(f);
    }
    return columns;
  }

  Task assemble(const TreeNodes& tree, std::int32_t at, const std::vector<Curve>& curves,
                std::size_t inner, TreeNodes& out, std::int32_t place) {
    const Curve& curve = curves[static_cast<std::size_t>(at)];
    const std::int32_t choice = curve.choice[inner];
    const auto next = static_cast<std::int32_t>(out.size());
    if (choice == kLeaf) {
      out[static_cast<std::size_t>(place)] = {-1, -1, -1, 0};
    } else if (choice == kCounted) {
      // All but its root go to the end.
      const TreeNodes& part = curve.counted[inner];
      out.insert(out.end(), part.begin() + 1, part.end());
      out[static_cast<std::size_t>(place)] = part[0];
      const auto moved = [&](TreeNode& node) {
        if (node.feature < 0) return;
        node.zero += next - 1;
        node.one += next - 1;
      };
      moved(out[static_cast<std::size_t>(place)]);
      for (auto i = static_cast<std::size_t>(next); i < out.size(); ++i) moved(out[i]);
    } else {
      const TreeNode split = tree[static_cast<std::size_t>(at)];
      out.resize(out.size() + 2);
      out[static_cast<std::size_t>(place)] = {split.feature, next, next + 1, -1};
      const auto none = static_cast<std::size_t>(choice);
      co_await assemble(tree, split.zero, curves, none, out, next);
      co_await assemble(tree, split.one, curves, inner - 1 - none, out, next + 1);
    }
  }

  Search& search_;
  Builder builder_{search_};
  Trees& trees_;
  int max_inner_, max_depth_;
  Value least_errors_ = 1;
  TreeNodes grown_;
  std::size_t round_ = 0;
  std::uint64_t patience_ = search_.switches().patience;
  bool skipped_ = false;  // counting all columns would take more
};

}  // namespace dtfinder::front
