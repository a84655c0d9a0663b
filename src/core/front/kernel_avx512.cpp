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
inline Word pack_word(Word word, Word mask) { return _pext_u64(word, mask); }

inline void store_counts(std::int16_t* to, __m512i low, __m512i high) {
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to), _mm512_cvtepi64_epi16(low));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(to + kBlock), _mm512_cvtepi64_epi16(high));
}
inline void store_counts(std::int32_t* to, __m512i low, __m512i high) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm512_cvtepi64_epi32(low));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + kBlock), _mm512_cvtepi64_epi32(high));
}
inline void store_counts(std::int64_t* to, __m512i low, __m512i high) {
  _mm512_storeu_si512(to, low);
  _mm512_storeu_si512(to + kBlock, high);
}

#include "kernel_body.inc"

}  // namespace

extern const Kernels kAvx512Kernels{"avx512", kernel_of<std::int16_t>(), kernel_of<std::int32_t>(),
                                    kernel_of<std::int64_t>(), pack};

}  // namespace dtfinder::front

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
