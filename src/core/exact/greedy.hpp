// Greedy trees: the first upper bounds, there within milliseconds.
//
// Top down, each node takes the feature that scores best by one of several criteria. Counting is
// done over columns while a set is large and over its rows once it is small, so that the whole tree
// costs about (depth × table). Under a depth limit the tree may turn out too deep; then there is
// none. The subtrees' sizes are upper bounds for their sets, whatever found them.
#pragma once

#include "exact/search.hpp"
#include "shared/tree_nodes.hpp"

namespace dtfinder {

enum class Criterion { kEntropy, kGini, kPureSide, kPairs };

template <int W>
class Greedy {
 public:
  explicit Greedy(Search<W>& search)
      : search_(search), examples_(search.examples()), n_log_n_(search.gain().n_log_n()) {}
  Runner& runner() { return search_.runner(); }

  // The best feature for an impure `x`; counts its work into `steps`.
  std::size_t best_feature(const Set<W>& x, Criterion by, std::uint64_t& steps) {
    std::int64_t best = 0;
    std::size_t chosen = examples_.features();
    rate_all(x, by, steps, [&](std::size_t f, std::int64_t score) {
      if (chosen < examples_.features() && score <= best) return;
      best = score;
      chosen = f;
    });
    assert(chosen < examples_.features());
    return chosen;
  }

  // The `most` best features for an impure `x`, best first.
  void best_features(const Set<W>& x, Criterion by, std::size_t most,
                     std::vector<std::uint32_t>& chosen, std::uint64_t& steps) {
    scored_.clear();
    rate_all(x, by, steps, [&](std::size_t f, std::int64_t score) {
      scored_.emplace_back(-score, static_cast<std::uint32_t>(f));
    });
    const std::size_t kept = std::min(most, scored_.size());
    std::partial_sort(scored_.begin(), scored_.begin() + static_cast<long>(kept), scored_.end());
    chosen.clear();
    for (std::size_t i = 0; i < kept; ++i) chosen.push_back(scored_[i].second);
  }

  // Grows a tree for `x` into `tree`; `fits` says whether it is within `limit`.
  Task grow(const Set<W> x, Criterion by, int limit, TreeNodes& tree, bool& fits) {
    struct Open {
      Set<W> set;
      std::int32_t node;
      int depth;
    };
    std::vector<Open> open;
    tree.assign(1, {});
    open.push_back({x, 0, 0});
    fits = true;
    while (!open.empty() && fits) {
      const Open at = std::move(open.back());
      open.pop_back();
      if (const std::int32_t label = examples_.common_class(at.set); label >= 0) {
        tree[static_cast<std::size_t>(at.node)].label = label;
        continue;
      }
      fits = at.depth < limit;
      std::uint64_t steps = 1;
      const std::size_t f = best_feature(at.set, by, steps);
      search_.facts().spend(steps);
      const std::int32_t next = split(tree, at.node, static_cast<std::int32_t>(f));
      open.push_back({at.set.without(examples_.column(f)), next, at.depth + 1});
      open.push_back({at.set & examples_.column(f), next + 1, at.depth + 1});
      co_await Yield{runner()};
    }
  }

 private:
  // Calls `see(f, score)` for every feature that splits `x`.
  template <class See>
  void rate_all(const Set<W>& x, Criterion by, std::uint64_t& steps, See&& see) {
    count(x, steps);
    for (std::size_t f = 0; f < examples_.features(); ++f) {
      const std::uint32_t* ones = ones_.data() + f * examples_.labels();
      const std::size_t in_one = std::accumulate(ones, ones + examples_.labels(), std::size_t{0});
      if (in_one > 0 && in_one < size_) see(f, rate(ones, in_one, by));
    }
  }
  void count(const Set<W>& x, std::uint64_t& steps) {
    const std::size_t classes = examples_.labels(), features = examples_.features();
    ones_.assign(features * classes, 0);
    total_.assign(classes, 0);
    size_ = 0;
    steps += 4 + features / 8;
    for (std::size_t c = 0; c < classes; ++c) {
      total_[c] = static_cast<std::uint32_t>(x.count_in(examples_.of_label(c)));
      size_ += total_[c];
    }
    if (size_ < 4 * x.words() * classes) {
      steps += size_ * examples_.row_words() / 2;
      x.each([&](std::size_t e) {
        for (std::size_t i = 0; i < examples_.row_words(); ++i) {
          for (Word left = examples_.row(e)[i]; left; left &= left - 1) {
            const std::size_t f = i * 64 + static_cast<std::size_t>(std::countr_zero(left));
            ++ones_[f * classes + examples_.label(e)];
          }
        }
      });
      return;
    }
    steps += features * classes * x.words() / 32;
    for (std::size_t c = 0; c < classes; ++c) {
      const Set<W> part = x & examples_.of_label(c);
      for (std::size_t f = 0; f < features; ++f) {
        ones_[f * classes + c] = static_cast<std::uint32_t>(part.count_in(examples_.column(f)));
      }
    }
  }

  std::int64_t rate(const std::uint32_t* ones, std::size_t in_one, Criterion by) const {
    const std::size_t in_zero = size_ - in_one;
    std::int64_t entropy = -n_log_n_[in_one] - n_log_n_[in_zero];
    std::int64_t squares_one = 0, squares_zero = 0, pure = 0, pairs = 0;
    for (std::size_t c = 0; c < examples_.labels(); ++c) {
      const std::int64_t one = ones[c], zero = total_[c] - one;
      entropy += n_log_n_[static_cast<std::size_t>(one)] + n_log_n_[static_cast<std::size_t>(zero)];
      squares_one += one * one;
      squares_zero += zero * zero;
      pairs += one * (static_cast<std::int64_t>(in_zero) - zero);
      if (static_cast<std::size_t>(one) == in_one) pure = one;
      if (static_cast<std::size_t>(zero) == in_zero) pure = std::max(pure, zero);
    }
    const auto n1 = static_cast<std::int64_t>(in_one), n0 = static_cast<std::int64_t>(in_zero);
    switch (by) {
      case Criterion::kGini:
        return (squares_one << 16) / n1 + (squares_zero << 16) / n0;
      case Criterion::kPureSide:
        return (pure << 40) + (entropy >> 20);
      case Criterion::kPairs:
        return pairs;
      default:
        return entropy;
    }
  }

  Search<W>& search_;
  const ExampleTable<W>& examples_;
  const std::vector<std::int64_t>& n_log_n_;
  std::vector<std::uint32_t> ones_, total_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> scored_;
  std::size_t size_ = 0;
};

}  // namespace dtfinder
