// Is there a feature that equals the class, or its complement? Then a tree of three nodes fits.
#pragma once

#include "bits.hpp"

namespace dtfinder {

// `bits` is a row-major table of `rows` × `columns`; the answer is a column index, or -1 for none.
inline long find_class_feature(const bool* bits, const bool* positive, std::size_t rows,
                               std::size_t columns) {
  BitTable table(rows, columns + 1);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < columns; ++column) {
      if (bits[row * columns + column]) table.set(row, column);
    }
    if (positive[row]) table.set(row, columns);
  }
  for (std::size_t column = 0; column < columns; ++column) {
    const std::size_t apart =
        count_difference(table.column(column), table.column(columns), table.words());
    if (apart == 0 || apart == rows) return static_cast<long>(column);
  }
  return -1;
}

}  // namespace dtfinder
