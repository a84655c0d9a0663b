// The table as the spine program reads it: the examples that have each feature, and the classes
// that each allows. Where each allows one class, that is its label; else `sets` says what labels
// allow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dtfinder {

struct SpineTable {
  std::vector<std::vector<std::uint32_t>> examples_of;  // by feature: its examples, ascending
  std::vector<int> labels;
  std::vector<bool> sets;  // labels x classes; empty where the labels are the classes
  int classes = 0;

  bool allows(std::uint32_t e, int c) const {
    if (sets.empty()) return labels[e] == c;
    return sets[static_cast<std::size_t>(labels[e] * classes + c)];
  }
  // The classes that some example allows.
  std::vector<int> allowed_classes() const {
    std::vector<int> found;
    for (int c = 0; c < classes; ++c) {
      for (std::uint32_t e = 0; e < labels.size(); ++e) {
        if (!allows(e, c)) continue;
        found.push_back(c);
        break;
      }
    }
    return found;
  }
  // A class that all of `some` allow, or that of the first if there is none.
  int common_class(const std::vector<std::uint32_t>& some) const {
    int own = 0;
    for (int c = classes; c-- > 0;) {
      if (!allows(some[0], c)) continue;
      own = c;
      if (std::all_of(some.begin(), some.end(), [&](auto e) { return allows(e, c); })) return c;
    }
    return own;
  }

  // From a label for each example, its class, and a bit for each example and feature.
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
