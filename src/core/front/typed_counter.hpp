// The tables of one node, in the narrowest integers that hold its weight (counter.hpp).
#pragma once

#include "front/kernel.hpp"
#include "front/view.hpp"

namespace dtfinder::front {

template <class T>
class TypedCounter {
 public:
  // Counts single columns. With `keep`, the counts of pairs will be kept; else one row at a time.
  void begin(const View& view, bool keep) {
    const std::size_t n = stride_of(view), m = view.width(), k = view.class_weight.size();
    const std::size_t most = std::max<std::size_t>(view.words + 1, 32);  // bytes come in vectors
    tables_ = {m,
               n,
               k,
               nullptr,
               view.words,
               view.segments.data(),
               view.segments.size(),
               nullptr,
               nullptr,
               nullptr,
               nullptr,
               nullptr,
               nullptr,
               nullptr,
               {},
               keep};
    grow(single_, k * n);
    grow(total_, k);
    grow(least_, 8 * n);
    grow(at_, 2 * most);
    grow(bits_, 2 * most);
    grow(end_, 2 * view.segments.size());
    tables_.single = single_.data();
    tables_.total = total_.data();
    tables_.least = least_.data();
    tables_.scratch = {most, at_.data(), bits_.data(), end_.data()};
    std::fill(single_.begin(), single_.begin() + static_cast<std::ptrdiff_t>(k * n), T{0});
    for (std::size_t c = 0; c < k; ++c) total_[c] = static_cast<T>(view.class_weight[c]);
    for (std::size_t j = 0; j < m; ++j) {
      const Word* column = view.columns.data() + j * view.words;
      for (const Segment& s : view.segments) {
        const auto ones = static_cast<Value>(count(column + s.first, s.words));
        T& sum = single_[static_cast<std::size_t>(s.label) * n + j];
        sum = static_cast<T>(sum + static_cast<T>(ones << s.shift));
      }
    }
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t j = 0; j < n; ++j) {
        T sum = 0, top = 0;
        for (std::size_t c = 0; c < k; ++c) {
          const T one = single_[c * n + j];
          const T cell = side ? one : static_cast<T>(total_[c] - one);
          sum = static_cast<T>(sum + cell);
          top = std::max(top, cell);
        }
        for (std::size_t splits = 0; splits < 4; ++splits) {
          least_[(4 * side + splits) * n + j] = static_cast<T>(sum - top);
        }
      }
    }
  }
  void begin_pairs(const View& view) {
    make_blocks(view);
    const std::size_t rows = tables_.keep ? tables_.columns : 1;
    grow(pair_, rows * tables_.classes * tables_.stride);
    grow(leaf_, 4 * rows * tables_.stride);
    tables_.pair = pair_.data();
    tables_.leaf = leaf_.data();
  }
  // What all counts of a node take, in bytes.
  static std::size_t bytes_for(const View& view) {
    return view.width() * stride_of(view) * (8 + view.class_weight.size()) * sizeof(T);
  }
  // Columns, filled up with zero columns.
  static std::size_t stride_of(const View& view) {
    return (view.width() + kLanesOf<T> - 1) / kLanesOf<T> * kLanesOf<T>;
  }
  void pairs(const Kernel<T>& kernel, const View& view, std::size_t f) {
    kernel.pairs(tables_, view.columns.data(), f);
  }
  void begin_triples() {
    const std::size_t n = tables_.stride, m = tables_.columns;
    grow(split_, 4 * m * n);
    grow(without_, tables_.classes * n);
    tables_.split = split_.data();
    tables_.without = without_.data();
    std::copy_n(leaf_.begin(), 4 * m * n, split_.begin());
  }
  void triples(const Kernel<T>& kernel, const View& view, std::size_t f, std::size_t first,
               std::size_t last) {
    kernel.triples(tables_, view.columns.data(), f, first, last);
  }
  // Errors of a leaf on a quadrant of columns f < i.
  Value leaf(std::size_t f, std::size_t i, std::size_t quadrant) const {
    return leaf_[(4 * f + quadrant) * tables_.stride + i];
  }
  // The least errors with one split on that quadrant; `set` is scratch.
  Value one_split(const Kernel<T>& kernel, const View& view, std::size_t f, std::size_t i,
                  std::size_t quadrant, std::vector<Word>& set) {
    set.resize(view.words);
    view.quadrant(f, quadrant / 2, i, quadrant % 2, set.data());
    grow(class_weight_, tables_.classes);
    for (std::size_t c = 0; c < tables_.classes; ++c) {
      const T both = pair_[(f * tables_.classes + c) * tables_.stride + i];
      const T with_f = single_[c * tables_.stride + f], with_i = single_[c * tables_.stride + i];
      const T cell[4] = {static_cast<T>(total_[c] - with_f - with_i + both),
                         static_cast<T>(with_i - both), static_cast<T>(with_f - both), both};
      class_weight_[c] = cell[quadrant];
    }
    return kernel.one_split(tables_, set.data(), class_weight_.data());
  }
  void children(const Kernel<T>& kernel, std::size_t f) { kernel.children(tables_, f); }

  Value least(std::size_t side, std::size_t splits, std::size_t f) const {
    return least_[(4 * side + splits) * tables_.stride + f];
  }
  Value single(std::size_t label, std::size_t f) const {
    return single_[label * tables_.stride + f];
  }
  // The weight of the rows with a one in both columns, if pairs are kept.
  Value both(std::size_t f, std::size_t g) const {
    if (f > g) std::swap(f, g);
    Value sum = 0;
    const T* row = pair_.data() + f * tables_.classes * tables_.stride + g;
    for (std::size_t c = 0; c < tables_.classes; ++c) sum += row[c * tables_.stride];
    return sum;
  }
  std::size_t bytes() const {
    return sizeof(T) * (single_.capacity() + least_.capacity() + pair_.capacity() +
                        leaf_.capacity() + split_.capacity() + without_.capacity()) +
           8 * blocks_.capacity();
  }

 private:
  // Columns in blocks, word by word, or byte by byte; they start where vectors are aligned.
  void make_blocks(const View& view) {
    constexpr std::size_t kAligned = 64;
    blocks_.assign(tables_.stride * view.words + kAligned / sizeof(Word), 0);
    auto* start = blocks_.data();
    while (reinterpret_cast<std::uintptr_t>(start) % kAligned) ++start;
    tables_.blocks = start;
    for (std::size_t j = 0; j < view.width(); ++j) {
      const Word* from = view.columns.data() + j * view.words;
      if constexpr (sizeof(T) == 1) {
        constexpr std::size_t kEach = kLanesOf<T>;
        std::uint8_t* to = reinterpret_cast<std::uint8_t*>(start + j / kEach * kEach * view.words);
        to += j % kEach;
        for (std::size_t w = 0; w < view.words; ++w) {
          for (std::size_t b = 0; b < 8; ++b)
            to[(8 * w + b) * kEach] = static_cast<std::uint8_t>(from[w] >> 8 * b);
        }
      } else {
        Word* to = start + j / kBlock * kBlock * view.words + j % kBlock;
        for (std::size_t w = 0; w < view.words; ++w) to[w * kBlock] = from[w];
      }
    }
  }
  template <class Vector>
  static void grow(Vector& vector, std::size_t size) {
    if (vector.size() < size) vector.resize(size);
  }
  Tables<T> tables_{};
  std::vector<T> single_, total_, pair_, leaf_, split_, without_, least_, class_weight_;
  std::vector<std::uint32_t> at_, end_;
  std::vector<Word> bits_, blocks_;
};

}  // namespace dtfinder::front
