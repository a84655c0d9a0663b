// The kernel for machines with AVX-512 and its popcount.
#include "kernel.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(                                                                \
    __attribute__((                                                                          \
        target("avx2,bmi,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq"))), \
    apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq")
#endif

namespace dtfinder::front {
namespace {

#define FRONT_WIDE_COUNT
inline Word bits_of(Word word) { return static_cast<Word>(_mm_popcnt_u64(word)); }
inline Word pack_word(Word word, Word mask) { return _pext_u64(word, mask); }

typedef std::int16_t Narrow __attribute__((vector_size(32), aligned(2), may_alias));
typedef std::int32_t Middle __attribute__((vector_size(64), aligned(4), may_alias));
typedef std::int64_t Wide __attribute__((vector_size(128), aligned(8), may_alias));

// Two vectors of eight counts as one of sixteen.
inline __attribute__((always_inline)) void narrow(__m512i low, __m512i high, Narrow& out) {
  const __m256i first = _mm256_castsi128_si256(_mm512_cvtepi64_epi16(low));
  out = (Narrow)_mm256_inserti128_si256(first, _mm512_cvtepi64_epi16(high), 1);
}
inline __attribute__((always_inline)) void narrow(__m512i low, __m512i high, Middle& out) {
  const __m512i first = _mm512_castsi256_si512(_mm512_cvtepi64_epi32(low));
  out = (Middle)_mm512_inserti64x4(first, _mm512_cvtepi64_epi32(high), 1);
}
inline __attribute__((always_inline)) void narrow(__m512i low, __m512i high, Wide& out) {
  _mm512_storeu_si512(&out, low);
  _mm512_storeu_si512(reinterpret_cast<std::int64_t*>(&out) + kBlock, high);
}

#include "kernel_body.inc"

}  // namespace

extern const Kernels kAvx512Kernels{
    "avx512", kernel_of<std::int16_t>(), kernel_of<std::int32_t>(), kernel_of<std::int64_t>(), pack,
    outside};

}  // namespace dtfinder::front

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
