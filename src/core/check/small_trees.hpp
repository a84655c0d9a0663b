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
// - one quadrant alone: the same for only those quadrants that a bound leaves open: what a leaf
// beside
//   it has, and what a child that has the quadrant says of it.
//
// The loops are in small_kernels.hpp.
#pragma once

#include <array>
#include <new>

#include "check/small_kernels.hpp"

namespace dtfinder {

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
      if (used_ == 0 || parts_[used_ - 1].label != c)
        next_part(c, 0);  // every class has its counts
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
          if (!may_undercut(t, f, side, i, y, best)) continue;
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
            for (std::size_t y = 0; y < 2; ++y) found += may_undercut(t, f, side, i, y, limit);
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
    std::vector<T> total, single, pair, leaf, split, least, count, weight;
  };
  // The examples of one class and digit.
  struct Part {
    std::size_t label, items;
    int shift;
    std::vector<small_trees::Piece> pieces;
  };
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
    if (weight_ <= 16383) {
      act(narrow_);
    } else if (weight_ < Number{1} << 30) {
      act(middle_);
    } else {
      act(wide_);
    }
  }
  // Packs the columns, part by part.
  void take_columns(const std::vector<Set>& ways) {
    using small_trees::kLanes;
    n_ = (m_ + kLanes - 1) / kLanes * kLanes;
    segments_.clear();
    words_ = 0;
    for (std::size_t p = 0; p < used_; ++p) {
      const std::size_t words = (parts_[p].items + 63) / 64;
      segments_.push_back({parts_[p].label, words_, words, parts_[p].shift});
      words_ += words;
    }
    column_.assign(m_ * words_, 0);
    block_.assign(n_ * words_, 0);
    full_.assign(words_, 0);
    for (std::size_t p = 0; p < used_; ++p) {
      const small_trees::Segment& at = segments_[p];
      for (std::size_t w = 0; w < at.words; ++w) {
        const std::size_t left = parts_[p].items - 64 * w;
        full_[at.first + w] = left < 64 ? (Word{1} << left) - 1 : ~Word{0};
      }
      for (std::size_t f = 0; f < m_; ++f) {
        Word* column = column_.data() + f * words_ + at.first;
        Word* block = block_.data() + f / kLanes * kLanes * words_ + at.first * kLanes;
        small_trees::pack(ways[f].data(), parts_[p].pieces, column);
        for (std::size_t w = 0; w < at.words; ++w) block[w * kLanes + f % kLanes] = column[w];
      }
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
            column_.data(),
            block_.data(),
            s.total.data(),
            s.single.data(),
            s.pair.data(),
            s.leaf.data(),
            s.split.data(),
            s.least.data(),
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
    grow(mask_, words_);
    s.least.assign(6 * n_, 0);
    std::fill(s.single.begin(), s.single.end(), T{0});
    for (std::size_t c = 0; c < k_; ++c) s.total[c] = static_cast<T>(total_[c]);
    for (const small_trees::Segment& at : segments_) {
      for (std::size_t f = 0; f < m_; ++f) {
        Number ones = 0;
        for (std::size_t w = at.first; w < at.first + at.words; ++w)
          ones += std::popcount(column_[f * words_ + w]);
        T& sum = s.single[at.label * n_ + f];
        sum = static_cast<T>(sum + static_cast<T>(ones << at.shift));
      }
    }
    children_.assign(8 * m_, 0);
    ones_.assign(m_, 0);
    for (std::size_t f = 0; f < m_; ++f) {
      Number sum[2] = {0, 0}, top[2] = {0, 0};
      for (std::size_t c = 0; c < k_; ++c) {
        const Number one = s.single[c * n_ + f];
        ones_[f] += one;
        const Number cells[2] = {total_[c] - one, one};
        for (std::size_t side = 0; side < 2; ++side) {
          sum[side] += cells[side];
          top[side] = std::max(top[side], cells[side]);
        }
      }
      for (std::size_t side = 0; side < 2; ++side) {
        at(side, 0, f) = sum[side] - top[side];
        for (std::size_t k = 0; k < 3; ++k)
          s.least[(2 * k + side) * n_ + f] = static_cast<T>(sum[side] - top[side]);
      }
    }
    const small_trees::Tables<T> t = tables(s);
    for (std::size_t f = 0; f < m_; ++f) DTFINDER_CALL(small_trees::pairs, (t, f));
    take_children(s, 1, 1);
    take_children(s, 2, 1);
    take_children(s, 3, 1);
  }
  template <class T>
  void triples(Storage<T>& s) {
    s.split.assign(s.leaf.begin(), s.leaf.begin() + static_cast<std::ptrdiff_t>(4 * m_ * n_));
    const small_trees::Tables<T> t = tables(s);
    for (std::size_t f = 0; f < m_; ++f) {
      for (std::size_t i = f + 1; i < m_; ++i) {
        DTFINDER_CALL(small_trees::triples, (t, f, i, mask_.data()));
      }
    }
    for (std::size_t f = 0; f < m_; ++f) DTFINDER_CALL(small_trees::quadrants, (t, f));
    take_children(s, 2, 2);
    take_children(s, 3, 3);
  }
  // The least errors of children with so many splits are those that were counted with `from`.
  template <class T>
  void take_children(const Storage<T>& s, std::size_t splits, std::size_t from) {
    for (std::size_t side = 0; side < 2; ++side) {
      const T* least = s.least.data() + (2 * (from - 1) + side) * n_;
      for (std::size_t f = 0; f < m_; ++f) at(side, splits, f) = least[f];
    }
  }
  template <class T>
  Number quadrant_leaf(const Storage<T>& s, std::size_t f, std::size_t x, std::size_t i,
                       std::size_t y) const {
    return f < i ? s.leaf[(4 * f + 2 * x + y) * n_ + i] : s.leaf[(4 * i + 2 * y + x) * n_ + f];
  }
  // Whether a leaf beside the quadrant, and one split within, may have less than `limit`. With one
  // split the quadrant errs at most as much less than a child that has it as the rest of that
  // child weighs.
  template <class T>
  bool may_undercut(const Storage<T>& s, std::size_t f, std::size_t x, std::size_t i, std::size_t y,
                    Number limit) const {
    const Number rest = quadrant_leaf(s, f, x, i, 1 - y);
    if (rest >= limit || quadrant_leaf(s, f, x, i, y) == 0) return false;
    Number both = 0;
    const std::size_t low = std::min(f, i), high = std::max(f, i);
    for (std::size_t c = 0; c < k_; ++c) both += s.pair[(low * k_ + c) * n_ + high];
    const Number of_f = side_weight(x, f), of_i = side_weight(y, i);
    const Number here = x && y ? both
                        : x    ? of_f - (side_weight(1, i) - both)
                        : y    ? of_i - (side_weight(1, f) - both)
                               : weight_ - side_weight(1, f) - side_weight(1, i) + both;
    const Number least = std::max(child(x, 1, f) - (of_f - here), child(y, 1, i) - (of_i - here));
    return rest + least < limit;
  }
  Number side_weight(std::size_t side, std::size_t f) const {
    return side ? ones_[f] : weight_ - ones_[f];
  }
  template <class T>
  Number quadrant_split(Storage<T>& s, std::size_t f, std::size_t x, std::size_t i, std::size_t y) {
    const Word flip_f = x ? 0 : ~Word{0}, flip_i = y ? 0 : ~Word{0};
    const Word *of_f = column_.data() + f * words_, *of_i = column_.data() + i * words_;
    std::fill(s.weight.begin(), s.weight.end(), T{0});
    for (const small_trees::Segment& at : segments_) {
      Number count = 0;
      for (std::size_t w = at.first; w < at.first + at.words; ++w) {
        mask_[w] = (of_f[w] ^ flip_f) & (of_i[w] ^ flip_i) & full_[w];
        count += std::popcount(mask_[w]);
      }
      s.weight[at.label] = static_cast<T>(s.weight[at.label] + static_cast<T>(count << at.shift));
    }
    const small_trees::Tables<T> t = tables(s);
    return DTFINDER_CALL(small_trees::quadrant, (t, mask_.data(), s.weight.data()));
  }
  Number& at(std::size_t side, std::size_t splits, std::size_t f) {
    return children_[(4 * side + splits) * m_ + f];
  }

  std::size_t m_ = 0, n_ = 0, k_ = 0, words_ = 0;
  Number weight_ = 0;
  bool pairs_ = false, triples_ = false;
  std::size_t singles_ = 0;  // quadrants counted alone
  std::vector<Part> parts_;
  std::size_t used_ = 0;  // of them
  std::vector<small_trees::Segment> segments_;
  std::vector<Number> total_, children_, ones_;
  std::vector<Word> column_, block_, full_, mask_;
  Storage<std::int16_t> narrow_;
  Storage<std::int32_t> middle_;
  Storage<std::int64_t> wide_;
};

}  // namespace dtfinder
