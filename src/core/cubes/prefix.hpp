// Prefix sums: from how many rows have three levels to how many answer yes to three questions.
//
// Along the axis of an ordered column entry i becomes the rows with a level of at most i, which is
// the count of the threshold `level <= i`; the last entry is the total. Along any other axis the
// entries stay and the total is put into the last one, which counting left empty. So entry
// (i, j, k) is the count of rows for which questions i, j and k hold, and a total in place of a
// question leaves it out: counts of pairs and of single questions are in the same cube.
#pragma once

#include "cubes/layout.hpp"

namespace dtfinder::cubes {

inline void sum_axis(Count* cube, const Column& column, std::size_t blocks, std::size_t step) {
  const std::size_t length = column.axis(), total = column.total();
  for (std::size_t block = 0; block < blocks; ++block) {
    Count* start = cube + block * length * step;
    for (std::size_t i = 0; i < total; ++i) {
      const Count* from = start + i * step;
      Count* to = start + (column.ordered ? i + 1 : total) * step;
      for (std::size_t j = 0; j < step; ++j) to[j] += from[j];
    }
  }
}

inline void make_prefix_sums(Count* cube, const Layout& layout, const Triple& triple) {
  std::size_t blocks = 1, step = layout.cells(triple);
  for (const int c : triple) {
    const Column& column = layout.column(c);
    step /= column.axis();
    sum_axis(cube, column, blocks, step);
    blocks *= column.axis();
  }
}

}  // namespace dtfinder::cubes
