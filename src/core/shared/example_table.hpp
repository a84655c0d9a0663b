// The table as the search sees it: rows over features, columns over examples, classes.
//
// Examples are renumbered at set-up, hardest first: those that lie near an example of another class
// decide most cores, so whatever walks a set in ascending order meets them early. Nearness is
// measured against a sample of at most `kSample` examples, so set-up is linear in the table. The
// order is a heuristic only; `original` leads back to the caller's numbers.
//
// An example may allow several classes: a leaf is right if it has one that all its examples allow.
// Examples that allow the same classes have the same *label*. Where each allows one class only, the
// labels are the classes, and a set of examples is pure if it is of one label. Otherwise `sets()`,
// and a set is pure if the examples of its labels have a class in common. Two labels are *opposite*
// if they have none; but {a, b}, {b, c} and {a, c} are impure together, though no two are opposite.
#pragma once

#include <algorithm>
#include <numeric>

#include "shared/example_set.hpp"

namespace dtfinder {

// What the caller hands over: a row-major 0/1 table of distinct rows, and a label for each of them:
// its class, or, with `allowed`, the row of that matrix that says which classes it allows.
struct RawTable {
  const bool* bits;
  const std::int64_t* labels;
  std::size_t rows;
  std::size_t columns;
  const bool* allowed = nullptr;  // labels x classes, row-major; each label allows one or more
  std::size_t label_count = 0;
  std::size_t class_count = 0;
};

template <int W>
class ExampleTable {
 public:
  explicit ExampleTable(const RawTable& raw)
      : count_(raw.rows), features_(raw.columns), row_words_(words_for(raw.columns)) {
    assert(raw.rows > 0);
    pack_rows(raw);
    note_sets(raw);
    sort_by_hardness();
    fill_columns();
  }

  std::size_t count() const { return count_; }
  std::size_t features() const { return features_; }
  std::size_t labels() const { return of_label_.size(); }
  // Whether examples allow sets of classes; if not, the labels are the classes.
  bool sets() const { return !allows_.empty(); }
  std::size_t classes() const { return sets() ? allows_.size() : labels(); }
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
  const Set<W>& of_label(std::size_t l) const { return of_label_[l]; }
  std::size_t label(std::size_t e) const { return labels_[e]; }
  // The examples that allow class `c`; the labels that do not.
  const Set<W>& allow(std::size_t c) const { return sets() ? allows_[c] : of_label_[c]; }
  const std::vector<std::uint32_t>& labels_against(std::size_t c) const {
    assert(sets());
    return against_[c];
  }
  // Whether two examples allow no class in common.
  bool opposite(std::size_t a, std::size_t b) const {
    if (!sets()) return labels_[a] != labels_[b];
    return opposite_[labels_[a] * labels() + labels_[b]];
  }
  // A class that all of `x` allow, or -1 if `x` is impure; `x` must not be empty.
  std::int32_t common_class(const Set<W>& x) const {
    if (!sets()) {
      const std::size_t label = labels_[x.first()];
      return x.inside(of_label_[label]) ? static_cast<std::int32_t>(label) : -1;
    }
    for (std::size_t c = 0; c < allows_.size(); ++c) {
      if (x.inside(allows_[c])) return static_cast<std::int32_t>(c);
    }
    return -1;
  }
  bool pure(const Set<W>& x) const { return common_class(x) >= 0; }
  // A few examples of `x` that no class is common to, those of `near` before others; sets only.
  Set<W> impure_few(const Set<W>& x, const Set<W>& near) const {
    assert(sets() && !pure(x));
    std::vector<std::size_t> left(classes());  // the classes that all chosen examples allow
    std::iota(left.begin(), left.end(), std::size_t{0});
    Set<W> chosen = none();
    for (const Set<W>& part : {x & near, x.without(near)}) {
      while (!left.empty()) {
        std::size_t best = count_, fewest = left.size();
        part.each([&](std::size_t e) {
          const auto kept = std::count_if(left.begin(), left.end(),
                                          [&](std::size_t c) { return allows_[c].has(e); });
          if (static_cast<std::size_t>(kept) >= fewest) return;
          fewest = static_cast<std::size_t>(kept);
          best = e;
        });
        if (best == count_) break;  // all others are in what is left
        chosen.add(best);
        std::erase_if(left, [&](std::size_t c) { return !allows_[c].has(best); });
      }
    }
    return chosen;
  }
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
    std::size_t labels = raw.label_count;
    for (std::size_t e = 0; e < count_; ++e) {
      assert(raw.labels[e] >= 0);
      labels_[e] = static_cast<std::size_t>(raw.labels[e]);
      labels = std::max(labels, labels_[e] + 1);
      const bool* from = raw.bits + e * features_;
      Word* to = rows_.data() + e * row_words_;
      for (std::size_t f = 0; f < features_; ++f) to[f / 64] |= Word{from[f]} << (f % 64);
    }
    of_label_.assign(labels, none());
  }

  void note_sets(const RawTable& raw) {
    if (!raw.allowed) return;
    assert(labels() == raw.label_count);
    allows_.assign(raw.class_count, none());
    against_.resize(raw.class_count);
    opposite_.assign(labels() * labels(), true);
    for (std::size_t c = 0; c < raw.class_count; ++c) {
      for (std::size_t l = 0; l < labels(); ++l) {
        if (!raw.allowed[l * raw.class_count + c]) {
          against_[c].push_back(static_cast<std::uint32_t>(l));
          continue;
        }
        for (std::size_t k = 0; k < labels(); ++k) {
          if (raw.allowed[k * raw.class_count + c]) opposite_[l * labels() + k] = false;
        }
      }
    }
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
          if (!opposite(o, e)) continue;
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
      of_label_[labels_[e]].add(e);
      for (std::size_t i = 0; i < row_words_; ++i) {
        for (Word left = row(e)[i]; left; left &= left - 1) {
          columns_[i * 64 + static_cast<std::size_t>(std::countr_zero(left))].add(e);
        }
      }
    }
    for (std::size_t c = 0; c < allows_.size(); ++c) {
      allows_[c] = all();
      for (std::uint32_t l : against_[c]) allows_[c] = allows_[c].without(of_label_[l]);
    }
  }

  std::size_t count_, features_, row_words_;
  std::vector<Word> rows_;
  std::vector<std::size_t> labels_, original_;
  std::vector<Set<W>> columns_, of_label_, allows_;  // the last by class, for sets only
  std::vector<std::vector<std::uint32_t>> against_;  // by class, for sets only
  std::vector<bool> opposite_;                       // labels x labels, for sets only
};

}  // namespace dtfinder
