// The loops of the compiled checker for machines with AVX-512 and its popcounts.
#include "check/small_kernels.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(                                                        \
    __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq," \
                          "avx512vpopcntdq,avx512bitalg"))),                         \
    apply_to = function)
#else
#pragma GCC target( \
    "avx2,bmi,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq,avx512bitalg")
#endif

namespace dtfinder::small_trees {
namespace {

constexpr std::size_t kVector = 64;
#include "check/small_vectors.inc"

// The ones in each lane.
template <class U>
inline __attribute__((always_inline)) Vector<U> ones(Vector<U> bits) {
  const auto given = (__m512i)bits;
  if constexpr (sizeof(U) == 1) return (Vector<U>)_mm512_popcnt_epi8(given);
  if constexpr (sizeof(U) == 2) return (Vector<U>)_mm512_popcnt_epi16(given);
  if constexpr (sizeof(U) == 4) return (Vector<U>)_mm512_popcnt_epi32(given);
  if constexpr (sizeof(U) == 8) return (Vector<U>)_mm512_popcnt_epi64(given);
}
inline Word ones_of(Word word) { return static_cast<Word>(_mm_popcnt_u64(word)); }
inline Word packed(Word bits, Word mask) { return _pext_u64(bits, mask); }

#include "check/small_kernels.inc"

}  // namespace

extern const Kernels kAvx512 = kernels_of();

}  // namespace dtfinder::small_trees

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
