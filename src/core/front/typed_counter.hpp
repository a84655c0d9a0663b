// The tables of one node, in the narrowest integers that hold its weight (counter.hpp).
#pragma once

#include "front/kernel.hpp"
#include "front/view.hpp"

namespace dtfinder::front {

template <class T>
class TypedCounter {
  using U = Score<T>;

 public:
  // Counts single columns. With `keep`, the counts of pairs will be kept; else one row at a time.
  void begin(const View& view, std::size_t vector, bool keep) {
    const std::size_t n = stride_of(view), m = view.width();
    const bool two = view.class_weight.size() <= 2;
    const std::size_t planes = planes_of(view);
    // A vector is written where less than one is left.
    const std::size_t most = view.words * (8 / sizeof(T)) + kWidest;
    grow(single_, planes * n);
    grow(total_, planes);
    grow(with_, n);
    grow(best_, 8 * n);
    grow(at_, most);
    grow(bits_, most);
    grow(end_, view.segments.size());
    tables_ = {};
    tables_.two = two;
    tables_.plain = two && view.segments.size() <= 2;
    for (const Segment& segment : view.segments) tables_.plain &= segment.shift == 0;
    tables_.columns = m;
    tables_.stride = n;
    tables_.planes = planes;
    tables_.lanes = vector / sizeof(T);
    tables_.words = view.words;
    tables_.segments = view.segments.data();
    tables_.segment_count = view.segments.size();
    tables_.single = single_.data();
    tables_.total = total_.data();
    tables_.best = best_.data();
    tables_.scratch = {most, at_.data(), bits_.data(), end_.data()};
    tables_.keep = keep;
    weight_ = view.weight;
    std::fill_n(single_.begin(), planes * n, T{0});
    std::fill_n(total_.begin(), planes, T{0});
    std::fill_n(with_.begin(), n, Value{0});
    for (std::size_t c = 0; c < view.class_weight.size(); ++c)
      add(total_[two ? 0 : c], view.class_weight[c], two && c == 1);
    for (std::size_t j = 0; j < m; ++j) {
      const Word* column = view.columns.data() + j * view.words;
      for (const Segment& s : view.segments) {
        const Value ones = static_cast<Value>(count(column + s.first, s.words)) << s.shift;
        add(single_[(two ? 0 : static_cast<std::size_t>(s.label)) * n + j], ones,
            two && s.label == 1);
        with_[j] += ones;
      }
    }
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t j = 0; j < n; ++j) {
        U top = 0;
        for (std::size_t p = 0; p < planes; ++p) {
          const T one = single_[p * n + j];
          const T cell = side ? one : static_cast<T>(total_[p] - one);
          top = std::max(top, static_cast<U>(two && cell < 0 ? -cell : cell));
        }
        for (std::size_t splits = 0; splits < 4; ++splits) best_[(4 * side + splits) * n + j] = top;
      }
    }
  }
  void begin_pairs(const View& view) {
    make_blocks(view);
    const std::size_t rows = tables_.keep ? tables_.columns : 1, n = tables_.stride;
    grow(pair_, rows * tables_.planes * n);
    grow(together_, rows * n);
    grow(leaf_, 4 * rows * n);
    tables_.pair = pair_.data();
    tables_.together = together_.data();
    tables_.leaf = leaf_.data();
  }
  // What all counts of a node take, in bytes.
  static std::size_t bytes_for(const View& view) {
    return view.width() * stride_of(view) * (5 + planes_of(view)) * sizeof(T);
  }
  // Columns, filled up with zero columns.
  static std::size_t stride_of(const View& view) {
    constexpr std::size_t kEach = kWidest / sizeof(T);
    return (view.width() + kEach - 1) / kEach * kEach;
  }
  void pairs(const Kernel<T>& kernel, const View& view, std::size_t f) {
    kernel.pairs(tables_, view.columns.data(), f);
  }
  // Before triples are counted. Where columns have `dense` chunks or more on average, each triple
  // is counted once, and kept, as far as memory allows.
  void begin_triples(const Kernel<T>& kernel, std::size_t dense) {
    const std::size_t n = tables_.stride, m = tables_.columns, planes = tables_.planes;
    // Pairs of columns, both ways round.
    for (std::size_t f = tables_.lanes; f < m; ++f) {
      for (std::size_t p = 0; p < planes; ++p) {
        for (std::size_t j = 0; j < lane_of(f); ++j)
          pair_[(f * planes + p) * n + j] = pair_[(j * planes + p) * n + f];
      }
    }
    Value items = 0;
    for (std::size_t f = 0; f < m; ++f) items += with_[f];
    const std::size_t rows = m * (m - 1) / 2 * planes * n;
    tables_.keep_triples = static_cast<std::size_t>(items) >= dense * 8 * sizeof(T) * m &&
                           sizeof(T) * rows <= kTriples;
    if (tables_.keep_triples) grow(triple_, rows);
    tables_.triple = triple_.data();
    grow(split_, 4 * n);
    grow(without_, planes * n);
    tables_.split = split_.data();
    tables_.without = without_.data();
    // No column has more ones than zeros, and chunks of a segment may be half empty.
    const std::size_t chunks = tables_.words * (8 / sizeof(T));
    grow(gathered_, n * (chunks + tables_.segment_count));
    grow(gathered_end_, tables_.segment_count);
    // Of one column, items are packed behind the rows; a vector is written where less is left.
    grow(rows_,
         (words_for(n) + 1) * 64 * tables_.words + 8 * sizeof(T) * tables_.segment_count + 8);
    tables_.rows = rows_.data();
    tables_.gathered = {gathered_.data(), gathered_end_.data(), 0};
    kernel.lay_rows(tables_);
  }
  // The first column whose triples with f are to be counted.
  std::size_t first_with(std::size_t f) const { return tables_.keep_triples ? f + 1 : 0; }
  // Before triples of column f are counted; returns about what it takes.
  std::uint64_t gather(const Kernel<T>& kernel, const View& view, std::size_t f) {
    tables_.gathered.from = tables_.keep_triples ? lane_of(f) : 0;
    kernel.gather(tables_, view.columns.data(), f);
    return gathered() * tables_.stride / 8;
  }
  std::size_t gathered() const { return gathered_end_[tables_.segment_count - 1]; }  // chunks
  void triples(const Kernel<T>& kernel, std::size_t f, std::size_t first, std::size_t last) {
    kernel.triples(tables_, f, first, last);
  }
  // Weights of the quadrants of columns f < i.
  std::array<Value, 4> quadrants(std::size_t f, std::size_t i) const {
    const Value all = both(f, i);
    return {weight_ - with_[f] - with_[i] + all, with_[i] - all, with_[f] - all, all};
  }
  // Errors of a leaf on a quadrant of that weight.
  Value leaf(std::size_t f, std::size_t i, std::size_t quadrant, Value weight) const {
    return errors(weight, leaf_[(4 * f + quadrant) * tables_.stride + i]);
  }
  // The least errors with one split on that quadrant; `set` is scratch.
  Value one_split(const Kernel<T>& kernel, const View& view, std::size_t f, std::size_t i,
                  std::size_t quadrant, std::vector<Word>& set) {
    set.resize(view.words);
    view.quadrant(f, quadrant / 2, i, quadrant % 2, set.data());
    grow(plane_weight_, tables_.planes);
    for (std::size_t p = 0; p < tables_.planes; ++p) {
      const T both = pair_[(f * tables_.planes + p) * tables_.stride + i];
      const T with_f = single_[p * tables_.stride + f], with_i = single_[p * tables_.stride + i];
      const T cell[4] = {static_cast<T>(total_[p] - with_f - with_i + both),
                         static_cast<T>(with_i - both), static_cast<T>(with_f - both), both};
      plane_weight_[p] = cell[quadrant];
    }
    return errors(quadrants(f, i)[quadrant],
                  kernel.one_split(tables_, set.data(), plane_weight_.data()));
  }
  void thirds(const Kernel<T>& kernel, std::size_t f) { kernel.thirds(tables_, f); }

  // The least errors of the child of column f on a side with so many splits.
  Value least(std::size_t side, std::size_t splits, std::size_t f) const {
    return errors(side ? with_[f] : weight_ - with_[f],
                  best_[(4 * side + splits) * tables_.stride + f]);
  }
  // The weight of a class with a one in column f.
  Value single(std::size_t label, std::size_t f) const {
    if (!tables_.two) return single_[label * tables_.stride + f];
    return (with_[f] + (label ? -Value{single_[f]} : Value{single_[f]})) / 2;
  }
  // The weight of the rows with a one in column f.
  Value with(std::size_t f) const { return with_[f]; }
  // The weight of the rows with a one in both columns, if pairs are kept.
  Value both(std::size_t f, std::size_t g) const {
    if (f > g) std::swap(f, g);
    return static_cast<Value>(together_[f * tables_.stride + g]);
  }
  std::size_t bytes() const {
    return sizeof(T) *
               (single_.capacity() + best_.capacity() + pair_.capacity() + together_.capacity() +
                triple_.capacity() + without_.capacity() + leaf_.capacity() + split_.capacity() +
                blocks_.capacity() + gathered_.capacity()) +
           8 * rows_.capacity();
  }

 private:
  static constexpr std::size_t kTriples = 64 << 20;  // bytes

  std::size_t lane_of(std::size_t column) const { return column - column % tables_.lanes; }
  static std::size_t planes_of(const View& view) {
    return view.class_weight.size() <= 2 ? 1 : view.class_weight.size();
  }
  static void add(T& sum, Value weight, bool minus) {
    sum = static_cast<T>(minus ? Value{sum} - weight : Value{sum} + weight);
  }
  Value errors(Value weight, U score) const {
    const Value rest = weight - static_cast<Value>(score);
    return tables_.two ? rest / 2 : rest;
  }
  // Columns in blocks, chunk by chunk.
  void make_blocks(const View& view) {
    constexpr std::size_t kEach = 8 / sizeof(T);
    const std::size_t chunks = view.words * kEach, across = tables_.lanes;
    grow(blocks_, tables_.stride * chunks);
    tables_.blocks = blocks_.data();
    for (std::size_t j = 0; j < tables_.stride; ++j) {
      U* to = blocks_.data() + lane_of(j) * chunks + j % across;
      const Word* from = view.columns.data() + j * view.words;
      for (std::size_t w = 0; w < view.words; ++w) {
        const Word bits = j < view.width() ? from[w] : 0;
        for (std::size_t k = 0; k < kEach; ++k) {
          *to = static_cast<U>(bits >> (k * 8 * sizeof(T)) % 64);
          to += across;
        }
      }
    }
  }
  template <class Vector>
  static void grow(Vector& vector, std::size_t size) {
    if (vector.size() < size) vector.resize(size);
  }
  Tables<T> tables_{};
  Value weight_ = 0;
  AlignedVector<T> single_, pair_, triple_, without_;
  AlignedVector<U> together_, leaf_, split_, best_, at_, blocks_, gathered_;
  AlignedVector<Word> rows_;
  AlignedVector<typename Sparse<T>::Bits> bits_;
  std::vector<T> total_, plane_weight_;
  std::vector<Value> with_;  // by column: the weight with a one
  std::vector<std::uint32_t> end_, gathered_end_;
};

}  // namespace dtfinder::front
