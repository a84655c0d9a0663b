// Is there a feature with one class on each of its sides? Then a tree of three nodes fits.
#pragma once

#include <algorithm>

#include "shared/bits.hpp"

namespace dtfinder {

// `bits` is a row-major table of `rows` × `columns`, `labels` has one class a row. The answer is
// the first such column, or -1. Two sides hold two classes, so with any other number there is none;
// with two, the column equals one class or its complement.
inline long find_class_feature(const bool* bits, const std::int64_t* labels, std::size_t rows,
                               std::size_t columns) {
  const std::int64_t* end = labels + rows;
  const std::int64_t* other =
      std::find_if(labels, end, [&](std::int64_t label) { return label != labels[0]; });
  if (other == end) return -1;
  BitTable table(rows, columns + 1);
  for (std::size_t row = 0; row < rows; ++row) {
    if (labels[row] == labels[0]) {
      table.set(row, columns);
    } else if (labels[row] != *other) {
      return -1;
    }
    for (std::size_t column = 0; column < columns; ++column) {
      if (bits[row * columns + column]) table.set(row, column);
    }
  }
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t apart =
        count_difference(table.column(column), table.column(columns), table.words());
    if (apart == 0 || apart == rows) return static_cast<long>(column);
  }
  return -1;
}

}  // namespace dtfinder
