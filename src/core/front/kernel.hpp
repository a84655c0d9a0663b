// The loops that take the time, once for each kind of machine.
//
// Columns of a view (view.hpp) lie in blocks of eight, word by word, so that one vector instruction
// counts eight columns and no sum across lanes is needed. A count is an AND and a popcount for each
// word, added up by segments of equal class and weight. From counts of single columns, pairs and
// triples follow the weights of all cells, and from the cells the errors of leaves; these loops run
// over sixteen columns at once, in the narrowest integers that hold the total weight.
//
// Small sets of two classes are counted in bytes, where the processor has a popcount of bytes: no
// class weighs more than 255, so neither do the errors of a leaf. There columns lie in blocks of
// 32, byte by byte, and a vector takes 32 of them.
//
// Lanes that lie before the column asked for, or past the last column, compute trees that split
// twice on one column or on a constant one. Such trees exist, so their errors never undercut a
// minimum that they are compared with; nobody reads what is stored for them alone.
//
// `kernels()` chooses by what the processor can do. All kinds compute the same numbers.
#pragma once

#include "front/base.hpp"

namespace dtfinder::front {

constexpr std::size_t kBlock = 8;   // columns that lie next to each other
constexpr std::size_t kLanes = 16;  // columns that the loops over cells take at once
template <class T>
constexpr std::size_t kLanesOf = sizeof(T) == 1 ? 2 * kLanes : kLanes;

// Words of a view that hold items of one class and one power of two as weight.
struct Segment {
  std::int32_t label, shift;
  std::uint32_t first, words;
};

// Lists of the words (or bytes) of sets of items that are not zero, by segment.
struct Sparse {
  std::size_t most;    // of a list
  std::uint32_t* at;   // which words
  Word* bits;          // what they hold
  std::uint32_t* end;  // by segment: where its words end
};

// Tables of one node. Rows have `stride` entries, a multiple of kLanesOf<T>. A table of quadrants
// has four rows for each column f: (f, j) = 00, 01, 10, 11.
template <class T>
struct Tables {
  std::size_t columns, stride, classes;
  const Word* blocks;
  std::size_t words;
  const Segment* segments;
  std::size_t segment_count;
  T* single;       // [class][j]: weight with j = 1
  T* total;        // [class]
  T* pair;         // [f][class][j]: weight with f = j = 1, for j from the lane of f on
  T* leaf;         // [f][quadrant][j]: errors of a leaf
  T* split;        // [f][quadrant][j]: least errors with one split
  T* without;      // [class][j]: scratch
  T* least;        // [side][splits 0..3][f]: least errors of a child in trees of depth 2
  Sparse scratch;  // two lists
  bool keep;       // `pair` and `leaf` have rows for all f, else for one
};

template <class T>
struct Kernel {
  // Fills `pair` and `leaf` of column f, and joins what it says of one split to `least`.
  void (*pairs)(const Tables<T>& tables, const Word* columns, std::size_t f);
  // Counts all triples f < i < j with first <= i < last and joins them to `split`.
  void (*triples)(const Tables<T>& tables, const Word* columns, std::size_t f, std::size_t first,
                  std::size_t last);
  // The least errors with one split of the items in `set`, which has the given weights by class.
  T (*one_split)(const Tables<T>& tables, const Word* set, const T* weights);
  // Joins `leaf` and `split` of column f to `least`, for two and three splits.
  void (*children)(const Tables<T>& tables, std::size_t f);
};

struct Kernels {
  const char* name;
  Kernel<std::uint8_t> tiny;  // null where it does not pay
  Kernel<std::int16_t> narrow;
  Kernel<std::int32_t> middle;
  Kernel<std::int64_t> wide;
  // The bits of `from` where `mask` has ones, packed together; `words` of them; see view.hpp.
  void (*pack)(const Word* from, const Word* mask, const std::uint32_t* to_bit, std::size_t words,
               Word* to);
  // The number of bits in `a` and not in `b`.
  std::int64_t (*outside)(const Word* a, const Word* b, std::size_t words);
};

enum class Machine : std::uint8_t { kPortable, kAvx2, kAvx512 };
bool supported(Machine machine);
const Kernels& kernels(Machine machine);  // must be supported
const Kernels& best_kernels();

extern const Kernels kPortableKernels;
#if defined(__x86_64__) && defined(__GNUC__)
extern const Kernels kAvx2Kernels, kAvx512Kernels;
#endif

}  // namespace dtfinder::front
