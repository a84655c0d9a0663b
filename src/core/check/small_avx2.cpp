// The loops of the compiled checker for machines with AVX2, BMI2 and a popcount instruction.
#include "check/small_kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif

namespace dtfinder::small_trees {
namespace {

constexpr std::size_t kVector = 32;
#define SMALL_PLAIN_ONES
#include "check/small_vectors.inc"

inline Word ones_of(Word word) { return static_cast<Word>(_mm_popcnt_u64(word)); }
inline Word packed(Word bits, Word mask) { return _pext_u64(bits, mask); }

#include "check/small_kernels.inc"

}  // namespace

extern const Kernels kAvx2 = kernels_of();

}  // namespace dtfinder::small_trees

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
