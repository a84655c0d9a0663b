// Folded packing: pairs that share features, but no feature too often.
//
// Take T pairs of opposite examples, the same pair several times if need be, such that
// no feature tells apart more than q of them. Then cost >= T / q. Proof. In any tree every pair is
// told apart at some node; a node tells apart at most q of them, as all pairs that it tells apart
// differ in its feature. With q = 1 this is the packing of disjoint pairs (packing.hpp). The best
// bound over all q is the value of a linear program (pair_program.hpp), often several nodes better:
// 24 instead of 20 for haberman 50%, 14 instead of 8 for liver-disorder 20%.
//
// The program is solved once, for the whole table, a slice at a time beside the search. Its weights
// are rounded down to multiples of 1 / q, and what room that leaves is filled up. A subproblem
// inherits what its ancestor packed, less the pairs that it does not hold, and fills up again: that
// takes a pass over the pairs and comes within a few per cent of the program's value.
#pragma once

#include <memory>

#include "exact/packing.hpp"
#include "exact/pair_program.hpp"

namespace dtfinder {

// A packing of pairs within one subproblem.
struct Fold {
  std::vector<std::uint32_t> pairs;  // all pairs inside, as numbered by Folding
  std::vector<std::uint8_t> times;   // how often each is taken
  std::vector<std::uint8_t> load;    // by feature: the taken pairs that differ in it
  int total = 0;
};

template <int W>
class Folding {
 public:
  // q: weights of programs like this are halves, thirds, quarters, fifths more often than not.
  static constexpr int kFold = 60;

  Folding(const ExampleTable<W>& examples, const Packing<W>& packing)
      : examples_(examples), packing_(packing) {}

  static int bound(const Fold& fold) { return (fold.total + kFold - 1) / kFold; }
  // The packing of the whole table; null until the program is solved.
  const Fold* base() const { return base_.get(); }

  // Works on the program once `steps` are past `after`, for as long as that takes no more than a
  // share of them; returns the steps it took.
  std::uint64_t advance(std::uint64_t steps, std::uint64_t after) {
    if (base_ || steps < after || examples_.features() > kMostFeatures) return 0;
    if (after > 0 && steps / kShare < spent_) return 0;
    if (from_.empty()) {
      list_differences();
      std::vector<std::span<const std::uint32_t>> columns;
      for (std::uint32_t p = 0; p + 1 < from_.size(); ++p) columns.push_back(differences(p));
      program_.start(std::move(columns), examples_.features());
    }
    const std::size_t work = program_.run(kSlice);
    spent_ += 1 + work / kWorkOfStep;
    if (program_.done()) make_base();
    return 1 + work / kWorkOfStep;
  }

  // The packing of an ancestor, less the pairs that are not in `x`, filled up again.
  std::unique_ptr<Fold> inherit(const Fold& from, const Set<W>& x) {
    assert(base_);
    std::unique_ptr<Fold> fold = fresh();
    for (std::size_t i = 0; i < from.pairs.size(); ++i) {
      if (!x.has(left(from.pairs[i])) || !x.has(right(from.pairs[i]))) continue;
      fold->pairs.push_back(from.pairs[i]);
      fold->times.push_back(from.times[i]);
      if (!from.times[i]) continue;
      fold->total += from.times[i];
      for (std::uint32_t f : differences(from.pairs[i])) fold->load[f] += from.times[i];
    }
    for (std::size_t i = 0; i < fold->pairs.size(); ++i) take(*fold, i, kFold);
    return fold;
  }
  void release(std::unique_ptr<Fold>& fold) {
    if (fold) spare_.push_back(std::move(fold));
  }
  std::uint32_t left(std::uint32_t pair) const { return packing_.near(pair).a; }
  std::uint32_t right(std::uint32_t pair) const { return packing_.near(pair).b; }
  std::size_t bytes() const { return program_.bytes() + features_.size() * sizeof(std::uint32_t); }

 private:
  static constexpr std::size_t kMostPairs = 1 << 13;  // the nearest of all
  static constexpr std::size_t kMostFeatures = 4096;  // the program's memory is quadratic in them
  static constexpr std::uint64_t kShare = 4;
  static constexpr float kDear = 1.6f;
  static constexpr std::size_t kSlice = 1 << 20, kWorkOfStep = 160;

  std::span<const std::uint32_t> differences(std::uint32_t pair) const {
    return {features_.data() + from_[pair], from_[pair + 1] - from_[pair]};
  }
  // Takes a pair as often as asked, or as its features can bear.
  void take(Fold& fold, std::size_t i, int times) {
    const auto features = differences(fold.pairs[i]);
    int most = kFold - times;
    for (std::uint32_t f : features) most = std::max<int>(most, fold.load[f]);
    const int more = kFold - most;
    if (more == 0) return;
    for (std::uint32_t f : features) fold.load[f] += static_cast<std::uint8_t>(more);
    fold.times[i] += static_cast<std::uint8_t>(more);
    fold.total += more;
  }
  std::unique_ptr<Fold> fresh() {
    if (spare_.empty()) spare_.push_back(std::make_unique<Fold>());
    std::unique_ptr<Fold> fold = std::move(spare_.back());
    spare_.pop_back();
    fold->pairs.clear();
    fold->times.clear();
    fold->load.assign(examples_.features(), 0);
    fold->total = 0;
    return fold;
  }
  // Pairs of a low price come first: subproblems fill up with these, and forget the dear ones.
  void make_base() {
    const std::vector<float> weights = program_.weights(), prices = program_.prices();
    std::unique_ptr<Fold> fold = fresh();
    for (std::uint32_t p = 0; p < weights.size(); ++p) {
      if (weights[p] > 0.0f || prices[p] < kDear) fold->pairs.push_back(p);
    }
    std::stable_sort(fold->pairs.begin(), fold->pairs.end(),
                     [&](std::uint32_t p, std::uint32_t q) { return prices[p] < prices[q]; });
    fold->times.assign(fold->pairs.size(), 0);
    for (std::size_t i = 0; i < fold->pairs.size(); ++i) {
      take(*fold, i, static_cast<int>(weights[fold->pairs[i]] * kFold + 0.05f));
    }
    for (std::size_t i = 0; i < fold->pairs.size(); ++i) take(*fold, i, kFold);
    base_ = std::move(fold);
    program_ = PairProgram{};
  }
  void list_differences() {
    from_.push_back(0);
    const std::size_t words = examples_.row_words();
    for (std::uint32_t p = 0; p < std::min(packing_.near_count(), kMostPairs); ++p) {
      const Word *a = examples_.row(left(p)), *b = examples_.row(right(p));
      for (std::size_t i = 0; i < words; ++i) {
        for (Word bits = a[i] ^ b[i]; bits; bits &= bits - 1) {
          features_.push_back(static_cast<std::uint32_t>(
              i * 64 + static_cast<std::size_t>(std::countr_zero(bits))));
        }
      }
      from_.push_back(static_cast<std::uint32_t>(features_.size()));
    }
  }

  const ExampleTable<W>& examples_;
  const Packing<W>& packing_;
  PairProgram program_;
  std::uint64_t spent_ = 0;
  std::unique_ptr<Fold> base_;
  std::vector<std::uint32_t> from_;      // by pair: where its features start
  std::vector<std::uint32_t> features_;  // in which the pairs differ
  std::vector<std::unique_ptr<Fold>> spare_;
};

}  // namespace dtfinder
