// The loops of the compiled checker for any machine.
#include "check/small_kernels.hpp"

namespace dtfinder::small_trees {
namespace {

constexpr std::size_t kVector = 16;
#define SMALL_PLAIN_ONES
#include "check/small_vectors.inc"

inline Word ones_of(Word word) { return static_cast<Word>(__builtin_popcountll(word)); }
// The bits where `mask` has one, side by side from the lowest.
inline Word packed(Word bits, Word mask) {
  Word found = 0;
  for (Word bit = 1; mask; bit <<= 1, mask &= mask - 1) {
    if (bits & mask & -mask) found |= bit;
  }
  return found;
}

#include "check/small_kernels.inc"

}  // namespace

extern const Kernels kPortable = kernels_of();

}  // namespace dtfinder::small_trees
