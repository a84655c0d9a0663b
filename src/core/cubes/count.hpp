// Counting: blocks of rows, added to the cubes of some triples of columns.
//
// This is the only part whose time grows with the rows: one addition for each row and triple. The
// rows of a block are taken in chunks that stay in the cache, and for each pair of columns the
// place of a row in the plane of the two is worked out once for all third columns. Counts are sums,
// so cubes of parts of a table, wherever they were counted, add up to those of the whole.
#pragma once

#include <algorithm>
#include <limits>

#include "cubes/layout.hpp"

namespace dtfinder::cubes {

// Rows as levels, column after column. `weights` may be null: every row counts one.
template <class Code>
struct Block {
  const Code* codes;
  const std::uint16_t* labels;
  const Count* weights;
  std::size_t rows;
};

class Counts {
 public:
  Counts(const Layout& layout, std::size_t begin, std::size_t end)
      : layout_(&layout), begin_(begin), end_(end) {
    if (begin > end || end > layout.triples.size()) throw std::invalid_argument("no such triples");
    for (std::size_t t = begin; t < end; ++t) {
      start_.push_back(size_);
      size_ += layout.cells(layout.triples[t]);
    }
    counts_.resize(size_);
  }

  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  std::size_t size() const { return size_; }
  Count* data() { return counts_.data(); }
  Count* cube(std::size_t triple) { return counts_.data() + start_[triple - begin_]; }

  // Throws unless every level and class exists.
  template <class Code>
  void add(const Block<Code>& block) {
    check(block);
    for (std::size_t from = 0; from < block.rows; from += kChunk)
      add_chunk(block, from, std::min(kChunk, block.rows - from));
  }

  void merge(const Counts& other) {
    if (other.begin_ != begin_ || other.end_ != end_ || other.size_ != size_)
      throw std::invalid_argument("only counts of the same triples add up");
    for (std::size_t i = 0; i < size_; ++i) counts_[i] += other.counts_[i];
  }

 private:
  static constexpr std::size_t kChunk = 1 << 19;

  template <class Code>
  void check(const Block<Code>& block) const {
    const std::size_t real = layout_->columns.size() - 2;
    for (std::size_t c = 0; c < real; ++c) {
      const Code* codes = block.codes + c * block.rows;
      Code most = 0;
      for (std::size_t r = 0; r < block.rows; ++r) most = std::max(most, codes[r]);
      if (block.rows && static_cast<int>(most) >= layout_->columns[c].levels)
        throw std::invalid_argument("a row has a level that its column does not have");
    }
    std::uint16_t most = 0;
    for (std::size_t r = 0; r < block.rows; ++r) most = std::max(most, block.labels[r]);
    if (block.rows && static_cast<int>(most) >= layout_->classes)
      throw std::invalid_argument("a row has a class that the cubes do not have");
  }

  template <class Code>
  void add_chunk(const Block<Code>& block, std::size_t from, std::size_t rows) {
    const auto classes = static_cast<std::uint32_t>(layout_->classes);
    const auto real = static_cast<int>(layout_->columns.size()) - 2;
    const std::uint16_t* labels = block.labels + from;
    const Count* weights = block.weights ? block.weights + from : nullptr;
    const auto codes_of = [&](int column) {
      return block.codes + static_cast<std::size_t>(column) * block.rows + from;
    };
    plane_.resize(rows);
    Triple before{-1, -1, -1};
    for (std::size_t t = begin_; t < end_; ++t) {
      const Triple& now = layout_->triples[t];
      if (now[0] != before[0] || now[1] != before[1]) {
        const auto width = layout_->column(now[1]).axis();
        for (std::size_t r = 0; r < rows; ++r) {
          const std::size_t a = now[0] < real ? codes_of(now[0])[r] : 0;
          const std::size_t b = now[1] < real ? codes_of(now[1])[r] : 0;
          plane_[r] = static_cast<std::uint32_t>(a * width + b);
        }
        before = now;
      }
      const std::size_t depth = layout_->column(now[2]).axis();
      Count* counts = cube(t);
      if (now[2] >= real) {
        for (std::size_t r = 0; r < rows; ++r)
          counts[plane_[r] * classes + labels[r]] += weights ? weights[r] : 1;
        continue;
      }
      const Code* codes = codes_of(now[2]);
      if (weights) {
        for (std::size_t r = 0; r < rows; ++r)
          counts[(plane_[r] * depth + codes[r]) * classes + labels[r]] += weights[r];
      } else {
        for (std::size_t r = 0; r < rows; ++r)
          ++counts[(plane_[r] * depth + codes[r]) * classes + labels[r]];
      }
    }
  }

  const Layout* layout_;
  std::size_t begin_, end_, size_ = 0;
  std::vector<std::size_t> start_;
  std::vector<Count> counts_;
  std::vector<std::uint32_t> plane_;
};

}  // namespace dtfinder::cubes
