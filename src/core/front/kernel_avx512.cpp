// The kernel for machines with AVX-512 and its popcounts.
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

// The ones in each lane.
template <class U, class Vector>
inline __attribute__((always_inline)) Vector ones(Vector bits) {
  const auto given = (__m512i)bits;
  if constexpr (sizeof(U) == 1) return (Vector)_mm512_popcnt_epi8(given);
  if constexpr (sizeof(U) == 2) return (Vector)_mm512_popcnt_epi16(given);
  if constexpr (sizeof(U) == 4) return (Vector)_mm512_popcnt_epi32(given);
  if constexpr (sizeof(U) == 8) return (Vector)_mm512_popcnt_epi64(given);
}
template <class T, class Vector>
inline __attribute__((always_inline)) Vector magnitude(Vector value) {
  const auto given = (__m512i)value;
  if constexpr (sizeof(T) == 1) return (Vector)_mm512_abs_epi8(given);
  if constexpr (sizeof(T) == 2) return (Vector)_mm512_abs_epi16(given);
  if constexpr (sizeof(T) == 4) return (Vector)_mm512_abs_epi32(given);
  if constexpr (sizeof(T) == 8) return (Vector)_mm512_abs_epi64(given);
}

// Lists the chunks of a set that are not zero, from the place `found` on; up to a vector's lanes
// past the end are overwritten.
template <class T>
inline __attribute__((always_inline)) std::uint32_t list_chunks(const Word* set,
                                                                std::uint32_t first,
                                                                std::uint32_t words, Score<T>* at,
                                                                typename Sparse<T>::Bits* bits,
                                                                std::uint32_t found) {
  for (std::uint32_t w = 0; w < words; w += 8) {
    const auto some = static_cast<__mmask8>(words - w >= 8 ? 0xff : (1u << (words - w)) - 1);
    const __m512i both = _mm512_maskz_loadu_epi64(some, set + first + w);
    const std::uint32_t chunk = (first + w) * static_cast<std::uint32_t>(8 / sizeof(T));
    if constexpr (sizeof(T) == 1) {
      const __mmask64 kept = _mm512_test_epi8_mask(both, both);
      alignas(64) static constexpr std::uint8_t kNumbers[64] = {
          0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
          22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
          44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63};
      const __m512i numbers =
          _mm512_add_epi8(_mm512_load_si512(kNumbers), _mm512_set1_epi8(static_cast<char>(chunk)));
      _mm512_storeu_si512(at + found, _mm512_maskz_compress_epi8(kept, numbers));
      const __m512i packed = _mm512_maskz_compress_epi8(kept, both);
      const auto count = static_cast<std::uint32_t>(__builtin_popcountll(kept));
      const __m512i repeat = _mm512_set1_epi32(0x01010101);
      const auto spread = [&](__m128i quarter, std::uint32_t place) {
        _mm512_storeu_si512(bits + found + place,
                            _mm512_mullo_epi32(_mm512_cvtepu8_epi32(quarter), repeat));
      };
      spread(_mm512_castsi512_si128(packed), 0);
      if (count > 16) spread(_mm512_extracti32x4_epi32(packed, 1), 16);
      if (count > 32) spread(_mm512_extracti32x4_epi32(packed, 2), 32);
      if (count > 48) spread(_mm512_extracti32x4_epi32(packed, 3), 48);
      found += count;
    } else if constexpr (sizeof(T) == 2) {
      const __mmask32 kept = _mm512_test_epi16_mask(both, both);
      alignas(64) static constexpr std::uint16_t kNumbers[32] = {
          0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
          16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
      const __m512i numbers = _mm512_add_epi16(_mm512_load_si512(kNumbers),
                                               _mm512_set1_epi16(static_cast<short>(chunk)));
      _mm512_storeu_si512(at + found, _mm512_maskz_compress_epi16(kept, numbers));
      const __m512i packed = _mm512_maskz_compress_epi16(kept, both);
      const auto count = static_cast<std::uint32_t>(__builtin_popcount(kept));
      const auto spread = [&](__m256i half, std::uint32_t place) {
        const __m512i wide = _mm512_cvtepu16_epi32(half);
        _mm512_storeu_si512(bits + found + place,
                            _mm512_or_si512(wide, _mm512_slli_epi32(wide, 16)));
      };
      spread(_mm512_castsi512_si256(packed), 0);
      if (count > 16) spread(_mm512_extracti64x4_epi64(packed, 1), 16);
      found += count;
    } else if constexpr (sizeof(T) == 4) {
      const __mmask16 kept = _mm512_test_epi32_mask(both, both);
      const __m512i numbers =
          _mm512_add_epi32(_mm512_set_epi32(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
                           _mm512_set1_epi32(static_cast<int>(chunk)));
      _mm512_storeu_si512(at + found, _mm512_maskz_compress_epi32(kept, numbers));
      _mm512_storeu_si512(bits + found, _mm512_maskz_compress_epi32(kept, both));
      found += static_cast<std::uint32_t>(__builtin_popcount(kept));
    } else {
      const __mmask8 kept = _mm512_test_epi64_mask(both, both);
      const __m512i numbers =
          _mm512_add_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0), _mm512_set1_epi64(chunk));
      _mm512_storeu_si512(at + found, _mm512_maskz_compress_epi64(kept, numbers));
      _mm512_storeu_si512(bits + found, _mm512_maskz_compress_epi64(kept, both));
      found += static_cast<std::uint32_t>(__builtin_popcount(kept));
    }
  }
  return found;
}

// One bit for each lane of a vector: of one item, for all columns of a block.
template <class T>
struct Lane {
  using Mask = std::conditional_t<
      sizeof(T) == 1, __mmask64,
      std::conditional_t<sizeof(T) == 2, __mmask32,
                         std::conditional_t<sizeof(T) == 4, __mmask16, __mmask8>>>;
};
template <class T>
inline __attribute__((always_inline)) __m512i lanes_of(Score<T> value) {
  if constexpr (sizeof(T) == 1) return _mm512_set1_epi8(static_cast<char>(value));
  if constexpr (sizeof(T) == 2) return _mm512_set1_epi16(static_cast<short>(value));
  if constexpr (sizeof(T) == 4) return _mm512_set1_epi32(static_cast<int>(value));
  if constexpr (sizeof(T) == 8) return _mm512_set1_epi64(static_cast<long long>(value));
}
template <class T>
inline __attribute__((always_inline)) typename Lane<T>::Mask lanes_with(__m512i a, __m512i bit) {
  if constexpr (sizeof(T) == 1) return _mm512_test_epi8_mask(a, bit);
  if constexpr (sizeof(T) == 2) return _mm512_test_epi16_mask(a, bit);
  if constexpr (sizeof(T) == 4) return _mm512_test_epi32_mask(a, bit);
  if constexpr (sizeof(T) == 8) return _mm512_test_epi64_mask(a, bit);
}
template <class T>
inline __attribute__((always_inline)) __m512i add_where(__m512i a, typename Lane<T>::Mask mask,
                                                        __m512i bit) {
  if constexpr (sizeof(T) == 1) return _mm512_mask_add_epi8(a, mask, a, bit);
  if constexpr (sizeof(T) == 2) return _mm512_mask_add_epi16(a, mask, a, bit);
  if constexpr (sizeof(T) == 4) return _mm512_mask_add_epi32(a, mask, a, bit);
  if constexpr (sizeof(T) == 8) return _mm512_mask_add_epi64(a, mask, a, bit);
}

// Blocks the other way round: for each item the columns in which it has a one.
template <class T>
void lay_rows(const Tables<T>& t) {
  constexpr std::size_t kBits = 8 * sizeof(T), kEach = kLanesOf<T>;
  auto* rows = static_cast<typename Lane<T>::Mask*>(t.rows);
  const std::size_t across = t.stride / kEach, chunks = t.words * 64 / kBits;
  for (std::size_t b = 0; b < across; ++b) {
    for (std::size_t k = 0; k < chunks; ++k) {
      const __m512i block = _mm512_load_si512(t.blocks + (b * chunks + k) * kEach);
      for (std::size_t bit = 0; bit < kBits; ++bit) {
        rows[(k * kBits + bit) * across + b] =
            lanes_with<T>(block, lanes_of<T>(static_cast<Score<T>>(Score<T>{1} << bit)));
      }
    }
  }
}
// Fills the blocks of `gathered`, a chunk of items after the other.
template <class T>
void gather_items(const Tables<T>& t, const Word* columns, std::size_t f, std::size_t from) {
  constexpr std::size_t kBits = 8 * sizeof(T), kEach = kLanesOf<T>;
  const auto* rows = static_cast<const typename Lane<T>::Mask*>(t.rows);
  const std::size_t across = t.stride / kEach, first = from / kEach;
  const std::size_t chunks = t.gathered.end[t.segment_count - 1];
  const Word* column = columns + f * t.words;
  std::size_t chunk = 0, items = 0;
  const typename Lane<T>::Mask* item[kBits];
  const auto emit = [&] {
    for (std::size_t b = first; b < across; ++b) {
      __m512i sum = _mm512_setzero_si512(), bit = lanes_of<T>(1);
      for (std::size_t k = 0; k < items; ++k) {
        sum = add_where<T>(sum, item[k][b], bit);
        bit = add_where<T>(bit, static_cast<typename Lane<T>::Mask>(-1), bit);
      }
      _mm512_store_si512(t.gathered.blocks + ((b - first) * chunks + chunk) * kEach, sum);
    }
    ++chunk;
    items = 0;
  };
  for (std::size_t s = 0; s < t.segment_count; ++s) {
    const std::size_t last = t.segments[s].first + t.segments[s].words;
    for (std::size_t w = t.segments[s].first; w < last; ++w) {
      for (Word left = column[w]; left; left &= left - 1) {
        const auto row = 64 * w + static_cast<std::size_t>(__builtin_ctzll(left));
        item[items++] = rows + row * across;
        if (items == kBits) emit();
      }
    }
    if (items) emit();
  }
}

#include "front/kernel_body.inc"

}  // namespace

extern const Kernels kAvx512Kernels{"avx512",
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
