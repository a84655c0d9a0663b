// The table as the spine program reads it: the examples that have each feature.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dtfinder {

struct SpineTable {
  std::vector<std::vector<std::uint32_t>> examples_of;  // by feature: its examples, ascending
  std::vector<int> labels;
  int classes = 0;

  // From a label for each example and a bit for each example and feature.
  template <class Label, class Bit>
  static SpineTable of(std::size_t examples, std::size_t features, Label&& label, Bit&& bit) {
    SpineTable table;
    table.examples_of.resize(features);
    for (std::size_t e = 0; e < examples; ++e) {
      table.labels.push_back(label(e));
      table.classes = std::max(table.classes, table.labels.back() + 1);
      for (std::size_t f = 0; f < features; ++f) {
        if (bit(e, f)) table.examples_of[f].push_back(static_cast<std::uint32_t>(e));
      }
    }
    return table;
  }
};

}  // namespace dtfinder
