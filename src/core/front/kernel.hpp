// The loops that take the time, once for each kind of machine.
//
// Two classes need one number for a set of items: its balance d, the weight of the first class less
// that of the second. A leaf makes (w - |d|) / 2 errors on items of weight w, so errors are
// compared by |d|, the leaf's *score*: of all ways to cut one set into leaves, the one with the
// largest sum of scores has the fewest errors. With more classes the score of a leaf is the weight
// of its heaviest class, and its errors are w less that. Either way the balance of a cell of
// several columns follows from those of the columns, and of pairs and triples of them, by
// subtraction.
//
// Columns of a view (view.hpp) lie in blocks of as many columns as a vector has lanes, chunk by
// chunk: a chunk is as many items as a lane has bits. So an AND, a popcount and an addition count a
// chunk of all columns of a block, and no sum across lanes is needed. Lanes are the narrowest
// integers that hold the weight: bytes for small sets.
//
// Lanes that lie before the column asked for, or past the last column, compute trees that split
// twice on one column or on a constant one. Such trees exist, so their scores never exceed a
// maximum that they are compared with; nobody reads what is stored for them alone.
//
// `kernels()` chooses by what the processor can do. All kinds compute the same numbers.
#pragma once

#include <type_traits>

#include "front/base.hpp"

namespace dtfinder::front {

constexpr std::size_t kWidest = 64;  // bytes of the widest vectors that a kernel takes at once

// Words of a view that hold items of one class and one power of two as weight.
struct Segment {
  std::int32_t label, shift;
  std::uint32_t first, words;
};

template <class T>
using Score = std::make_unsigned_t<T>;

// Lists of the chunks of sets of items that are not zero, by segment. Bits are repeated until they
// fill 32 bits, which vectors are filled with more quickly.
template <class T>
struct Sparse {
  using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  std::size_t most;    // of a list
  Score<T>* at;        // which chunks
  Bits* bits;          // what they hold
  std::uint32_t* end;  // by segment: where its chunks end
};

// The items with a one in a column f, packed again, for the columns from `from` on. Counting
// triples of f takes these alone, and has them anew for each f.
template <class T>
struct Gathered {
  Score<T>* blocks;
  std::uint32_t* end;  // by segment: where its chunks end
  std::size_t from;
};

// Tables of one node. Rows have `stride` entries, which fill the widest vectors. A table of
// quadrants has four rows for each column f: (f, j) = 00, 01, 10, 11. With up to two classes there
// is one plane, which holds balances; else one for each class, with its weight.
template <class T>
struct Tables {
  bool two;    // at most two classes
  bool plain;  // and all weights are one
  std::size_t columns, stride, planes, lanes;
  const Score<T>* blocks;
  std::size_t words;  // of a column
  const Segment* segments;
  std::size_t segment_count;
  T* single;  // [plane][j]: with j = 1
  T* total;   // [plane]
  T* pair;    // [f][plane][j]: with f = j = 1, for j from the lane of f on; for triples, all
  T* triple;  // [f, i][plane][j]: with f = i = j = 1, see kernel_triples.inc
  Score<T>* together;  // [f][j]: the weight of these
  Score<T>* leaf;      // [f][quadrant][j]: score of a leaf
  T* without;          // [plane][j]: of one f, those with j = 1 alone
  Score<T>* split;     // [quadrant][j]: of one f, largest score with one split
  Score<T>* best;      // [side][splits 0..3][f]: largest score of a child in trees of depth 2
  Sparse<T> scratch;   // a list
  Word* rows;          // [64 columns][item]: its ones in the columns; where a kernel wants them
  Gathered<T> gathered;
  bool keep;          // `pair`, `together` and `leaf` have rows for all f, else for one
  bool keep_triples;  // `triple` has rows for all f < i, else triples are counted for each f
};

template <class T>
struct Kernel {
  // Fills `pair`, `together` and `leaf` of column f, and joins what it says of one split to `best`.
  void (*pairs)(const Tables<T>& tables, const Word* columns, std::size_t f);
  // Before triples are counted: fills `rows`.
  void (*lay_rows)(const Tables<T>& tables);
  // Before those of column f are: fills `gathered`, for all columns, or the ones from lane of f on.
  void (*gather)(const Tables<T>& tables, const Word* columns, std::size_t f);
  // Counts the triples of f and i, first <= i < last; with rows for all pairs, those of f < i.
  void (*triples)(const Tables<T>& tables, std::size_t f, std::size_t first, std::size_t last);
  // When those of f and of all columns before it are counted: joins what they say of two and three
  // splits to `best`.
  void (*thirds)(const Tables<T>& tables, std::size_t f);
  // The largest score with one split of the items in `set`, of the given balance (or weights by
  // class).
  Score<T> (*one_split)(const Tables<T>& tables, const Word* set, const T* weights);
};

struct Kernels {
  const char* name;
  std::size_t vector;  // bytes that its loops take at once
  Kernel<std::int8_t> tiny;
  Kernel<std::int16_t> narrow;
  Kernel<std::int32_t> middle;
  Kernel<std::int64_t> wide;
  // Joins the bits of `from` where `mask` has ones, packed together, to `to`; see view.hpp. Returns
  // how many are ones.
  std::size_t (*pack)(const Word* from, const Word* mask, const std::uint32_t* to_bit,
                      std::size_t words, Word* to);
  // The number of bits in `a` and `within`, and not in `b`.
  std::int64_t (*outside)(const Word* a, const Word* b, const Word* within, std::size_t words);
};

enum class Machine : std::uint8_t { kPortable, kAvx2, kAvx512 };
bool supported(Machine machine);
const Kernels& kernels(Machine machine);  // the portable ones where it is not supported
const Kernels& best_kernels();

extern const Kernels kPortableKernels;
#if defined(__x86_64__) && defined(__GNUC__)
extern const Kernels kAvx2Kernels, kAvx512Kernels;
#endif

}  // namespace dtfinder::front
