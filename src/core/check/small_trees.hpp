// Least errors of small trees on one set of examples, by counting; for the compiled checker.
//
// The examples are packed class by class (and binary digit of the weight by digit), the splits of
// the set become columns of bits. From there, three steps, each only if it is asked for:
//
// - pairs: the weight of each class with ones in two columns. The four cells of two columns follow
//   from it and from single columns, and the errors of a leaf in each: trees of up to two inner
//   nodes, and trees of depth two.
// - triples f < i < j: the weight with ones in all three, and so all eight cells. For each quadrant
//   of two columns the best split by the third is kept. From these follow the errors of a child of
//   any column with up to three inner nodes and depth two, and so all trees of depth three, and all
//   with up to three inner nodes.
// - one quadrant alone: the same for only those quadrants that a bound leaves open.
//
// Numbers are as narrow as the weight allows. The loops are compiled for several machines where the
// compiler can choose among them when the program starts.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <new>
#include <vector>

namespace dtfinder {

// The same function for several kinds of machines; `machine()` says which kind this one is.
#if defined(__x86_64__) && defined(__GNUC__)
#define DTFINDER_ALWAYS __attribute__((always_inline))
#define DTFINDER_OLD __attribute__((target("popcnt,avx2")))
#define DTFINDER_NEW \
  __attribute__((target("popcnt,avx2,avx512f,avx512vl,avx512bw,avx512dq,avx512vpopcntdq")))
#elif defined(__GNUC__)
#define DTFINDER_ALWAYS __attribute__((always_inline))
#define DTFINDER_OLD
#define DTFINDER_NEW
#else
#define DTFINDER_ALWAYS
#define DTFINDER_OLD
#define DTFINDER_NEW
#endif
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

namespace small_trees {

using Word = std::uint64_t;
constexpr std::size_t kLanes = 16;  // columns that lie next to each other, word by word

inline int machine() {
#if defined(__x86_64__) && defined(__GNUC__)
  static const int kind = [] {
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("popcnt")) return 0;
    const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                      __builtin_cpu_supports("avx512vpopcntdq");
    return wide ? 2 : 1;
  }();
  return kind;
#else
  return 0;
#endif
}

// Words of a column that hold examples of one class, whose weight counts `1 << shift`.
struct Segment {
  std::size_t label, first, words;
  int shift;
};

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

template <class T>
struct Tables {
  std::size_t columns, stride, classes, words, segments;
  const Segment* segment;
  const Word* column;  // one after the other
  const Word* block;   // in blocks of kLanes, word by word
  const T* total;      // [class]
  T* single;           // [class][j]
  T* pair;             // [f][class][j], for j from the block of f on
  T* leaf;             // [f][quadrant][j]: the errors of a leaf where (f, j) = 00, 01, 10, 11
  T* split;            // the same with one split
  T* count;            // [class][j]: scratch
};

// The weight of each class among the examples of `mask` with a one in the columns from `from` on.
template <class T>
DTFINDER_ALWAYS inline void count(const Tables<T>& t, const Word* mask, std::size_t from) {
  for (std::size_t j = from; j < t.stride; j += kLanes) {
    const Word* block = t.block + j * t.words;
    for (std::size_t s = 0; s < t.segments; ++s) {
      const Segment& at = t.segment[s];
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

// Fills `pair` and `leaf` of column f.
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
}

// Joins all triples of f < i to `split`; `mask` is scratch.
template <class T>
DTFINDER_ALWAYS inline void count_triples(const Tables<T>& t, std::size_t f, std::size_t i,
                                          Word* mask) {
  const std::size_t n = t.stride, from = (i + 1) / kLanes * kLanes;
  for (std::size_t w = 0; w < t.words; ++w) {
    mask[w] = t.column[f * t.words + w] & t.column[i * t.words + w];
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
            const T ones[4] = {static_cast<T>(with_j - fj - ij + all), static_cast<T>(ij - all),
                               static_cast<T>(fj - all), all};
            const T both[4] = {static_cast<T>(t.total[c] - with_f - with_i + fi),
                               static_cast<T>(with_i - fi), static_cast<T>(with_f - fi), fi};
            const T one = ones[number / 2];
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
    t.split[(4 * f + q) * n + i] = *std::min_element(found[q], found[q] + kLanes);
  }
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
  return *std::min_element(best, best + kLanes);
}

DTFINDER_TEMPLATES(void, pairs, (const Tables<T>& t, std::size_t f), count_pairs(t, f))
DTFINDER_TEMPLATES(void, triples, (const Tables<T>& t, std::size_t f, std::size_t i, Word* mask),
                   count_triples(t, f, i, mask))
DTFINDER_TEMPLATES(T, quadrant, (const Tables<T>& t, const Word* mask, const T* weight),
                   one_split(t, mask, weight))

}  // namespace small_trees

// The columns of one set, packed; what is counted of them, in the narrowest numbers.
class SmallTrees {
 public:
  using Number = std::int64_t;
  using Word = std::uint64_t;
  using Set = std::vector<Word>;

  // `ways` are the sides with a one of the splits of `inside`; `classes` has for each class and
  // binary digit of weights the examples that have it.
  void begin(const Set& inside, const std::vector<Set>& ways,
             const std::vector<std::vector<Set>>& classes) {
    m_ = ways.size();
    n_ = (m_ + small_trees::kLanes - 1) / small_trees::kLanes * small_trees::kLanes;
    k_ = classes.size();
    segments_.clear();
    items_.clear();
    total_.assign(k_, 0);
    words_ = 0;
    for (std::size_t c = 0; c < k_; ++c) {
      const std::size_t before = segments_.size();
      for (std::size_t digit = 0; digit < classes[c].size(); ++digit) {
        const std::size_t start = items_.size();
        for (std::size_t w = 0; w < inside.size(); ++w) {
          for (Word left = inside[w] & classes[c][digit][w]; left; left &= left - 1) {
            items_.push_back(static_cast<std::uint32_t>(
                64 * w + static_cast<std::size_t>(std::countr_zero(left))));
          }
        }
        const std::size_t found = items_.size() - start;
        if (found) add_segment(c, static_cast<int>(digit), found);
      }
      if (segments_.size() == before) add_segment(c, 0, 0);  // every class has its counts
    }
    columns_.assign(m_ * words_, 0);
    blocks_.assign(n_ * words_, 0);
    for (std::size_t f = 0; f < m_; ++f) {
      Word* column = columns_.data() + f * words_;
      std::size_t item = 0;
      for (std::size_t s = 0; s < segments_.size(); ++s) {
        for (std::size_t at = 64 * segments_[s].first; at < ends_[s]; ++at, ++item) {
          const Word bit = ways[f][items_[item] / 64] >> (items_[item] % 64) & 1;
          column[at / 64] |= bit << (at % 64);
        }
      }
      Word* block = blocks_.data() + f / small_trees::kLanes * small_trees::kLanes * words_;
      for (std::size_t w = 0; w < words_; ++w)
        block[w * small_trees::kLanes + f % small_trees::kLanes] = column[w];
    }
    weight_ = 0;
    for (const Number each : total_) weight_ += each;
    pairs_ = triples_ = false;
    singles_ = 0;
  }

  Number leaf() const { return weight_ - *std::max_element(total_.begin(), total_.end()); }
  // The least errors of the side of column f, with up to so many splits: up to one after pairs, up
  // to three (at depth two) after triples.
  Number child(std::size_t side, std::size_t splits, std::size_t f) const {
    return children_[(4 * side + splits) * m_ + f];
  }
  // The least errors of all trees of depth one, two or three with up to so many splits; at depth
  // three after triples.
  Number whole(std::size_t splits, std::size_t depth) const {
    const std::size_t most = depth <= 1 ? 0 : depth == 2 ? 1 : 3;
    Number best = leaf();
    for (std::size_t a = 0; a <= most; ++a) {
      for (std::size_t b = 0; b <= most && a + b + 1 <= splits; ++b) {
        for (std::size_t f = 0; f < m_; ++f) best = std::min(best, child(0, a, f) + child(1, b, f));
      }
    }
    return best;
  }
  void count_pairs() {
    if (pairs_) return;
    typed([&](auto& t) { pairs(t); });
    pairs_ = true;
  }
  void count_triples() {
    if (triples_) return;
    count_pairs();
    typed([&](auto& t) { triples(t); });
    triples_ = true;
  }
  // The least errors of the side of column f with two splits if that is less than `enough`, else a
  // number that is not: only quadrants that leave less outside are counted.
  Number two_splits(std::size_t side, std::size_t f, Number enough) {
    count_pairs();
    if (singles_ > most_single()) count_triples();
    if (triples_) return std::min(child(side, 2, f), enough);
    Number best = std::min(child(side, 1, f), enough);
    typed([&](auto& t) {
      for (std::size_t i = 0; i < m_; ++i) {
        if (i == f) continue;
        for (std::size_t y = 0; y < 2; ++y) {
          if (quadrant_leaf(t, f, side, i, 1 - y) >= best) continue;
          if (quadrant_leaf(t, f, side, i, y) == 0) continue;
          const Number rest = quadrant_leaf(t, f, side, i, 1 - y);
          best = std::min(best, rest + quadrant_split(t, f, side, i, y));
          ++singles_;
        }
      }
    });
    return best;
  }
  // Whether `two_splits` would count few quadrants for all trees of three inner nodes, compared
  // with all triples.
  bool few_open(Number enough) {
    if (triples_) return false;
    std::size_t found = 0;
    typed([&](auto& t) {
      for (std::size_t f = 0; f < m_; ++f) {
        for (std::size_t side = 0; side < 2; ++side) {
          const Number limit = std::min(enough - child(1 - side, 0, f), child(side, 1, f));
          for (std::size_t i = 0; i < m_ && limit > 0; ++i) {
            if (i == f) continue;
            for (std::size_t y = 0; y < 2; ++y)
              found += quadrant_leaf(t, f, side, i, 1 - y) < limit;
          }
        }
      }
    });
    return found <= most_single();
  }
  std::size_t columns() const { return m_; }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 29;  // of pairs and triples
  template <class T>
  struct Storage {
    std::vector<T> total, single, pair, leaf, split, count, weight;
  };
  std::size_t most_single() const { return m_ * m_ / 8 + 4; }
  void add_segment(std::size_t label, int shift, std::size_t items) {
    const std::size_t used = (items + 63) / 64;
    segments_.push_back({label, words_, used, shift});
    ends_.resize(segments_.size());
    ends_[segments_.size() - 1] = 64 * words_ + items;
    words_ += used;
    total_[label] += static_cast<Number>(items) << shift;
  }
  template <class Do>
  void typed(Do&& act) {
    if (weight_ <= 16383) {
      act(narrow_);
    } else if (weight_ < Number{1} << 30) {
      act(middle_);
    } else {
      act(wide_);
    }
  }
  template <class T>
  small_trees::Tables<T> tables(Storage<T>& s) {
    return {m_,
            n_,
            k_,
            words_,
            segments_.size(),
            segments_.data(),
            columns_.data(),
            blocks_.data(),
            s.total.data(),
            s.single.data(),
            s.pair.data(),
            s.leaf.data(),
            s.split.data(),
            s.count.data()};
  }
  template <class T>
  static void grow(std::vector<T>& vector, std::size_t size) {
    if (vector.size() < size) vector.resize(size);
  }
  template <class T>
  void pairs(Storage<T>& s) {
    if (m_ * n_ * (k_ + 8) * sizeof(T) > kMostBytes) throw std::bad_alloc();
    grow(s.total, k_);
    grow(s.weight, k_);
    grow(s.single, k_ * n_);
    grow(s.count, k_ * n_);
    grow(s.pair, m_ * k_ * n_);
    grow(s.leaf, 4 * m_ * n_);
    std::fill(s.single.begin(), s.single.end(), T{0});
    for (std::size_t c = 0; c < k_; ++c) s.total[c] = static_cast<T>(total_[c]);
    for (const small_trees::Segment& at : segments_) {
      for (std::size_t f = 0; f < m_; ++f) {
        const Word* column = columns_.data() + f * words_ + at.first;
        const Number ones = small_trees::common(column, column, at.words);
        T& sum = s.single[at.label * n_ + f];
        sum = static_cast<T>(sum + static_cast<T>(ones << at.shift));
      }
    }
    children_.assign(8 * m_, 0);
    for (std::size_t f = 0; f < m_; ++f) {
      Number sum[2] = {0, 0}, top[2] = {0, 0};
      for (std::size_t c = 0; c < k_; ++c) {
        const Number one = s.single[c * n_ + f], cells[2] = {total_[c] - one, one};
        for (std::size_t side = 0; side < 2; ++side) {
          sum[side] += cells[side];
          top[side] = std::max(top[side], cells[side]);
        }
      }
      for (std::size_t side = 0; side < 2; ++side) {
        for (std::size_t k = 0; k < 4; ++k) at(side, k, f) = sum[side] - top[side];
      }
    }
    const small_trees::Tables<T> t = tables(s);
    for (std::size_t f = 0; f < m_; ++f) DTFINDER_CALL(small_trees::pairs, (t, f));
    each_pair([&](std::size_t f, std::size_t i) {
      Number leaf[4];
      for (std::size_t q = 0; q < 4; ++q) leaf[q] = s.leaf[(4 * f + q) * n_ + i];
      for (std::size_t x = 0; x < 2; ++x) {
        lower(at(x, 1, f), leaf[2 * x] + leaf[2 * x + 1]);
        lower(at(x, 1, i), leaf[x] + leaf[2 + x]);
      }
    });
  }
  template <class T>
  void triples(Storage<T>& s) {
    s.split.assign(s.leaf.begin(), s.leaf.begin() + static_cast<std::ptrdiff_t>(4 * m_ * n_));
    mask_.resize(words_);
    const small_trees::Tables<T> t = tables(s);
    each_pair([&](std::size_t f, std::size_t i) {
      DTFINDER_CALL(small_trees::triples, (t, f, i, mask_.data()));
    });
    each_pair([&](std::size_t f, std::size_t i) {
      Number leaf[4], split[4];
      for (std::size_t q = 0; q < 4; ++q) {
        leaf[q] = s.leaf[(4 * f + q) * n_ + i];
        split[q] = s.split[(4 * f + q) * n_ + i];
      }
      for (std::size_t x = 0; x < 2; ++x) {
        const std::size_t a = 2 * x, b = 2 * x + 1, c = x, d = 2 + x;
        lower(at(x, 2, f), std::min(split[a] + leaf[b], leaf[a] + split[b]));
        lower(at(x, 3, f), split[a] + split[b]);
        lower(at(x, 2, i), std::min(split[c] + leaf[d], leaf[c] + split[d]));
        lower(at(x, 3, i), split[c] + split[d]);
      }
    });
  }
  template <class T>
  Number quadrant_leaf(const Storage<T>& s, std::size_t f, std::size_t x, std::size_t i,
                       std::size_t y) const {
    return f < i ? s.leaf[(4 * f + 2 * x + y) * n_ + i] : s.leaf[(4 * i + 2 * y + x) * n_ + f];
  }
  template <class T>
  Number quadrant_split(Storage<T>& s, std::size_t f, std::size_t x, std::size_t i, std::size_t y) {
    mask_.resize(words_);
    const Word flip_f = x ? 0 : ~Word{0}, flip_i = y ? 0 : ~Word{0};
    std::fill(s.weight.begin(), s.weight.end(), T{0});
    for (std::size_t k = 0; k < segments_.size(); ++k) {
      const small_trees::Segment& at = segments_[k];
      for (std::size_t w = at.first; w < at.first + at.words; ++w) {
        mask_[w] = (columns_[f * words_ + w] ^ flip_f) & (columns_[i * words_ + w] ^ flip_i);
        const std::size_t past = ends_[k] - 64 * w;
        if (past < 64) mask_[w] &= (Word{1} << past) - 1;
      }
      const Word* here = mask_.data() + at.first;
      const Number count = small_trees::common(here, here, at.words);
      s.weight[at.label] = static_cast<T>(s.weight[at.label] + static_cast<T>(count << at.shift));
    }
    const small_trees::Tables<T> t = tables(s);
    return DTFINDER_CALL(small_trees::quadrant, (t, mask_.data(), s.weight.data()));
  }
  template <class See>
  void each_pair(See&& see) const {
    for (std::size_t f = 0; f < m_; ++f) {
      for (std::size_t i = f + 1; i < m_; ++i) see(f, i);
    }
  }
  Number& at(std::size_t side, std::size_t splits, std::size_t f) {
    return children_[(4 * side + splits) * m_ + f];
  }
  static void lower(Number& known, Number value) { known = std::min(known, value); }

  std::size_t m_ = 0, n_ = 0, k_ = 0, words_ = 0;
  Number weight_ = 0;
  bool pairs_ = false, triples_ = false;
  std::size_t singles_ = 0;  // quadrants counted alone
  std::vector<small_trees::Segment> segments_;
  std::vector<std::size_t> ends_;  // by segment: past its last bit
  std::vector<std::uint32_t> items_;
  std::vector<Number> total_, children_;
  std::vector<Word> columns_, blocks_, mask_;
  Storage<std::int16_t> narrow_;
  Storage<std::int32_t> middle_;
  Storage<std::int64_t> wide_;
};

}  // namespace dtfinder
