// The table: distinct rows of 0/1 features, each row with a weight for every class.
//
// What all classes of a row have in common is wrong in every tree but for one class, whatever the
// tree does: with least weight w among k classes, (k - 1)·w is lost. It is taken off and counted as
// `unavoidable`; with two classes every row then has one class. Rows that are left without any
// weight are dropped.
//
// A row of weight 5 = 4 + 1 counts as two *items*, one of weight 4 and one of weight 1. Items of
// equal class and weight form a segment, so weights are counted by popcounts, too. Where few rows
// weigh more than one, they count as items of weight 1 instead: counting is quicker in one segment
// for each class.
#pragma once

#include <algorithm>
#include <array>
#include <stdexcept>

#include "front/kernel.hpp"

namespace dtfinder::front {

struct RawWeights {
  const bool* bits;             // rows x features
  const std::int64_t* weights;  // rows x classes
  std::size_t rows, features, classes;
};

class Table {
 public:
  explicit Table(const RawWeights& raw) : features_(raw.features), classes_(raw.classes) {
    if (raw.rows == 0 || raw.classes == 0) throw std::invalid_argument("the table is empty");
    weights_.reserve(raw.rows * classes_);
    double sum = 0;
    for (std::size_t r = 0; r < raw.rows; ++r) {
      const std::int64_t* given = raw.weights + r * classes_;
      const auto [low, high] = std::minmax_element(given, given + classes_);
      if (*low < 0) throw std::invalid_argument("weights must not be negative");
      for (std::size_t c = 0; c < classes_; ++c) sum += static_cast<double>(given[c]);
      if (sum > 1e17) throw std::invalid_argument("weights must not exceed 1e17 in all");
      const std::int64_t common = classes_ > 1 ? *low : 0;
      unavoidable_ += common * static_cast<Value>(classes_ - 1);
      if (*high == common) continue;
      for (std::size_t c = 0; c < classes_; ++c) weights_.push_back(given[c] - common);
      row_of_.push_back(r);
    }
    words_ = words_for(rows());
    bits_.assign(words_ * features_, 0);
    for (std::size_t r = 0; r < rows(); ++r) {
      const bool* given = raw.bits + row_of_[r] * features_;
      const Word bit = Word{1} << (r % 64);
      for (std::size_t f = 0; f < features_; ++f) {
        if (given[f]) bits_[f * words_ + r / 64] |= bit;
      }
    }
    make_planes();
  }

  std::size_t rows() const { return row_of_.size(); }
  std::size_t features() const { return features_; }
  std::size_t classes() const { return classes_; }
  std::size_t words() const { return words_; }
  const Word* column(std::size_t f) const { return bits_.data() + f * words_; }
  bool bit(std::size_t row, std::size_t f) const { return column(f)[row / 64] >> (row % 64) & 1; }
  const std::int64_t* weights(std::size_t row) const { return weights_.data() + row * classes_; }
  std::size_t original(std::size_t row) const { return row_of_[row]; }
  std::int64_t most_weight() const { return most_weight_; }  // of a row for a class
  // Whether rows that count once for each unit of their weight are not many more.
  bool is_light() const {
    return most_weight_ <= 16 && 2 * weight_ <= static_cast<Value>(3 * rows());
  }
  Value unavoidable() const { return unavoidable_; }
  // The least errors of any tree, beyond those: with three classes or more, what is not of a row's
  // heaviest class.
  Value least_errors() const { return least_errors_; }
  std::size_t bytes() const {
    return 8 * (bits_.capacity() + weights_.capacity() + row_of_.capacity() + planes_.size());
  }

  // An upper bound on what the rows of `a` outside `b` can add to the errors of a tree.
  Value weight_outside(const Word* a, const Word* b, const Kernels& kernels) const {
    Value sum = 0;
    for (std::size_t p = 0; p * words_ < planes_.size(); ++p)
      sum += kernels.outside(a, b, planes_.data() + p * words_, words_) << p;
    return sum;
  }

 private:
  void make_planes() {
    std::int64_t most = 0;
    std::vector<std::int64_t> total(rows());
    for (std::size_t r = 0; r < rows(); ++r) {
      for (std::size_t c = 0; c < classes_; ++c) {
        total[r] += weights(r)[c];
        most_weight_ = std::max(most_weight_, weights(r)[c]);
      }
      least_errors_ += total[r] - *std::max_element(weights(r), weights(r) + classes_);
      most = std::max(most, total[r]);
      weight_ += total[r];
    }
    planes_.assign(words_ * static_cast<std::size_t>(std::bit_width(static_cast<Word>(most))), 0);
    for (std::size_t r = 0; r < rows(); ++r) {
      for (std::size_t p = 0; total[r] >> p; ++p) {
        if (total[r] >> p & 1) planes_[p * words_ + r / 64] |= Word{1} << (r % 64);
      }
    }
  }

  std::size_t features_, classes_, words_ = 0;
  Value weight_ = 0, unavoidable_ = 0, least_errors_ = 0;
  std::int64_t most_weight_ = 0;
  std::vector<std::size_t> row_of_;
  std::vector<std::int64_t> weights_;
  std::vector<Word> bits_;
  std::vector<Word> planes_;  // by power of two: the rows whose weight has it
};

}  // namespace dtfinder::front
