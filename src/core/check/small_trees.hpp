// Least errors of small trees on one set of examples, by counting; for the compiled checker.
//
// The examples are packed class by class (and binary digit of the weight by digit), the splits of
// the set become columns of bits, each with the side that has fewer ones. From there, three steps,
// each only if it is asked for:
//
// - pairs: the weight of each class with ones in two columns. The four cells of two columns follow
//   from it and from single columns, and the errors of a leaf in each: trees of up to two inner
//   nodes, and trees of depth two.
// - triples f < i < j: the weight with ones in all three, and so all eight cells. For each quadrant
//   of two columns the best split by the third is kept. From these follow the errors of a child of
//   any column with up to three inner nodes and depth two, and so all trees of depth three, and all
//   with up to three inner nodes. For each f only the examples with f are looked at.
// - one quadrant alone: the same for only those quadrants that a bound leaves open: what a leaf
//   beside it has, and what a child that has the quadrant says of it.
//
// The loops are in small_kernels.inc.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <new>
#include <optional>

#include "check/small_kernels.hpp"

namespace dtfinder {

// The columns of one set, packed; what is counted of them, in the narrowest numbers.
class SmallTrees {
 public:
  using Number = std::int64_t;
  using Word = std::uint64_t;
  using Set = std::vector<Word>;

  explicit SmallTrees(const small_trees::Kernels& kernels) : kernels_(kernels) {}

  // `ways` are the sides with a one of the splits of `inside`; `classes` has for each class and
  // binary digit of weights the examples that have it.
  void begin(const Set& inside, const std::vector<Set>& ways,
             const std::vector<std::vector<Set>>& classes) {
    m_ = ways.size();
    k_ = classes.size();
    total_.assign(k_, 0);
    used_ = 0;
    for (std::size_t c = 0; c < k_; ++c) {
      for (std::size_t digit = 0; digit < classes[c].size(); ++digit) {
        Part& part = next_part(c, static_cast<int>(digit));
        for (std::size_t w = 0; w < inside.size(); ++w) {
          const Word mask = inside[w] & classes[c][digit][w];
          if (!mask) continue;
          part.pieces.push_back({w, mask});
          part.items += static_cast<std::size_t>(std::popcount(mask));
        }
        total_[c] += static_cast<Number>(part.items) << digit;
        if (part.items == 0) --used_;
      }
    }
    weight_ = 0;
    for (const Number each : total_) weight_ += each;
    pairs_ = triples_ = false;
    singles_ = 0;
    take_columns(ways);
  }

  Number leaf() const { return weight_ - *std::max_element(total_.begin(), total_.end()); }
  // The least errors of the side of column f, with up to so many splits: up to one after pairs, up
  // to three (at depth two) after triples.
  Number child(std::size_t side, std::size_t splits, std::size_t f) const {
    return errors_[(4 * (side ^ flipped_[f]) + splits) * m_ + f];
  }
  // The least errors of all trees of depth one, two or three with up to so many splits; at depth
  // three after triples.
  Number whole(std::size_t splits, std::size_t depth) const {
    const std::size_t most = depth <= 1 ? 0 : depth == 2 ? 1 : 3;
    Number best = leaf();
    for (std::size_t a = 0; a <= most && a < splits; ++a) {
      const std::size_t b = std::min(most, splits - 1 - a);  // fewer are not better
      const Number *zero = errors_.data() + a * m_, *one = errors_.data() + (4 + b) * m_;
      for (std::size_t f = 0; f < m_; ++f) best = std::min(best, zero[f] + one[f]);
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
    const std::size_t x = side ^ flipped_[f];
    typed([&](auto& t) {
      for (std::size_t i = 0; i < m_; ++i) {
        if (i == f) continue;
        for (std::size_t y = 0; y < 2; ++y) {
          if (!may_undercut(t, f, x, i, y, best)) continue;
          const Number rest = quadrant_leaf(t, f, x, i, 1 - y);
          best = std::min(best, rest + quadrant_split(t, f, x, i, y));
          ++singles_;
        }
      }
    });
    return best;
  }
  // The least errors with three splits if that is less than `enough`, else a number that is not:
  // flat trees, and those that leave all but a quadrant to leaves and split the quadrant. Nothing
  // if so many quadrants are open that counting triples is better.
  std::optional<Number> three_splits(Number enough) {
    count_pairs();
    Number best = std::min(whole(3, 2), enough);
    open_.clear();
    bool few = !triples_;
    typed([&](auto& t) {
      for (std::size_t f = 0; f < m_ && few; ++f) {
        for (std::size_t i = f + 1; i < m_; ++i) note_open(t, f, i, best);
        few = open_.size() <= most_single();
      }
      if (!few) return;
      std::sort(open_.begin(), open_.end());
      for (const auto& [rest, f, i, quadrant] : open_) {
        if (rest >= best) break;
        const auto q = static_cast<std::size_t>(quadrant);
        best = std::min(best, rest + quadrant_split(t, static_cast<std::size_t>(f), q / 2,
                                                    static_cast<std::size_t>(i), q % 2));
      }
    });
    return few ? std::optional(best) : std::nullopt;
  }

 private:
  static constexpr std::size_t kMostBytes = std::size_t{1} << 29;  // of pairs and triples
  static constexpr std::size_t kMostRows = std::size_t{1} << 26;   // bytes of rows
  template <class T>
  struct Storage {
    using Score = std::make_unsigned_t<T>;
    std::vector<T> total, single, pair, weight;
    std::vector<Score> blocks, both, leaf, split, best, rows, gathered, bits;
  };
  // The examples of one class and digit.
  struct Part {
    std::size_t label, items;
    int shift;
    std::vector<small_trees::Piece> pieces;
  };
  bool two() const { return k_ == 2; }
  std::size_t planes() const { return two() ? 1 : k_; }
  std::size_t most_single() const { return m_ * m_ / 8 + 4; }
  Part& next_part(std::size_t label, int shift) {
    if (used_ == parts_.size()) parts_.push_back({});
    Part& part = parts_[used_++];
    part.label = label, part.shift = shift, part.items = 0;
    part.pieces.clear();
    return part;
  }
  template <class Do>
  void typed(Do&& act) {
    if (weight_ < 1 << 7) {
      act(tiny_);
    } else if (weight_ < 1 << 15) {
      act(narrow_);
    } else if (weight_ < Number{1} << 31) {
      act(middle_);
    } else {
      act(wide_);
    }
  }
  const small_trees::Loops<std::int8_t>& loops(const Storage<std::int8_t>&) const {
    return kernels_.tiny;
  }
  const small_trees::Loops<std::int16_t>& loops(const Storage<std::int16_t>&) const {
    return kernels_.narrow;
  }
  const small_trees::Loops<std::int32_t>& loops(const Storage<std::int32_t>&) const {
    return kernels_.middle;
  }
  const small_trees::Loops<std::int64_t>& loops(const Storage<std::int64_t>&) const {
    return kernels_.wide;
  }
  // Packs the columns, part by part, each with the side that has fewer examples as ones.
  void take_columns(const std::vector<Set>& ways) {
    segments_.clear();
    words_ = 0;
    std::size_t items = 0;
    for (std::size_t p = 0; p < used_; ++p) {
      const std::size_t words = (parts_[p].items + 63) / 64;
      segments_.push_back({parts_[p].label, words_, words, parts_[p].shift});
      words_ += words;
      items += parts_[p].items;
    }
    full_.assign(words_, 0);
    for (std::size_t p = 0; p < used_; ++p) {
      for (std::size_t w = 0; w < segments_[p].words; ++w) {
        const std::size_t left = parts_[p].items - 64 * w;
        full_[segments_[p].first + w] = left < 64 ? (Word{1} << left) - 1 : ~Word{0};
      }
    }
    column_.assign(m_ * words_, 0);
    flipped_.assign(m_, 0);
    for (std::size_t f = 0; f < m_; ++f) {
      Word* column = column_.data() + f * words_;
      for (std::size_t p = 0; p < used_; ++p) {
        const std::vector<small_trees::Piece>& pieces = parts_[p].pieces;
        kernels_.pack(ways[f].data(), pieces.data(), pieces.size(), column + segments_[p].first);
      }
      const auto ones = static_cast<std::size_t>(kernels_.common(column, column, words_));
      flipped_[f] = 2 * ones > items;
      for (std::size_t w = 0; w < words_ && flipped_[f]; ++w) column[w] ^= full_[w];
    }
  }
  template <class T>
  small_trees::Tables<T> tables(Storage<T>& s) {
    return {.columns = m_,
            .stride = n_,
            .classes = k_,
            .planes = planes(),
            .words = words_,
            .segments = segments_.size(),
            .segment = segments_.data(),
            .column = column_.data(),
            .blocks = s.blocks.data(),
            .total = s.total.data(),
            .single = s.single.data(),
            .pair = s.pair.data(),
            .both = s.both.data(),
            .leaf = s.leaf.data(),
            .split = s.split.data(),
            .best = s.best.data(),
            .rows = laid_ ? s.rows.data() : nullptr,
            .gathered = s.gathered.data(),
            .ends = ends_.data(),
            .listed = listed_.data(),
            .bits = s.bits.data(),
            .mask = mask_.data()};
  }
  template <class T>
  static void grow(std::vector<T>& vector, std::size_t size) {
    if (vector.size() < size) vector.resize(size);
  }
  template <class T>
  void lay_blocks(Storage<T>& s) {
    constexpr std::size_t kEach = 8 / sizeof(T), kBits = 8 * sizeof(T);
    const std::size_t lanes = kernels_.vector / sizeof(T), chunks = words_ * kEach;
    s.blocks.assign(n_ * chunks, 0);
    for (std::size_t f = 0; f < m_; ++f) {
      auto* to = s.blocks.data() + f / lanes * lanes * chunks + f % lanes;
      for (std::size_t c = 0; c < chunks; ++c, to += lanes) {
        const Word word = column_[f * words_ + c / kEach];
        *to = static_cast<std::make_unsigned_t<T>>(word >> (c % kEach * kBits));
      }
    }
  }
  template <class T>
  void pairs(Storage<T>& s) {
    const std::size_t lanes = kernels_.vector / sizeof(T), planes = this->planes();
    n_ = (m_ + lanes - 1) / lanes * lanes;
    if (m_ * n_ * (planes + 9) * sizeof(T) > kMostBytes) throw std::bad_alloc();
    lay_blocks(s);
    laid_ = false;
    grow(s.weight, planes);
    grow(s.pair, m_ * planes * n_);
    grow(s.both, m_ * n_);
    grow(s.leaf, 4 * m_ * n_);
    grow(s.bits, words_ * (8 / sizeof(T)));
    grow(listed_, words_ * (8 / sizeof(T)));
    grow(ends_, segments_.size());
    grow(mask_, words_);
    s.total.assign(planes, 0);
    s.single.assign(planes * n_, 0);
    for (std::size_t c = 0; c < k_; ++c) add(s.total[two() ? 0 : c], total_[c], c);
    ones_.assign(m_, 0);
    std::vector<Number>& by_class = by_class_;
    by_class.assign(k_ * m_, 0);
    for (const small_trees::Segment& at : segments_) {
      for (std::size_t f = 0; f < m_; ++f) {
        const Word* column = column_.data() + f * words_ + at.first;
        const Number weight = kernels_.common(column, column, at.words) << at.shift;
        add(s.single[(two() ? 0 : at.label) * n_ + f], weight, at.label);
        by_class[at.label * m_ + f] += weight;
        ones_[f] += weight;
      }
    }
    errors_.assign(8 * m_, 0);
    s.best.assign(6 * n_, 0);
    for (std::size_t f = 0; f < m_; ++f) {
      Number top[2] = {0, 0};
      for (std::size_t c = 0; c < k_; ++c) {
        const Number one = by_class[c * m_ + f];
        top[0] = std::max(top[0], total_[c] - one);
        top[1] = std::max(top[1], one);
      }
      for (std::size_t x = 0; x < 2; ++x) error(x, 0, f) = side_weight(x, f) - top[x];
    }
    const small_trees::Tables<T> t = tables(s);
    for (std::size_t f = 0; f < m_; ++f) loops(s).pairs(t, f);
    take_errors(s, 1, 0);
    take_errors(s, 2, 0);
    take_errors(s, 3, 0);
  }
  // Adds what a class weighs to a number of a plane: to its weight, or to the balance.
  template <class T>
  void add(T& to, Number weight, std::size_t label) const {
    to = static_cast<T>(two() && label == 1 ? to - weight : to + weight);
  }
  template <class T>
  void triples(Storage<T>& s) {
    s.split.assign(s.leaf.begin(), s.leaf.begin() + static_cast<std::ptrdiff_t>(4 * m_ * n_));
    laid_ = words_ * 64 * n_ * sizeof(T) <= kMostRows;
    if (laid_) {
      grow(s.rows, words_ * 64 * n_);
      grow(s.gathered, s.blocks.size());
    }
    const small_trees::Tables<T> t = tables(s);
    if (laid_) loops(s).lay_rows(t);
    for (std::size_t f = 0; f + 2 < m_; ++f) loops(s).triples(t, f);
    for (std::size_t f = 0; f < m_; ++f) loops(s).quadrants(t, f);
    take_errors(s, 2, 1);
    take_errors(s, 3, 2);
  }
  // The errors of children with so many splits, from a row of the best scores; one split is
  // possible with more, too.
  template <class T>
  void take_errors(const Storage<T>& s, std::size_t splits, std::size_t row) {
    for (std::size_t x = 0; x < 2; ++x) {
      for (std::size_t f = 0; f < m_; ++f) {
        const auto score = static_cast<Number>(s.best[(2 * row + x) * n_ + f]);
        const Number found = errors_of(side_weight(x, f), score);
        error(x, splits, f) = std::min(error(x, splits - 1, f), found);
      }
    }
  }
  // The errors on cells of this weight with these scores.
  Number errors_of(Number weight, Number score) const {
    return two() ? (weight - score) / 2 : weight - score;
  }
  Number& error(std::size_t x, std::size_t splits, std::size_t f) {
    return errors_[(4 * x + splits) * m_ + f];
  }
  Number side_weight(std::size_t x, std::size_t f) const {
    return x ? ones_[f] : weight_ - ones_[f];
  }
  // What the quadrant of columns f and i weighs.
  template <class T>
  Number quadrant_weight(const Storage<T>& s, std::size_t f, std::size_t x, std::size_t i,
                         std::size_t y) const {
    const auto both = static_cast<Number>(s.both[std::min(f, i) * n_ + std::max(f, i)]);
    return quadrant_of(both, ones_[f], ones_[i], weight_, x, y);
  }
  // A quadrant's share, from that of both columns, each of them, and all.
  static Number quadrant_of(Number both, Number f, Number i, Number all, std::size_t x,
                            std::size_t y) {
    return x && y ? both : x ? f - both : y ? i - both : all - f - i + both;
  }
  template <class T>
  Number quadrant_leaf(const Storage<T>& s, std::size_t f, std::size_t x, std::size_t i,
                       std::size_t y) const {
    const auto score = static_cast<Number>(f < i ? s.leaf[(4 * f + 2 * x + y) * n_ + i]
                                                 : s.leaf[(4 * i + 2 * y + x) * n_ + f]);
    return errors_of(quadrant_weight(s, f, x, i, y), score);
  }
  // Whether a leaf beside the quadrant, and one split within, may have less than `limit`. With one
  // split the quadrant errs at most as much less than a child that has it as the rest of that
  // child weighs.
  template <class T>
  bool may_undercut(const Storage<T>& s, std::size_t f, std::size_t x, std::size_t i, std::size_t y,
                    Number limit) {
    const Number rest = quadrant_leaf(s, f, x, i, 1 - y);
    if (rest >= limit || quadrant_leaf(s, f, x, i, y) == 0) return false;
    const Number here = quadrant_weight(s, f, x, i, y);
    const Number least = std::max(error(x, 1, f) - (side_weight(x, f) - here),
                                  error(y, 1, i) - (side_weight(y, i) - here));
    return rest + least < limit;
  }
  // The quadrants of two columns that may leave less than `limit`, with what leaves beside them
  // have: below the root f and then i, or i and then f.
  template <class T>
  void note_open(const Storage<T>& s, std::size_t f, std::size_t i, Number limit) {
    Number leaf[4], weight[4];
    for (std::size_t q = 0; q < 4; ++q) {
      weight[q] = quadrant_weight(s, f, q / 2, i, q % 2);
      leaf[q] = errors_of(weight[q], static_cast<Number>(s.leaf[(4 * f + q) * n_ + i]));
    }
    for (std::size_t q = 0; q < 4; ++q) {
      const std::size_t x = q / 2, y = q % 2;
      const Number rest =
          std::min(error(1 - x, 0, f) + leaf[q ^ 1], error(1 - y, 0, i) + leaf[q ^ 2]);
      if (rest >= limit || leaf[q] == 0) continue;
      const Number inside = std::max(error(x, 1, f) - (side_weight(x, f) - weight[q]),
                                     error(y, 1, i) - (side_weight(y, i) - weight[q]));
      if (rest + inside < limit)
        open_.push_back(
            {rest, static_cast<Number>(f), static_cast<Number>(i), static_cast<Number>(q)});
    }
  }
  template <class T>
  Number quadrant_split(Storage<T>& s, std::size_t f, std::size_t x, std::size_t i, std::size_t y) {
    const Word flip_f = x ? 0 : ~Word{0}, flip_i = y ? 0 : ~Word{0};
    const Word *of_f = column_.data() + f * words_, *of_i = column_.data() + i * words_;
    for (std::size_t w = 0; w < words_; ++w) {
      mask_[w] = (of_f[w] ^ flip_f) & (of_i[w] ^ flip_i) & full_[w];
    }
    const std::size_t low = std::min(f, i), high = std::max(f, i);
    for (std::size_t p = 0; p < planes(); ++p) {
      s.weight[p] =
          static_cast<T>(quadrant_of(s.pair[(low * planes() + p) * n_ + high], s.single[p * n_ + f],
                                     s.single[p * n_ + i], s.total[p], x, y));
    }
    const auto score =
        static_cast<Number>(loops(s).one_split(tables(s), mask_.data(), s.weight.data()));
    return errors_of(quadrant_weight(s, f, x, i, y), score);
  }

  const small_trees::Kernels& kernels_;
  std::size_t m_ = 0, n_ = 0, k_ = 0, words_ = 0;
  Number weight_ = 0;
  bool pairs_ = false, triples_ = false, laid_ = false;
  std::size_t singles_ = 0;  // quadrants counted alone
  std::vector<Part> parts_;
  std::size_t used_ = 0;  // of them
  std::vector<small_trees::Segment> segments_;
  // Errors by side, splits and column; a column that is flipped has its sides the other way round.
  std::vector<Number> total_, errors_, ones_, by_class_;
  std::vector<std::size_t> flipped_;
  std::vector<Word> column_, full_, mask_;
  std::vector<std::size_t> ends_, listed_;
  std::vector<std::array<Number, 4>> open_;  // errors of leaves beside it, columns, quadrant
  Storage<std::int8_t> tiny_;
  Storage<std::int16_t> narrow_;
  Storage<std::int32_t> middle_;
  Storage<std::int64_t> wide_;
};

}  // namespace dtfinder
