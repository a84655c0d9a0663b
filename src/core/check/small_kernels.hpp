// The loops that count small trees for the compiled checker, and what they work on.
//
// There is one kind for each kind of machine, compiled from small_kernels.inc with the instructions
// that it has; `kernels_up_to` chooses when the program runs.
//
// Columns of bits lie next to each other, a vector of columns at a time: a chunk of each column,
// then the next chunk of each. A chunk has as many bits as a number of the vector, so the ones of a
// vector of chunks are a vector of numbers. Numbers are as narrow as the weight allows.
//
// Errors are kept as *scores*, the larger the better. With two classes, let the balance of a cell
// be the weight of one class less that of the other. A leaf errs on half of what the balance leaves
// of the weight, so the balance without its sign is the score. With more classes it is the weight
// of the heaviest. Scores of cells add up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace dtfinder::small_trees {

using Word = std::uint64_t;

// What of a word of a set goes to a packed column.
struct Piece {
  std::size_t word;
  Word mask;
};
// Words of a column that hold examples of one class, whose weight counts `1 << shift`.
struct Segment {
  std::size_t label, first, words;
  int shift;
};

template <class T>
struct Tables {
  using Score = std::make_unsigned_t<T>;
  std::size_t columns, stride;  // stride: filled up to whole vectors
  std::size_t classes, planes;  // planes: balances of two classes, or weights of each class
  std::size_t words, segments;
  const Segment* segment;
  const Word* column;   // one after the other
  const Score* blocks;  // chunks, in vectors of columns
  const T* total;       // [plane]
  const T* single;      // [plane][j]: with a one in j
  T* pair;              // [f][plane][j]: with ones in both, for j from the vector of f on
  Score* both;          // [f][j]: the weight with ones in both
  Score* leaf;          // [f][quadrant][j]: of a leaf where (f, j) = 00, 01, 10, 11
  Score* split;         // the same with one split
  Score* best;          // [splits - 1][side][j]: of a child with 1, 2 or 3 splits
  Score* rows;          // [item][j]: all ones or none, for `gather`; null where it takes too much
  Score* gathered;      // as blocks, of the items with f alone
  std::size_t* ends;    // of each segment's chunks in `gathered`
  std::size_t* listed;  // scratch: places of chunks that are not zero, and their bits
  Score* bits;
  Word* mask;  // scratch
};

template <class T>
struct Loops {
  void (*lay_rows)(const Tables<T>&);
  void (*pairs)(const Tables<T>&, std::size_t f);      // fills `pair`, `both`, `leaf`, `best`
  void (*triples)(const Tables<T>&, std::size_t f);    // all with f < i < j; joins to `split`
  void (*quadrants)(const Tables<T>&, std::size_t f);  // after all: joins `split` to `best`
  // The best split of the examples of a set, which have these weights by plane.
  std::make_unsigned_t<T> (*one_split)(const Tables<T>&, const Word* set, const T* weight);
};

struct Kernels {
  std::size_t vector;  // bytes
  Loops<std::int8_t> tiny;
  Loops<std::int16_t> narrow;
  Loops<std::int32_t> middle;
  Loops<std::int64_t> wide;
  std::int64_t (*common)(const Word* a, const Word* b, std::size_t words);  // bits in both
  // Of `bits` the pieces, side by side; `to` is zero before.
  void (*pack)(const Word* bits, const Piece* pieces, std::size_t count, Word* to);
};

extern const Kernels kPortable, kAvx2, kAvx512;

// The best kind for this machine, or the best up to `most`: 0 portable, 1 AVX2, 2 AVX-512.
inline const Kernels& kernels_up_to(int most) {
#if defined(__x86_64__) && defined(__GNUC__)
  static const int best = [] {
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
                      __builtin_cpu_supports("popcnt");
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vpopcntdq") &&
                      __builtin_cpu_supports("avx512bitalg");
    return !avx2 ? 0 : wide ? 2 : 1;
  }();
  const int kind = most < best ? most : best;
  return kind == 2 ? kAvx512 : kind == 1 ? kAvx2 : kPortable;
#else
  static_cast<void>(most);
  return kPortable;
#endif
}

}  // namespace dtfinder::small_trees
