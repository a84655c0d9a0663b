// A sparse factorisation of a basis, and products with its inverse.
//
// B = LU by elimination: columns and rows with a single entry go first, which uses up most of the
// bases that the spine program meets, and the rest is eliminated with short rows first (Markowitz
// 1957), pivots no smaller than a tenth of their row's largest. A change of one column is kept as
// an eta vector (product form) by whoever holds the factor, so that many copies of a linear program
// can share one factor; see spine/simplex.hpp.
//
// A basis lives in two spaces: rows of the program, and positions, the places of its columns.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace dtfinder {

class SpineFactor {
 public:
  struct Entry {
    int at;
    double value;
  };
  using Rows = std::vector<std::vector<Entry>>;  // by row of the basis: (position, value)

  // False if the basis is singular, as far as one can tell.
  bool make(Rows basis) {
    start(std::move(basis));
    take_lone_columns();
    for (int row = 0; row < size_; ++row) {
      if (open_row_[at(row)] && rows_[at(row)].size() == 1) lone_rows_.push_back(row);
    }
    while (static_cast<int>(pivots_.size()) < size_) {
      const int row = next_row();
      if (row < 0 || !eliminate(row)) return false;
    }
    finish();
    return true;
  }
  std::size_t entries() const { return below_.size() + across_.size(); }

  // x := inverse * x; from rows to positions.
  void forward(std::vector<double>& x, std::vector<double>& scratch) const {
    for (const Step& step : steps_) {
      const double t = x[at(step.row)];
      if (t == 0.0) continue;
      for (std::size_t i = step.first; i < step.last; ++i) {
        x[at(below_[i].at)] -= below_[i].value * t;
      }
    }
    scratch.assign(at(size_), 0.0);
    for (std::size_t k = pivots_.size(); k-- > 0;) {
      const Pivot& pivot = pivots_[k];
      if (x[at(pivot.row)] == 0.0) continue;
      const double t = x[at(pivot.row)] / pivot.value;
      for (std::size_t i = pivot.first_up; i < pivot.last_up; ++i) {
        x[at(up_[i].at)] -= up_[i].value * t;
      }
      scratch[at(pivot.position)] = t;
    }
    x.swap(scratch);
  }
  // v := v * inverse; from positions to rows.
  void backward(std::vector<double>& v, std::vector<double>& scratch) const {
    scratch.assign(at(size_), 0.0);
    for (const Pivot& pivot : pivots_) {
      if (v[at(pivot.position)] == 0.0) continue;
      const double t = v[at(pivot.position)] / pivot.value;
      for (std::size_t i = pivot.first; i < pivot.last; ++i) {
        v[at(across_[i].at)] -= across_[i].value * t;
      }
      scratch[at(pivot.row)] = t;
    }
    for (std::size_t k = steps_.size(); k-- > 0;) {
      double sum = 0.0;
      for (std::size_t i = steps_[k].first; i < steps_[k].last; ++i) {
        sum += below_[i].value * scratch[at(below_[i].at)];
      }
      scratch[at(steps_[k].row)] -= sum;
    }
    v.swap(scratch);
  }

 private:
  struct Pivot {
    int row, position;
    double value;
    std::size_t first, last, first_up, last_up;
  };
  struct Step {  // row `at` loses `value` times row `row`
    int row;
    std::size_t first, last;
  };
  static constexpr double kTiny = 1e-9, kShare = 0.1, kDrop = 1e-13;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  void start(Rows basis) {
    rows_ = std::move(basis);
    size_ = static_cast<int>(rows_.size());
    open_row_.assign(rows_.size(), 1);
    column_.assign(rows_.size(), {});
    count_.assign(rows_.size(), 0);
    place_.assign(rows_.size(), -1);
    for (int row = 0; row < size_; ++row) {
      for (const Entry& entry : rows_[at(row)]) {
        column_[at(entry.at)].push_back(row);
        ++count_[at(entry.at)];
      }
    }
  }
  void take_lone_columns() {
    std::vector<int> lone;
    for (int c = 0; c < size_; ++c) {
      if (count_[at(c)] == 1) lone.push_back(c);
    }
    while (!lone.empty()) {
      const int c = lone.back();
      lone.pop_back();
      if (count_[at(c)] != 1) continue;
      for (int row : column_[at(c)]) {
        if (!open_row_[at(row)]) continue;
        auto& entries = rows_[at(row)];
        const auto found = std::find_if(entries.begin(), entries.end(),
                                        [&](const Entry& entry) { return entry.at == c; });
        if (std::fabs(found->value) < kTiny) break;
        close(row, static_cast<std::size_t>(found - entries.begin()));
        for (std::size_t i = pivots_.back().first; i < pivots_.back().last; ++i) {
          if (count_[at(across_[i].at)] == 1) lone.push_back(across_[i].at);
        }
        break;
      }
    }
  }
  // Makes the entry of `row` a pivot; what else is in the row goes into U.
  void close(int row, std::size_t chosen) {
    auto& entries = rows_[at(row)];
    Pivot pivot{row, entries[chosen].at, entries[chosen].value, across_.size(), 0, 0, 0};
    for (std::size_t i = 0; i < entries.size(); ++i) {
      --count_[at(entries[i].at)];
      if (i != chosen) across_.push_back(entries[i]);
    }
    count_[at(pivot.position)] = 0;
    pivot.last = across_.size();
    pivots_.push_back(pivot);
    open_row_[at(row)] = 0;
  }
  int next_row() {
    while (!lone_rows_.empty()) {
      const int row = lone_rows_.back();
      lone_rows_.pop_back();
      if (open_row_[at(row)] && rows_[at(row)].size() == 1) return row;
    }
    if (left_.empty()) {
      for (int row = 0; row < size_; ++row) left_.push_back(row);
    }
    int best = -1;
    std::size_t kept = 0;
    for (int row : left_) {
      if (!open_row_[at(row)]) continue;
      left_[kept++] = row;
      if (rows_[at(row)].empty()) return -1;
      if (best < 0 || rows_[at(row)].size() < rows_[at(best)].size()) best = row;
    }
    left_.resize(kept);
    return best;
  }
  bool eliminate(int row) {
    const auto& entries = rows_[at(row)];
    double largest = 0.0;
    for (const Entry& entry : entries) largest = std::max(largest, std::fabs(entry.value));
    if (largest < kTiny) return false;
    std::size_t chosen = entries.size();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (std::fabs(entries[i].value) < kShare * largest) continue;
      if (chosen == entries.size() || count_[at(entries[i].at)] < count_[at(entries[chosen].at)]) {
        chosen = i;
      }
    }
    close(row, chosen);
    const Pivot pivot = pivots_.back();
    Step step{row, below_.size(), 0};
    for (int other : column_[at(pivot.position)]) {
      if (open_row_[at(other)]) subtract(other, pivot);
    }
    step.last = below_.size();
    if (step.last > step.first) steps_.push_back(step);
    return true;
  }
  // Subtracts a multiple of the pivot's row from row `other`: its entry in the pivot's column goes.
  void subtract(int other, const Pivot& pivot) {
    auto& entries = rows_[at(other)];
    const auto found = std::find_if(entries.begin(), entries.end(),
                                    [&](const Entry& entry) { return entry.at == pivot.position; });
    if (found == entries.end()) return;
    const double times = found->value / pivot.value;
    *found = entries.back();
    entries.pop_back();
    below_.push_back({other, times});
    for (std::size_t i = 0; i < entries.size(); ++i) {
      place_[at(entries[i].at)] = static_cast<int>(i);
    }
    for (std::size_t i = pivot.first; i < pivot.last; ++i) {
      const Entry entry = across_[i];
      if (place_[at(entry.at)] >= 0) {
        entries[at(place_[at(entry.at)])].value -= times * entry.value;
      } else {
        entries.push_back({entry.at, -times * entry.value});
        column_[at(entry.at)].push_back(other);
        ++count_[at(entry.at)];
      }
    }
    std::size_t kept = 0;
    for (const Entry entry : entries) {
      place_[at(entry.at)] = -1;
      if (std::fabs(entry.value) > kDrop) {
        entries[kept++] = entry;
      } else {
        --count_[at(entry.at)];
      }
    }
    entries.resize(kept);
    if (kept == 1) lone_rows_.push_back(other);
  }
  void finish() {
    std::vector<std::size_t> first(at(size_) + 1, 0);
    for (const Entry& entry : across_) ++first[at(entry.at) + 1];
    for (std::size_t c = 0; c < at(size_); ++c) first[c + 1] += first[c];
    up_.resize(across_.size());
    std::vector<std::size_t> fill(first.begin(), first.end() - 1);
    for (Pivot& pivot : pivots_) {
      pivot.first_up = first[at(pivot.position)];
      pivot.last_up = first[at(pivot.position) + 1];
      for (std::size_t i = pivot.first; i < pivot.last; ++i) {
        up_[fill[at(across_[i].at)]++] = {pivot.row, across_[i].value};
      }
    }
    rows_ = {};
    column_ = {};
    left_ = {};
    lone_rows_ = {};
  }

  int size_ = 0;
  std::vector<Pivot> pivots_;
  std::vector<Step> steps_;
  std::vector<Entry> below_, across_, up_;
  // While it is made.
  Rows rows_;
  std::vector<std::vector<int>> column_;
  std::vector<char> open_row_;
  std::vector<int> count_, place_, left_, lone_rows_;
};

}  // namespace dtfinder
