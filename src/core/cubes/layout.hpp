// Columns, their questions, and which cubes of counts a depth needs.
//
// A column has levels: the bins of a number, or the values of a word. An ordered column is asked
// for thresholds, `level <= i`; any other for single levels, `level = i`. `first` is the level of
// the first question, so that a level without a question of its own (the rest of many values) can
// stand at the end.
//
// A tree of depth three asks at most three columns on any path, so all that its errors depend on
// are the counts of three columns at a time: a cube of levels × levels × levels × classes for each
// triple of columns. Depth two needs pairs. To have one shape of cube, two columns of a single
// level and no questions are added: a pair (a, b) is the triple (a, b, dummy).
//
// An axis of a cube has one entry for each level of an ordered column, the last of which becomes
// the total once prefix sums are made, and one more, for the total, for any other column.
#pragma once

#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace dtfinder::cubes {

using Count = std::int64_t;

struct Column {
  int levels = 1;
  bool ordered = true;
  int first = 0;      // the level of the first question
  int questions = 0;  // thresholds `level <= first + i`, or single levels `level = first + i`

  std::size_t axis() const { return static_cast<std::size_t>(levels) + (ordered ? 0 : 1); }
  std::size_t total() const { return axis() - 1; }
};

using Triple = std::array<int, 3>;  // three columns, in order

struct Layout {
  std::vector<Column> columns;  // two dummies come last
  std::vector<int> offset;      // the number of each column's first question
  std::vector<Triple> triples;  // in lexicographic order
  int classes = 2, depth = 3, features = 0;

  Layout(std::vector<Column> real, int class_count, int max_depth)
      : columns(std::move(real)), classes(class_count), depth(max_depth) {
    if (classes < 1) throw std::invalid_argument("at least one class is needed");
    if (depth < 0 || depth > 3) throw std::invalid_argument("cubes are for depth 0 to 3");
    for (const Column& c : columns) {
      const int most = c.ordered ? c.levels - 1 : c.levels;
      if (c.levels < 1 || c.first < 0 || c.questions < 0 || c.first + c.questions > most)
        throw std::invalid_argument("a column's questions must be about its levels");
    }
    const int n = static_cast<int>(columns.size());
    columns.resize(columns.size() + 2);
    for (const Column& c : columns) {
      offset.push_back(features);
      features += c.questions;
    }
    if (n < 2) {
      triples.push_back({n ? 0 : n, n ? n : n + 1, n + 1});
      return;
    }
    for (int a = 0; a < n; ++a) {
      for (int b = a + 1; b < n; ++b) {
        if (depth < 3 || n < 3) {
          triples.push_back({a, b, n});
          continue;
        }
        for (int c = b + 1; c < n; ++c) triples.push_back({a, b, c});
      }
    }
  }

  const Column& column(int c) const { return columns[static_cast<std::size_t>(c)]; }
  // The counts that the cube of a triple has.
  std::size_t cells(const Triple& t) const {
    return column(t[0]).axis() * column(t[1]).axis() * column(t[2]).axis() *
           static_cast<std::size_t>(classes);
  }
  // The end of those triples from `begin` on whose cubes fit into this many counts together; there
  // is at least one.
  std::size_t fitting(std::size_t begin, std::size_t counts) const {
    std::size_t end = begin, used = 0;
    while (end < triples.size() && (end == begin || used + cells(triples[end]) <= counts))
      used += cells(triples[end++]);
    return end;
  }
};

}  // namespace dtfinder::cubes
