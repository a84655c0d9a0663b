// The kernel for machines with AVX-512 and its popcounts.
#include "front/kernel.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(                                                             \
    __attribute__((                                                                       \
        target("avx2,bmi,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq," \
               "avx512bitalg,avx512vbmi,avx512vbmi2,gfni"))),                             \
    apply_to = function)
#else
#pragma GCC target( \
    "avx2,bmi,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq,avx512bitalg,avx512vbmi,avx512vbmi2,gfni")
#endif

namespace dtfinder::front {
namespace {

#define FRONT_VECTOR 64
#define FRONT_WIDE_COUNT
#define FRONT_HAS_ONES
#include "front/kernel_vectors.inc"

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

// The largest lane of each of four vectors.
template <class U>
FRONT_INLINE void most_lanes(const Vector<U>* of, U* out) {
  typedef Vector<U> V;
  typedef Vector<std::uint64_t> Eight;
  typedef Vector<std::uint32_t> Sixteen;
  // The halves of two vectors, then the quarters of what is left of four, side by side.
  V half[2];
  for (std::size_t p = 0; p < 2; ++p) {
    const Eight a = (Eight)of[2 * p], b = (Eight)of[2 * p + 1];
    half[p] = most<U>((V)__builtin_shufflevector(a, b, 0, 1, 2, 3, 8, 9, 10, 11),
                      (V)__builtin_shufflevector(a, b, 4, 5, 6, 7, 12, 13, 14, 15));
  }
  const Eight a = (Eight)half[0], b = (Eight)half[1];
  V all = most<U>((V)__builtin_shufflevector(a, b, 0, 1, 4, 5, 8, 9, 12, 13),
                  (V)__builtin_shufflevector(a, b, 2, 3, 6, 7, 10, 11, 14, 15));
  const Eight e = (Eight)all;
  all = most<U>(all, (V)__builtin_shufflevector(e, e, 1, 0, 3, 2, 5, 4, 7, 6));
  if constexpr (sizeof(U) < 8) {
    const Sixteen s = (Sixteen)all;
    all = most<U>(all, (V)__builtin_shufflevector(s, s, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13,
                                                  12, 15, 14));
  }
  if constexpr (sizeof(U) < 4) all = most<U>(all, (V)((Sixteen)all >> 16));
  if constexpr (sizeof(U) < 2) {
    all = most<U>(all, (V)((Sixteen)all >> 8));
  }
  for (std::size_t q = 0; q < 4; ++q) out[q] = all[q * (16 / sizeof(U))];
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

// The items in which lanes of a vector have a one, with the bits 0, 1, .. of the lanes in turn.
template <class T>
inline __attribute__((always_inline)) Word lanes_with(__m512i lanes, std::size_t bit) {
  if constexpr (sizeof(T) == 1)
    return _mm512_test_epi8_mask(lanes, _mm512_set1_epi8(static_cast<char>(1u << bit)));
  if constexpr (sizeof(T) == 2)
    return _mm512_test_epi16_mask(lanes, _mm512_set1_epi16(static_cast<short>(1u << bit)));
  if constexpr (sizeof(T) == 4)
    return _mm512_test_epi32_mask(lanes, _mm512_set1_epi32(static_cast<int>(1u << bit)));
  if constexpr (sizeof(T) == 8)
    return _mm512_test_epi64_mask(lanes, _mm512_set1_epi64(static_cast<long long>(1ull << bit)));
}
// Blocks the other way round: for each item a word of its ones in 64 columns, all items for the
// first 64 columns first.
template <class T>
void lay_rows(const Tables<T>& t) {
  constexpr std::size_t kBits = 8 * sizeof(T), kEach = kLanesOf<T>;
  const std::size_t across = t.stride / kEach, chunks = t.words * 64 / kBits;
  for (std::size_t b = 0; b < across; ++b) {
    Word* rows = t.rows + b / sizeof(T) * t.words * 64;
    const std::size_t shift = b % sizeof(T) * kEach;
    for (std::size_t k = 0; k < chunks; ++k) {
      const __m512i block = _mm512_load_si512(t.blocks + (b * chunks + k) * kEach);
      for (std::size_t bit = 0; bit < kBits; ++bit) {
        const Word ones = lanes_with<T>(block, bit) << shift;
        Word& row = rows[k * kBits + bit];
        row = shift ? row | ones : ones;
      }
    }
  }
}
// Eight words of 64 columns as 64 bytes, one for each column.
inline __attribute__((always_inline)) __m512i transposed(__m512i words) {
  alignas(64) static constexpr std::uint8_t kOrder[64] = {
      56, 48, 40, 32, 24, 16, 8,  0,  57, 49, 41, 33, 25, 17, 9,  1,  58, 50, 42, 34, 26, 18,
      10, 2,  59, 51, 43, 35, 27, 19, 11, 3,  60, 52, 44, 36, 28, 20, 12, 4,  61, 53, 45, 37,
      29, 21, 13, 5,  62, 54, 46, 38, 30, 22, 14, 6,  63, 55, 47, 39, 31, 23, 15, 7};
  const __m512i groups = _mm512_permutexvar_epi8(_mm512_load_si512(kOrder), words);
  const __m512i unit = _mm512_set1_epi64(static_cast<long long>(0x8040201008040201u));
  return _mm512_gf2p8affine_epi64_epi8(unit, groups, 0);
}
// The lanes, eight bits up, with a byte of `bytes` below each: the first for part 0, and so on.
template <class T>
inline __attribute__((always_inline)) __m512i below(__m512i lanes, __m512i bytes,
                                                    std::size_t part) {
  if constexpr (sizeof(T) == 1) return bytes;
  const __m512i words =
      _mm512_add_epi64(_mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0),
                       _mm512_set1_epi64(static_cast<long long>(part * (8 / sizeof(T)))));
  const __m512i first = _mm512_permutexvar_epi64(words, bytes);
  if constexpr (sizeof(T) == 2)
    return _mm512_or_si512(_mm512_slli_epi16(lanes, 8),
                           _mm512_cvtepu8_epi16(_mm512_castsi512_si256(first)));
  if constexpr (sizeof(T) == 4)
    return _mm512_or_si512(_mm512_slli_epi32(lanes, 8),
                           _mm512_cvtepu8_epi32(_mm512_castsi512_si128(first)));
  if constexpr (sizeof(T) == 8)
    return _mm512_or_si512(_mm512_slli_epi64(lanes, 8),
                           _mm512_cvtepu8_epi64(_mm512_castsi512_si128(first)));
}
// Fills the blocks of `gathered`: the words of its items, packed, are transposed by eight.
template <class T>
void gather_items(const Tables<T>& t, const Word* columns, std::size_t f) {
  constexpr std::size_t kEach = kLanesOf<T>, kItems = 8 * sizeof(T);
  const std::size_t across = t.stride / kEach, first = t.gathered.from / kEach;
  const std::size_t chunks = t.gathered.end[t.segment_count - 1];
  const Word* column = columns + f * t.words;
  Word* packed = t.rows + words_for(t.stride) * t.words * 64;
  for (std::size_t group = first / sizeof(T); group * sizeof(T) < across; ++group) {
    const Word* rows = t.rows + group * t.words * 64;
    std::size_t items = 0;
    for (std::size_t s = 0; s < t.segment_count; ++s) {
      const std::size_t last = t.segments[s].first + t.segments[s].words;
      for (std::size_t w = t.segments[s].first; w < last; ++w) {
        for (std::size_t k = 0; k < 8; ++k) {
          const auto some = static_cast<__mmask8>(column[w] >> 8 * k);
          const __m512i eight = _mm512_loadu_si512(rows + 64 * w + 8 * k);
          _mm512_storeu_si512(packed + items, _mm512_maskz_compress_epi64(some, eight));
          items += bits_of(some);
        }
      }
      const std::size_t end = kItems * t.gathered.end[s];
      for (; items < end; items += 8) _mm512_storeu_si512(packed + items, _mm512_setzero_si512());
      items = end;
    }
    const std::size_t low = group * sizeof(T), high = low + sizeof(T);
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
      __m512i bytes[sizeof(T)];
      for (std::size_t k = 0; k < sizeof(T); ++k)
        bytes[k] = transposed(_mm512_loadu_si512(packed + kItems * chunk + 8 * k));
      for (std::size_t b = low < first ? first : low; b < across && b < high; ++b) {
        __m512i sum = _mm512_setzero_si512();
        for (std::size_t k = sizeof(T); k-- > 0;) sum = below<T>(sum, bytes[k], b - low);
        _mm512_storeu_si512(t.gathered.blocks + ((b - first) * chunks + chunk) * kEach, sum);
      }
    }
  }
}

#include "front/kernel_body.inc"

}  // namespace

extern const Kernels kAvx512Kernels{"avx512",
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
