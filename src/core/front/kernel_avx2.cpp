// The kernel for machines with AVX2, BMI2 and a popcount instruction.
#include "front/kernel.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif

namespace dtfinder::front {
namespace {

inline Word bits_of(Word word) { return static_cast<Word>(_mm_popcnt_u64(word)); }
inline Word pack_word(Word word, Word mask) { return _pext_u64(word, mask); }

#define FRONT_VECTOR 32
#define FRONT_HAS_ONES
#include "front/kernel_vectors.inc"

// The ones in each lane: a byte has those of its two halves, which a table tells.
template <class U>
FRONT_INLINE Vector<U> ones(Vector<U> bits) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,  //
                                         0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i half = _mm256_set1_epi8(15), given = (__m256i)bits;
  const __m256i low = _mm256_and_si256(given, half);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(given, 4), half);
  const __m256i bytes =
      _mm256_add_epi8(_mm256_shuffle_epi8(table, low), _mm256_shuffle_epi8(table, high));
  if constexpr (sizeof(U) == 1) return (Vector<U>)bytes;
  const __m256i pairs = _mm256_maddubs_epi16(bytes, _mm256_set1_epi8(1));
  if constexpr (sizeof(U) == 2) return (Vector<U>)pairs;
  if constexpr (sizeof(U) == 4) return (Vector<U>)_mm256_madd_epi16(pairs, _mm256_set1_epi16(1));
  if constexpr (sizeof(U) == 8) return (Vector<U>)_mm256_sad_epu8(bytes, _mm256_setzero_si256());
}

#include "front/kernel_body.inc"

}  // namespace

extern const Kernels kAvx2Kernels{"avx2",
                                  kVector,
                                  kernel_of<std::int8_t>(),
                                  kernel_of<std::int16_t>(),
                                  kernel_of<std::int32_t>(),
                                  kernel_of<std::int64_t>(),
                                  pack,
                                  outside};

}  // namespace dtfinder::front

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
