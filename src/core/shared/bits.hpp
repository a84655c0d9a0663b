// Bit-packed example sets.
//
// A table of 0/1 columns is kept one column after the other, each column a row of 64-bit words with
// one bit an example. Sets of examples have the same form, so 'the examples of X with f = 1' is an
// AND. Bits past the last example are always zero.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace dtfinder {

using Word = std::uint64_t;

// The number of bits set, in plain arithmetic: without a machine flag the library's popcount is a
// call, and with one a wheel would not run everywhere.
inline std::size_t bits_in(Word word) {
#if defined(__POPCNT__) || defined(__aarch64__)
  return static_cast<std::size_t>(std::popcount(word));
#else
  word -= (word >> 1) & 0x5555555555555555u;
  word = (word & 0x3333333333333333u) + ((word >> 2) & 0x3333333333333333u);
  word = (word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
  return static_cast<std::size_t>((word * 0x0101010101010101u) >> 56);
#endif
}

inline std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }

class BitTable {
 public:
  BitTable(std::size_t rows, std::size_t columns)
      : words_(words_for(rows)), data_(words_ * columns, 0) {}

  void set(std::size_t row, std::size_t column) {
    data_[column * words_ + row / 64] |= Word{1} << (row % 64);
  }
  const Word* column(std::size_t index) const { return data_.data() + index * words_; }
  std::size_t words() const { return words_; }

 private:
  std::size_t words_;
  std::vector<Word> data_;
};

inline std::size_t count(const Word* set, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < words; ++i) total += bits_in(set[i]);
  return total;
}

inline std::size_t count_difference(const Word* a, const Word* b, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < words; ++i) total += bits_in(a[i] ^ b[i]);
  return total;
}

}  // namespace dtfinder
