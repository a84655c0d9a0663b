// The kernel for machines with AVX-512 and its popcount.
#include "front/kernel.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(                                                             \
    __attribute__((                                                                       \
        target("avx2,bmi,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq," \
               "avx512bitalg,avx512vbmi2"))),                                             \
    apply_to = function)
#else
#pragma GCC target( \
    "avx2,bmi,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq,avx512bitalg,avx512vbmi2")
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

// Lists the bytes of the AND of two columns that are not zero. No segment has more than four words.
inline __attribute__((always_inline)) void list_bytes(const Word* a, const Word* b,
                                                      const Segment* segments, std::size_t count,
                                                      std::uint8_t* at, std::uint8_t* bits,
                                                      std::uint32_t* end) {
  const __m256i numbers =
      _mm256_set_epi8(31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13,
                      12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
  std::uint32_t found = 0;
  for (std::size_t s = 0; s < count; ++s) {
    const std::uint32_t first = segments[s].first;
    const __mmask8 words = static_cast<__mmask8>((1u << segments[s].words) - 1);
    const __m256i both = _mm256_and_si256(_mm256_maskz_loadu_epi64(words, a + first),
                                          _mm256_maskz_loadu_epi64(words, b + first));
    const __mmask32 some = _mm256_test_epi8_mask(both, both);
    const __m256i places = _mm256_add_epi8(numbers, _mm256_set1_epi8(static_cast<char>(8 * first)));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(at + found),
                        _mm256_maskz_compress_epi8(some, places));
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(bits + found),
                        _mm256_maskz_compress_epi8(some, both));
    // Zeros fill the list up to a multiple of four.
    found += static_cast<std::uint32_t>(__builtin_popcount(some) + 3) & ~3u;
    end[s] = found;
  }
}
// How many of the listed items have ones in 32 columns.
inline __attribute__((always_inline)) __m256i count_bytes(const std::uint8_t* at,
                                                          const std::uint8_t* bits,
                                                          std::uint32_t first, std::uint32_t last,
                                                          const std::uint8_t* block) {
  const auto ones = [&](std::uint32_t k) __attribute__((always_inline)) {
    const __m256i items = _mm256_set1_epi8(static_cast<char>(bits[k]));
    const __m256i column =
        _mm256_load_si256(reinterpret_cast<const __m256i*>(block + std::size_t{32} * at[k]));
    return _mm256_popcnt_epi8(_mm256_and_si256(items, column));
  };
  __m256i sum = _mm256_setzero_si256();
  for (std::uint32_t k = first; k < last; k += 4) {
    const __m256i low = _mm256_add_epi8(ones(k), ones(k + 1));
    sum = _mm256_add_epi8(sum, _mm256_add_epi8(low, _mm256_add_epi8(ones(k + 2), ones(k + 3))));
  }
  return sum;
}

#include "front/kernel_body.inc"

}  // namespace

extern const Kernels kAvx512Kernels{"avx512",
                                    kernel_of<std::uint8_t>(),
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
