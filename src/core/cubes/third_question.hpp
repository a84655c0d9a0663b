// The best third question: for a quadrant of two questions, which split of it errs least?
//
// Of two questions f and g and all questions k of a column we have the counts of f∧g∧k, f∧k, g∧k
// and k, as four lines over k; the counts of a quadrant such as f∧¬g∧k follow by subtraction, and
// those of its other half from the counts of the quadrant.
//
// The thresholds of a column are nested. As k grows, the rows of a quadrant with level <= k only
// become more, and so do the errors L(k) of a leaf there; the errors R(k) of the others only become
// fewer. So every threshold strictly between lo and hi errs at least L(lo) + R(hi): an interval
// whose ends say that it cannot beat the best is skipped, any other is halved. (The same idea makes
// ConTree fast: Briţa, van der Linden and Demirović, AAAI 2025.) Questions without an order are
// tried one by one.
#pragma once

#include <array>

#include "cubes/layout.hpp"

namespace dtfinder::cubes {

// What is known of one quadrant: the errors of a leaf, and of the best split by one more question.
struct Quadrant {
  Count leaf = 0, best = 0;
  std::int32_t third = -1;  // the question that gives `best`; -1 for the leaf
};
using Quadrants = std::array<Quadrant, 4>;  // by 2 × (f holds) + (g holds)

// A line of counts over the questions of a column, each with its classes side by side.
struct Line {
  const Count* start;
  std::size_t step;
  const Count* at(int k) const { return start + static_cast<std::size_t>(k) * step; }
};
struct Lines {
  Line both, f, g, all;
};

template <int Classes>
Count errors_of(const Count* counts, int classes) {
  if constexpr (Classes == 2) return counts[0] < counts[1] ? counts[0] : counts[1];
  Count sum = 0, most = 0;
  for (int c = 0; c < classes; ++c) {
    sum += counts[c];
    most = counts[c] > most ? counts[c] : most;
  }
  return sum - most;
}

// The count of one class in a quadrant.
template <int Which>
Count in_quadrant(Count both, Count f, Count g, Count all) {
  if constexpr (Which == 3) return both;
  if constexpr (Which == 2) return f - both;
  if constexpr (Which == 1) return g - both;
  return all - f - g + both;
}

template <int Classes, int Which>
class ThirdOf {
 public:
  ThirdOf(const Lines& lines, const Count* quadrant, int classes, Count* scratch)
      : lines_(lines), quadrant_(quadrant), classes_(Classes ? Classes : classes), yes_(scratch) {}

  // Improves `out` by the questions of a column, the first of which has the number `offset`.
  void search(const Column& column, int offset, Quadrant& out) {
    if (!column.ordered) {
      for (int k = 0; k < column.questions; ++k) take(k, offset, out);
      return;
    }
    struct Interval {
      int lo, hi;  // both ends excluded
      Count left, right;
    };
    std::array<Interval, 64> open;
    int size = 0;
    open[static_cast<std::size_t>(size++)] = {-1, column.questions, 0, 0};
    while (size > 0 && out.best > 0) {
      const Interval now = open[static_cast<std::size_t>(--size)];
      if (now.hi - now.lo < 2 || now.left + now.right >= out.best) continue;
      const int middle = now.lo + (now.hi - now.lo) / 2;
      const auto [left, right] = take(middle, offset, out);
      open[static_cast<std::size_t>(size++)] = {middle, now.hi, left, now.right};
      open[static_cast<std::size_t>(size++)] = {now.lo, middle, now.left, right};
    }
  }

 private:
  std::array<Count, 2> take(int k, int offset, Quadrant& out) {
    const Count *both = lines_.both.at(k), *f = lines_.f.at(k), *g = lines_.g.at(k),
                *all = lines_.all.at(k);
    Count local[4];
    Count* yes = Classes ? local : yes_;
    Count* no = yes + classes_;
    for (int c = 0; c < classes_; ++c) {
      yes[c] = in_quadrant<Which>(both[c], f[c], g[c], all[c]);
      no[c] = quadrant_[c] - yes[c];
    }
    const Count left = errors_of<Classes>(yes, classes_), right = errors_of<Classes>(no, classes_);
    if (left + right < out.best) {
      out.best = left + right;
      out.third = offset + k;
    }
    return {left, right};
  }

  const Lines& lines_;
  const Count* quadrant_;
  const int classes_;
  Count* yes_;  // room for the classes of both halves
};

// The counts of the four quadrants, one after the other.
inline void quadrant_counts(const Count* both, const Count* f, const Count* g, const Count* all,
                            int classes, Count* out) {
  for (int c = 0; c < classes; ++c) {
    out[c] = in_quadrant<0>(both[c], f[c], g[c], all[c]);
    out[classes + c] = in_quadrant<1>(both[c], f[c], g[c], all[c]);
    out[2 * classes + c] = in_quadrant<2>(both[c], f[c], g[c], all[c]);
    out[3 * classes + c] = in_quadrant<3>(both[c], f[c], g[c], all[c]);
  }
}

// Improves all four quadrants; `scratch` has room for two counts of every class.
template <int Classes>
void improve_quadrants(const Lines& lines, const Count* quadrants, int classes,
                       const Column& column, int offset, Quadrants& out, Count* scratch) {
  const auto one = [&]<int Which>() {
    if (out[Which].best == 0) return;
    ThirdOf<Classes, Which>(lines, quadrants + Which * classes, classes, scratch)
        .search(column, offset, out[Which]);
  };
  one.template operator()<0>();
  one.template operator()<1>();
  one.template operator()<2>();
  one.template operator()<3>();
}

}  // namespace dtfinder::cubes
