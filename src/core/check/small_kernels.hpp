// The loops that count small trees for the compiled checker, for several kinds of machines.
//
// Columns of bits lie next to each other, a vector of columns at a time: a word of each column,
// then the next word of each. A loop over the columns of a vector is one instruction where the
// machine has it. Numbers are as narrow as the weight allows, and as many bits are counted at once.
// Compilers choose among the kinds when the program starts, where they can.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>
#define DTFINDER_ALWAYS __attribute__((always_inline))
#define DTFINDER_OLD __attribute__((target("popcnt,avx2")))
#define DTFINDER_NEW                                                                \
  __attribute__((                                                                   \
      target("popcnt,avx2,bmi2,avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq," \
             "prefer-vector-width=512")))
#elif defined(__GNUC__)
#define DTFINDER_ALWAYS __attribute__((always_inline))
#define DTFINDER_OLD
#define DTFINDER_NEW
#else
#define DTFINDER_ALWAYS
#define DTFINDER_OLD
#define DTFINDER_NEW
#endif
// A function for each kind of machine, `NAME_any`, `_old` and `_new`, that does what CALL does.
#define DTFINDER_KINDS(RESULT, NAME, PARAMETERS, CALL)              \
  inline RESULT NAME##_any PARAMETERS { return CALL; }              \
  DTFINDER_OLD inline RESULT NAME##_old PARAMETERS { return CALL; } \
  DTFINDER_NEW inline RESULT NAME##_new PARAMETERS { return CALL; }
#define DTFINDER_TEMPLATES(RESULT, NAME, PARAMETERS, CALL) \
  template <class T>                                       \
  RESULT NAME##_any PARAMETERS {                           \
    return CALL;                                           \
  }                                                        \
  template <class T>                                       \
  DTFINDER_OLD RESULT NAME##_old PARAMETERS {              \
    return CALL;                                           \
  }                                                        \
  template <class T>                                       \
  DTFINDER_NEW RESULT NAME##_new PARAMETERS {              \
    return CALL;                                           \
  }
#define DTFINDER_CALL(NAME, ARGUMENTS)                              \
  (::dtfinder::small_trees::machine() == 2   ? NAME##_new ARGUMENTS \
   : ::dtfinder::small_trees::machine() == 1 ? NAME##_old ARGUMENTS \
                                             : NAME##_any ARGUMENTS)

namespace dtfinder::small_trees {

using Word = std::uint64_t;
constexpr std::size_t kLanes = 32;  // columns in a vector: as many of the narrowest numbers

inline int machine() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const int kind = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("popcnt")) return 0;
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("bmi2");
    return wide ? 2 : 1;
  }();
  return kind;
#else
  return 0;
#endif
}

// The number of bits that are in `a` and in `b`.
DTFINDER_ALWAYS inline std::int64_t count_common(const Word* a, const Word* b, std::size_t words) {
  Word sum = 0;
  for (std::size_t i = 0; i < words; ++i) sum += static_cast<Word>(std::popcount(a[i] & b[i]));
  return static_cast<std::int64_t>(sum);
}
DTFINDER_KINDS(std::int64_t, common, (const Word* a, const Word* b, std::size_t words),
               count_common(a, b, words))
inline std::int64_t common(const Word* a, const Word* b, std::size_t words) {
  return DTFINDER_CALL(common, (a, b, words));
}

// The bits of `bits` where `mask` has one, side by side from the lowest.
inline Word packed(Word bits, Word mask) {
  Word found = 0;
  for (Word bit = 1; mask; bit <<= 1, mask &= mask - 1) {
    if (bits & mask & -mask) found |= bit;
  }
  return found;
}
// A word of a set, and what of it is packed.
struct Piece {
  std::size_t word;
  Word mask;
};
// Joins `found`, so many bits, to what is packed.
inline void join(Word* to, std::size_t& at, Word found, Word mask) {
  const std::size_t shift = at % 64, length = static_cast<std::size_t>(std::popcount(mask));
  to[at / 64] |= found << shift;
  at += length;
  if (shift + length > 64) to[at / 64] |= found >> (64 - shift);
}
#if defined(__x86_64__) && defined(__GNUC__)
DTFINDER_NEW inline void pack_new(const Word* bits, const std::vector<Piece>& pieces, Word* to) {
  std::size_t at = 0;
  for (const Piece& each : pieces) join(to, at, _pext_u64(bits[each.word], each.mask), each.mask);
}
#endif
// Of `bits` the pieces, side by side; `to` is zero before.
inline void pack(const Word* bits, const std::vector<Piece>& pieces, Word* to) {
#if defined(__x86_64__) && defined(__GNUC__)
  if (machine() == 2) return pack_new(bits, pieces, to);
#endif
  std::size_t at = 0;
  for (const Piece& each : pieces) join(to, at, packed(bits[each.word], each.mask), each.mask);
}

// Words of a column that hold examples of one class, whose weight counts `1 << shift`.
struct Segment {
  std::size_t label, first, words;
  int shift;
};

// The least number of a vector.
template <class T>
DTFINDER_ALWAYS inline T least_of(const T* lanes) {
  T least = lanes[0];
  for (std::size_t l = 1; l < kLanes; ++l) least = lanes[l] < least ? lanes[l] : least;
  return least;
}

template <class T>
struct Tables {
  std::size_t columns, stride, classes, words, segments;
  const Segment* segment;
  const Word* column;  // one after the other
  const Word* block;   // in vectors of columns, word by word
  const T* total;      // [class]
  T* single;           // [class][j]
  T* pair;             // [f][class][j], for j from the vector of f on
  T* leaf;             // [f][quadrant][j]: the errors of a leaf where (f, j) = 00, 01, 10, 11
  T* split;            // the same with one split
  T* least;            // [splits][side][j]: the least errors of a child with 1, 2 or 3 splits
  T* count;            // [class][j]: scratch
};

// The weight of each class among the examples of `mask` with a one in the columns from `from` on.
template <class T>
DTFINDER_ALWAYS inline void count(const Tables<T>& t, const Word* mask, std::size_t from) {
  for (std::size_t j = from; j < t.stride; j += kLanes) {
    const Word* block = t.block + j * t.words;
    for (std::size_t s = 0; s < t.segments; ++s) {
      const Segment at = t.segment[s];
      Word sum[kLanes] = {};
      for (std::size_t w = at.first; w < at.first + at.words; ++w) {
        const Word bits = mask[w];
        if (!bits) continue;
        for (std::size_t l = 0; l < kLanes; ++l) {
          sum[l] += static_cast<Word>(std::popcount(bits & block[w * kLanes + l]));
        }
      }
      T* to = t.count + at.label * t.stride + j;
      const bool first = s == 0 || t.segment[s - 1].label != at.label;
      for (std::size_t l = 0; l < kLanes; ++l) {
        to[l] = static_cast<T>((first ? T{0} : to[l]) + static_cast<T>(sum[l] << at.shift));
      }
    }
  }
}
// What two classes, or more, leave wrong: `cell(c, l)` is the weight of class c in lane l.
template <class T, class Cell>
DTFINDER_ALWAYS inline void errors(const Tables<T>& t, Cell&& cell, T* out) {
  if (t.classes == 2) {
    for (std::size_t l = 0; l < kLanes; ++l) out[l] = std::min<T>(cell(0, l), cell(1, l));
    return;
  }
  T sum[kLanes], top[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) sum[l] = top[l] = cell(0, l);
  for (std::size_t c = 1; c < t.classes; ++c) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const T here = cell(c, l);
      sum[l] = static_cast<T>(sum[l] + here);
      top[l] = std::max(top[l], here);
    }
  }
  for (std::size_t l = 0; l < kLanes; ++l) out[l] = static_cast<T>(sum[l] - top[l]);
}

// Joins `shown(q, l)`, the errors of side q of column f (q = 0, 1) and of lane l (q = 2, 3), to the
// least of children with so many splits.
template <class T, class Shown>
DTFINDER_ALWAYS inline void take_least(const Tables<T>& t, std::size_t splits, std::size_t f,
                                       Shown&& shown) {
  T* least = t.least + 2 * (splits - 1) * t.stride;
  for (std::size_t x = 0; x < 2; ++x) {
    T best[kLanes];
    for (std::size_t l = 0; l < kLanes; ++l) best[l] = least[x * t.stride + f];
    for (std::size_t j = f / kLanes * kLanes; j < t.stride; j += kLanes) {
      T* of_j = least + x * t.stride + j;
      for (std::size_t l = 0; l < kLanes; ++l) {
        best[l] = std::min(best[l], shown(x, j + l));
        of_j[l] = std::min(of_j[l], shown(2 + x, j + l));
      }
    }
    least[x * t.stride + f] = least_of(best);
  }
}

// Fills `pair` and `leaf` of column f, and joins what they show of children with one split.
template <class T>
DTFINDER_ALWAYS inline void count_pairs(const Tables<T>& t, std::size_t f) {
  const std::size_t n = t.stride, from = f / kLanes * kLanes;
  count(t, t.column + f * t.words, from);
  for (std::size_t c = 0; c < t.classes; ++c) {
    T* pair = t.pair + (f * t.classes + c) * n;
    for (std::size_t j = from; j < n; ++j) pair[j] = t.count[c * n + j];
  }
  const T* pairs = t.pair + f * t.classes * n;
  for (std::size_t j = from; j < n; j += kLanes) {
    T* leaf = t.leaf + 4 * f * n + j;
    auto both = [&](std::size_t c, std::size_t l) DTFINDER_ALWAYS { return pairs[c * n + j + l]; };
    auto with = [&](std::size_t c, std::size_t l)
                    DTFINDER_ALWAYS { return t.single[c * n + j + l]; };
    auto f_alone = [&](std::size_t c, std::size_t l)
                       DTFINDER_ALWAYS { return static_cast<T>(t.single[c * n + f] - both(c, l)); };
    auto j_alone = [&](std::size_t c, std::size_t l)
                       DTFINDER_ALWAYS { return static_cast<T>(with(c, l) - both(c, l)); };
    auto neither = [&](std::size_t c, std::size_t l) DTFINDER_ALWAYS {
      return static_cast<T>(t.total[c] - t.single[c * n + f] - j_alone(c, l));
    };
    errors(t, neither, leaf);
    errors(t, j_alone, leaf + n);
    errors(t, f_alone, leaf + 2 * n);
    errors(t, both, leaf + 3 * n);
  }
  const T* leaf = t.leaf + 4 * f * n;
  take_least(t, 1, f, [&](std::size_t side, std::size_t j) DTFINDER_ALWAYS {
    const std::size_t a = side < 2 ? 2 * side : side - 2, b = side < 2 ? a + 1 : a + 2;
    return static_cast<T>(leaf[a * n + j] + leaf[b * n + j]);
  });
}

// Joins all triples of f < i to `split`; `mask` is scratch.
template <class T>
DTFINDER_ALWAYS inline void count_triples(const Tables<T>& t, std::size_t f, std::size_t i,
                                          Word* mask) {
  const std::size_t n = t.stride, from = (i + 1) / kLanes * kLanes;
  for (std::size_t w = 0; w < t.words; ++w) {
    mask[w] = static_cast<Word>(t.column[f * t.words + w] & t.column[i * t.words + w]);
  }
  count(t, mask, from);
  const T *of_f = t.pair + f * t.classes * n, *of_i = t.pair + i * t.classes * n;
  T found[4][kLanes];
  for (std::size_t q = 0; q < 4; ++q) {
    for (T& each : found[q]) each = t.split[(4 * f + q) * n + i];
  }
  for (std::size_t j = from; j < n; j += kLanes) {
    T e[8][kLanes];  // of the cells 4f + 2i + j
    auto cell = [&](std::size_t number) DTFINDER_ALWAYS {
      errors(
          t,
          [&](std::size_t c, std::size_t l) DTFINDER_ALWAYS {
            const T all = t.count[c * n + j + l], fi = of_f[c * n + i];
            const T fj = of_f[c * n + j + l], ij = of_i[c * n + j + l];
            const T with_f = t.single[c * n + f], with_i = t.single[c * n + i];
            const T with_j = t.single[c * n + j + l];
            const T here[4] = {static_cast<T>(with_j - fj - ij + all), static_cast<T>(ij - all),
                               static_cast<T>(fj - all), all};
            const T both[4] = {static_cast<T>(t.total[c] - with_f - with_i + fi),
                               static_cast<T>(with_i - fi), static_cast<T>(with_f - fi), fi};
            const T one = here[number / 2];
            return number % 2 ? one : static_cast<T>(both[number / 2] - one);
          },
          e[number]);
    };
    cell(0), cell(1), cell(2), cell(3), cell(4), cell(5), cell(6), cell(7);
    for (std::size_t q = 0; q < 4; ++q) {
      const std::size_t x = q / 2, z = q % 2;
      T* fj = t.split + (4 * f + q) * n + j;
      T* ij = t.split + (4 * i + q) * n + j;
      for (std::size_t l = 0; l < kLanes; ++l) {
        found[q][l] = std::min(found[q][l], static_cast<T>(e[2 * q][l] + e[2 * q + 1][l]));
        fj[l] = std::min(fj[l], static_cast<T>(e[4 * x + z][l] + e[4 * x + 2 + z][l]));
        ij[l] = std::min(ij[l], static_cast<T>(e[q][l] + e[4 + q][l]));
      }
    }
  }
  for (std::size_t q = 0; q < 4; ++q) {
    t.split[(4 * f + q) * n + i] = least_of(found[q]);
  }
}

// After all triples: joins what the quadrants of column f show of children with two or three
// splits.
template <class T>
DTFINDER_ALWAYS inline void join_quadrants(const Tables<T>& t, std::size_t f) {
  const std::size_t n = t.stride;
  const T *leaf = t.leaf + 4 * f * n, *split = t.split + 4 * f * n;
  take_least(t, 2, f, [&](std::size_t side, std::size_t j) DTFINDER_ALWAYS {
    const std::size_t a = side < 2 ? 2 * side : side - 2, b = side < 2 ? a + 1 : a + 2;
    return std::min(static_cast<T>(split[a * n + j] + leaf[b * n + j]),
                    static_cast<T>(leaf[a * n + j] + split[b * n + j]));
  });
  take_least(t, 3, f, [&](std::size_t side, std::size_t j) DTFINDER_ALWAYS {
    const std::size_t a = side < 2 ? 2 * side : side - 2, b = side < 2 ? a + 1 : a + 2;
    return static_cast<T>(split[a * n + j] + split[b * n + j]);
  });
}

// The least errors with one split among the examples of `mask`, which has `weight` by class.
template <class T>
DTFINDER_ALWAYS inline T one_split(const Tables<T>& t, const Word* mask, const T* weight) {
  const std::size_t n = t.stride;
  count(t, mask, 0);
  T best[kLanes];
  errors(t, [&](std::size_t c, std::size_t) DTFINDER_ALWAYS { return weight[c]; }, best);
  for (std::size_t j = 0; j < n; j += kLanes) {
    T one[kLanes], zero[kLanes];
    auto with = [&](std::size_t c, std::size_t l)
                    DTFINDER_ALWAYS { return t.count[c * n + j + l]; };
    auto without = [&](std::size_t c, std::size_t l)
                       DTFINDER_ALWAYS { return static_cast<T>(weight[c] - with(c, l)); };
    errors(t, with, one);
    errors(t, without, zero);
    for (std::size_t l = 0; l < kLanes; ++l) {
      best[l] = std::min(best[l], static_cast<T>(one[l] + zero[l]));
    }
  }
  return least_of(best);
}

DTFINDER_TEMPLATES(void, pairs, (const Tables<T>& t, std::size_t f), (count_pairs(t, f)))
DTFINDER_TEMPLATES(void, triples, (const Tables<T>& t, std::size_t f, std::size_t i, Word* mask),
                   (count_triples(t, f, i, mask)))
DTFINDER_TEMPLATES(void, quadrants, (const Tables<T>& t, std::size_t f), join_quadrants(t, f))
DTFINDER_TEMPLATES(T, quadrant, (const Tables<T>& t, const Word* mask, const T* weight),
                   (one_split(t, mask, weight)))

}  // namespace dtfinder::small_trees
