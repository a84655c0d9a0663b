// The linear program of pairs: the largest weights on pairs such that no feature carries over 1.
//
//     maximise  sum of w(p)   subject to   sum of w(p) over the pairs p that differ in f  <=  1
//
// for every feature f, w >= 0. Its value is the best bound that pairs give (folding.hpp). Solved by
// the revised simplex method with a dense inverse of the basis, kept by columns: a pair touches few
// features, and a pivot only the columns that meet its row. Pairs are priced block by block. The
// right-hand sides are disturbed a little, so that the many ties of such programs do not stall it.
//
// Whatever it returns is only a proposal: Folding rounds the weights down to whole numbers and
// counts again, so a numerical slip can cost a better bound but never make a false one. For the
// same reason it may stop early: under the weights of every basis no feature carries over 1.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace dtfinder {

class PairProgram {
 public:
  using Features = std::span<const std::uint32_t>;

  // `pairs` are lists of features below `features`; no pair has weight at first.
  void start(std::vector<Features> pairs, std::size_t features) {
    pairs_ = std::move(pairs);
    row_of_.assign(features, kNoRow);
    rows_ = 0;
    for (const Features& pair : pairs_) {
      for (std::uint32_t f : pair) {
        if (row_of_[f] == kNoRow) row_of_[f] = static_cast<std::uint32_t>(rows_++);
      }
    }
    pivots_left_ = 20 + 10 * rows_;
    inverse_.assign(rows_ * rows_, 0.0f);
    value_.resize(rows_);
    in_.resize(rows_);
    dual_.assign(rows_, 0.0);
    step_.resize(rows_);
    basic_.assign(pairs_.size(), 0);
    for (std::size_t r = 0; r < rows_; ++r) {
      inverse_[r * rows_ + r] = 1.0f;
      value_[r] = 1.0 + kDisturb * (1.0 + static_cast<double>(r * 2654435761u % 1024) / 1024);
      in_[r] = slack(r);
    }
  }
  bool done() const { return pivots_left_ == 0; }
  // Pivots until about `work` operations are done, or all; returns how many they were.
  std::size_t run(std::size_t work) {
    std::size_t spent = 0;
    for (; pivots_left_ > 0 && spent < work; spent += rows_ * (rows_ / 4 + 8)) {
      const std::int64_t entering = price();
      pivots_left_ = entering != kNone && pivot(entering) ? pivots_left_ - 1 : 0;
    }
    return spent;
  }
  std::vector<float> weights() const {
    std::vector<float> weights(pairs_.size(), 0.0f);
    for (std::size_t r = 0; r < rows_; ++r) {
      if (in_[r] < 0) continue;
      const double weight = value_[r] / (1.0 + 2.0 * kDisturb);
      weights[static_cast<std::size_t>(in_[r])] = static_cast<float>(std::clamp(weight, 0.0, 1.0));
    }
    return weights;
  }
  // What the features in which a pair differs are worth: about 1 for pairs with weight, more for
  // pairs that would need features which others need more.
  std::vector<float> prices() const {
    std::vector<float> prices(pairs_.size(), 0.0f);
    for (std::size_t p = 0; p < pairs_.size(); ++p) {
      for (std::uint32_t f : pairs_[p]) prices[p] += static_cast<float>(dual_[row_of_[f]]);
    }
    return prices;
  }
  std::size_t bytes() const { return inverse_.size() * sizeof(float); }

 private:
  static constexpr std::uint32_t kNoRow = UINT32_MAX;
  static constexpr std::int64_t kNone = INT64_MIN;
  static constexpr double kDisturb = 1e-3, kTiny = 1e-7;
  static constexpr float kLeastPivot = 1e-5f;
  static constexpr std::size_t kBlock = 256;

  // Variables are numbered: pairs from 0 upwards, the slack of row r as -1 - r.
  static std::int64_t slack(std::size_t r) { return -1 - static_cast<std::int64_t>(r); }

  // A variable whose entry raises the sum of weights: the best pair of a block, or a better slack.
  std::int64_t price() {
    gain_ = kTiny;
    std::int64_t best = kNone;
    for (std::size_t seen = 0; seen < pairs_.size() && best == kNone; seen += kBlock) {
      for (std::size_t i = 0; i < std::min(kBlock, pairs_.size() - seen); ++i) {
        if (next_ >= pairs_.size()) next_ = 0;
        const std::size_t p = next_++;
        if (basic_[p]) continue;
        double gain = 1.0;
        for (std::uint32_t f : pairs_[p]) gain -= dual_[row_of_[f]];
        if (gain > gain_) {
          gain_ = gain;
          best = static_cast<std::int64_t>(p);
        }
      }
    }
    for (std::size_t r = 0; r < rows_; ++r) {
      if (-dual_[r] > gain_) {
        gain_ = -dual_[r];
        best = slack(r);
      }
    }
    return best;
  }

  bool pivot(std::int64_t entering) {
    fill_step(entering);
    std::size_t leaving = rows_;
    double least = 1e30;
    for (std::size_t i = 0; i < rows_; ++i) {
      if (step_[i] > kLeastPivot && value_[i] < least * step_[i]) {
        least = value_[i] / step_[i];
        leaving = i;
      }
    }
    if (leaving == rows_) return false;
    for (std::size_t i = 0; i < rows_; ++i) value_[i] -= least * step_[i];
    value_[leaving] = least;
    if (in_[leaving] >= 0) basic_[static_cast<std::size_t>(in_[leaving])] = 0;
    if (entering >= 0) basic_[static_cast<std::size_t>(entering)] = 1;
    in_[leaving] = entering;
    update_inverse(leaving);
    return true;
  }
  // How the basic variables fall as the entering one rises: the inverse times its column.
  void fill_step(std::int64_t entering) {
    std::fill(step_.begin(), step_.end(), 0.0f);
    auto add_column = [&](std::size_t row) {
      const float* column = inverse_.data() + row * rows_;
      for (std::size_t i = 0; i < rows_; ++i) step_[i] += column[i];
    };
    if (entering < 0) {
      add_column(static_cast<std::size_t>(-1 - entering));
    } else {
      for (std::uint32_t f : pairs_[static_cast<std::size_t>(entering)]) add_column(row_of_[f]);
    }
  }
  void update_inverse(std::size_t leaving) {
    const float scale = 1.0f / step_[leaving];
    for (std::size_t j = 0; j < rows_; ++j) {
      float* column = inverse_.data() + j * rows_;
      if (column[leaving] == 0.0f) continue;
      const float by = column[leaving] * scale;
      dual_[j] += gain_ * by;
      for (std::size_t i = 0; i < rows_; ++i) column[i] -= by * step_[i];
      column[leaving] = by;
    }
  }

  std::vector<Features> pairs_;
  std::size_t rows_ = 0, next_ = 0, pivots_left_ = 0;
  double gain_ = 0;  // of the entering variable
  std::vector<std::uint32_t> row_of_;
  std::vector<float> inverse_, step_;
  std::vector<double> value_, dual_;
  std::vector<std::int64_t> in_;  // the basic variable of each row
  std::vector<std::uint8_t> basic_;
};

}  // namespace dtfinder
