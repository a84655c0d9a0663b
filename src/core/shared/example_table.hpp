// The table as the search sees it: rows over features, columns over examples, classes.
//
// Examples are renumbered at set-up, hardest first: those that lie near an example of another class
// decide most cores, so whatever walks a set in ascending order meets them early. Nearness is
// measured against a sample of at most `kSample` examples, so set-up is linear in the table. The
// order is a heuristic only; `original` leads back to the caller's numbers.
#pragma once

#include <algorithm>
#include <numeric>

#include "shared/example_set.hpp"

namespace dtfinder {

// What the caller hands over: a row-major 0/1 table of distinct rows, and a class for each of them.
struct RawTable {
  const bool* bits;
  const std::int64_t* labels;
  std::size_t rows;
  std::size_t columns;
};

template <int W>
class ExampleTable {
 public:
  explicit ExampleTable(const RawTable& raw)
      : count_(raw.rows), features_(raw.columns), row_words_(words_for(raw.columns)) {
    assert(raw.rows > 0);
    pack_rows(raw);
    sort_by_hardness();
    fill_columns();
  }

  std::size_t count() const { return count_; }
  std::size_t features() const { return features_; }
  std::size_t classes() const { return of_class_.size(); }
  std::size_t row_words() const { return row_words_; }
  std::size_t set_words() const { return words_for(count_); }
  const Word* row(std::size_t e) const {
    assert(e < count_);
    return rows_.data() + e * row_words_;
  }
  const Set<W>& column(std::size_t f) const {
    assert(f < features_);
    return columns_[f];
  }
  const Set<W>& of_class(std::size_t c) const { return of_class_[c]; }
  std::size_t label(std::size_t e) const { return labels_[e]; }
  std::size_t original(std::size_t e) const { return original_[e]; }
  bool bit(std::size_t e, std::size_t f) const { return row(e)[f / 64] >> (f % 64) & 1; }
  Set<W> none() const { return Set<W>(set_words()); }
  Set<W> all() const { return Set<W>::full(count_); }

  // The number of features in which two examples differ.
  std::size_t distance(std::size_t a, std::size_t b) const {
    return count_difference(row(a), row(b), row_words_);
  }
  // The rows `first`, `first + step`, and so on, side by side.
  std::vector<Word> every(std::size_t step, std::size_t first) const {
    std::vector<Word> sample;
    for (std::size_t e = first; e < count_; e += step) {
      sample.insert(sample.end(), row(e), row(e) + row_words_);
    }
    return sample;
  }
  std::size_t bytes() const {
    return (rows_.size() + features_ * set_words()) * sizeof(Word) + count_ * 16;
  }

 private:
  static constexpr std::size_t kSample = 256;

  void pack_rows(const RawTable& raw) {
    rows_.assign(count_ * row_words_, 0);
    labels_.resize(count_);
    original_.resize(count_);
    std::iota(original_.begin(), original_.end(), std::size_t{0});
    std::size_t classes = 0;
    for (std::size_t e = 0; e < count_; ++e) {
      assert(raw.labels[e] >= 0);
      labels_[e] = static_cast<std::size_t>(raw.labels[e]);
      classes = std::max(classes, labels_[e] + 1);
      const bool* from = raw.bits + e * features_;
      Word* to = rows_.data() + e * row_words_;
      for (std::size_t f = 0; f < features_; ++f) to[f / 64] |= Word{from[f]} << (f % 64);
    }
    of_class_.assign(classes, none());
  }

  void sort_by_hardness() {
    std::vector<std::size_t> nearest(count_, features_ + 1);
    const std::size_t step = std::max<std::size_t>(1, count_ / kSample);
    // Examples of the same remainder share their sample: it stays in the cache while they use it.
    for (std::size_t first = 0; first < step; ++first) {
      const std::vector<Word> sample = every(step, first);
      for (std::size_t e = first; e < count_; e += step) {
        const Word* other = sample.data();
        for (std::size_t o = first; o < count_; o += step, other += row_words_) {
          if (labels_[o] == labels_[e]) continue;
          nearest[e] = std::min(nearest[e], count_difference(row(e), other, row_words_));
        }
      }
    }
    std::vector<std::size_t> order(count_);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return nearest[a] < nearest[b]; });
    std::vector<Word> rows(rows_.size());
    std::vector<std::size_t> labels(count_);
    for (std::size_t e = 0; e < count_; ++e) {
      std::copy_n(rows_.begin() + static_cast<long>(order[e] * row_words_), row_words_,
                  rows.begin() + static_cast<long>(e * row_words_));
      labels[e] = labels_[order[e]];
    }
    rows_.swap(rows);
    labels_.swap(labels);
    original_.swap(order);
  }

  void fill_columns() {
    columns_.assign(features_, none());
    for (std::size_t e = 0; e < count_; ++e) {
      of_class_[labels_[e]].add(e);
      for (std::size_t i = 0; i < row_words_; ++i) {
        for (Word left = row(e)[i]; left; left &= left - 1) {
          columns_[i * 64 + static_cast<std::size_t>(std::countr_zero(left))].add(e);
        }
      }
    }
  }

  std::size_t count_, features_, row_words_;
  std::vector<Word> rows_;
  std::vector<std::size_t> labels_, original_;
  std::vector<Set<W>> columns_, of_class_;
};

}  // namespace dtfinder
