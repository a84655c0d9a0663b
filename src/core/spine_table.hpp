// The table as the spine program reads it: the examples that have each feature.
#pragma once

#include <cstdint>
#include <vector>

namespace dtfinder {

struct SpineTable {
  std::vector<std::vector<std::uint32_t>> examples_of;  // by feature: its examples, ascending
  std::vector<int> labels;
  int classes = 0;
};

}  // namespace dtfinder
