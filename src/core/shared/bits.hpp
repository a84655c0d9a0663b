// 64-bit words as rows of bits. Bits past the last one in use are always zero.
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

// The number of ones in a set of so many words.
inline std::size_t count(const Word* set, std::size_t words) {
  std::size_t ones = 0;
  for (std::size_t i = 0; i < words; ++i) ones += bits_in(set[i]);
  return ones;
}

// The number of bits in which two rows of words differ.
inline std::size_t count_difference(const Word* a, const Word* b, std::size_t words) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < words; ++i) total += bits_in(a[i] ^ b[i]);
  return total;
}

}  // namespace dtfinder
