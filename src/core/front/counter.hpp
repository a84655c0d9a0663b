// Counting: every tree of up to three inner nodes, and every tree of depth three, by counts alone.
//
// For columns f < i < j the weight of each class with all three is counted; the other seven cells
// follow from counts of pairs and single columns. Each triple is counted once and serves twelve
// times: for every quadrant of two of the columns it tells what a split on the third leaves. The
// least of these over all third columns is `split`, the quadrant's errors with one split. From it
// follow the least errors of a child of any column in trees of depth two, by number of splits, and
// from these the errors of the whole in trees of depth three, for every size at once. Trees of up
// to three inner nodes are no deeper than that. Up to two inner nodes, and depth two, need pairs
// alone.
//
// Where a budget of three inner nodes has a low limit, few of its trees can reach it, and only
// these are counted (`begin_chains`).
//
// Counts of pairs and triples take memory by the square of the columns. Where that is too much,
// pairs are counted one column at a time and not kept, and triples are not counted.
//
// Two passes, each in pieces that take well under a millisecond, so that a slice may end anywhere.
#pragma once

#include <tuple>

#include "front/facts.hpp"
#include "front/switches.hpp"
#include "front/typed_counter.hpp"

namespace dtfinder::front {

class Counter {
 public:
  enum class Phase : std::uint8_t { kFresh, kPairs, kPairsDone, kTriples, kTriplesDone };

  void begin(const View& view, const Kernels& kernels, const Switches& switches) {
    view_ = &view;
    kernels_ = &kernels;
    dense_ = switches.dense;
    phase_ = Phase::kFresh;
    const auto& classes = view.class_weight;
    // Balances are at most what a class weighs, and scores at most what both do.
    const Value most_held = classes.size() == 2 ? std::max(classes[0], classes[1]) : view.weight;
    kind_ = most_held <= 127 ? 0 : most_held <= 32767 ? 1 : most_held <= 2147483647 ? 2 : 3;
    shift_of_lanes_ = 6 - kind_;
    typed([&](auto& t, const auto&) {
      stride_ = t.stride_of(view);
      return true;
    });
    matrix_ready_ = false;
    whole_.fill(view.leaf());
    typed([&](auto& t, const auto&) { return keep_ = t.bytes_for(view) <= switches.counts; });
  }
  bool has_pairs() const { return phase_ >= Phase::kPairsDone; }
  bool has_triples() const { return phase_ == Phase::kTriplesDone; }
  bool may_have_triples() const { return keep_; }
  // About what counting all pairs, or all triples, takes.
  std::uint64_t work_of_pairs() const { return view_->width() * cost(stride_ / 2, 4); }
  std::uint64_t work_of_triples() const {
    std::uint64_t sum = 0;
    const std::uint64_t chunks = view_->words * 8 >> kind_;
    for (std::size_t f = 0; f < view_->width(); ++f)
      sum += cost_of_triples(f, view_->width(), chunks / 4);
    return sum;
  }

  // Goes on with counting pairs, or triples (after pairs), for about `work` units, see cost();
  // adds to `spent`; true when done.
  bool count_pairs(std::uint64_t work, std::uint64_t& spent) {
    if (has_pairs()) return true;
    return typed([&](auto& t, const auto& kernel) {
      if (phase_ == Phase::kFresh) {
        start(t);
        spent += view_->width() * (view_->words + 8) / 8;
      }
      if (f_ == 0) t.begin_pairs(*view_);
      const std::uint64_t end = spent + work;
      for (; f_ < view_->width(); ++f_) {
        if (spent >= end) return false;
        t.pairs(kernel, *view_, f_);
        spent += cost(f_, 4);
      }
      phase_ = Phase::kPairsDone;
      take(t, 2);
      flat_ = whole_[3];
      return true;
    });
  }
  bool count_triples(std::uint64_t work, std::uint64_t& spent) {
    if (has_triples() || !keep_) return true;
    return typed([&](auto& t, const auto& kernel) {
      const std::size_t m = view_->width();
      if (phase_ == Phase::kPairsDone) {
        t.begin_triples(kernel, dense_);
        phase_ = Phase::kTriples;
        f_ = 0;
        i_ = t.first_with(0);
        gathered_ = false;
        spent += m * stride_ / 64;
      }
      const std::uint64_t end = spent + work;
      for (; f_ < m; ++f_, i_ = t.first_with(f_), gathered_ = false) {
        while (i_ < m) {
          if (spent >= end) return false;
          if (!gathered_) spent += t.gather(kernel, *view_, f_);
          gathered_ = true;
          // As many columns as fit into a piece; a piece has the same columns in all slices.
          const std::uint64_t more = kPiece / cost_of_triples(f_, 8, t.gathered()) * 8;
          const std::size_t last = std::min<std::size_t>(m, i_ + 8 + more);
          spent += cost_of_triples(f_, last - i_, t.gathered());
          t.triples(kernel, f_, i_, last);
          i_ = last;
        }
        t.thirds(kernel, f_);
        spent += m * vectors_from(f_) / 2;
      }
      phase_ = Phase::kTriplesDone;
      take(t, 4);
      return true;
    });
  }

  // Chains: the trees of three inner nodes that are not flat. One leaves all errors outside a
  // quadrant of two columns to leaves and splits the quadrant once. Where the errors outside reach
  // the limit there is nothing to count, and what leaving out rows of a child can save bounds the
  // rest. Few quadrants are left where the limit is low; then counting these alone takes far less
  // than all triples.
  //
  // begin_chains, after pairs, tells whether it pays. count_chains goes on with counting and
  // returns true when done: then chains() is the least errors of all trees of three inner nodes, if
  // it is below `limit`.
  bool begin_chains(Value limit, std::uint64_t& spent) {
    chains_ = std::min(flat_, whole_[2]);
    open_.clear();
    const std::size_t m = view_->width();
    const std::size_t most = m * m / 8 + 4;
    const Value bound = std::min(limit, chains_);
    spent += 2 * m * m;
    return typed([&](auto& t, const auto&) {
      for (std::size_t f = 0; f < m; ++f) {
        for (std::size_t i = f + 1; i < m; ++i) {
          const std::array<Value, 4> cells = t.quadrants(f, i);
          Value leaf[4];
          for (std::size_t q = 0; q < 4; ++q) leaf[q] = t.leaf(f, i, q, cells[q]);
          for (std::size_t q = 0; q < 4; ++q) {
            const std::size_t x = q / 2, y = q % 2;
            const Value first = child(1 - x, 0, f) + leaf[q ^ 1];
            const Value second = child(1 - y, 0, i) + leaf[q ^ 2];
            const Value outside = std::min(first, second);
            if (outside >= bound || leaf[q] == 0) continue;
            // Of the child of f, and of that of i, the rows outside the quadrant.
            const Value cell_f = x ? t.with(f) : view_->weight - t.with(f);
            const Value cell_i = y ? t.with(i) : view_->weight - t.with(i);
            const Value inside = std::max(child(x, 1, f) - (cell_f - cells[q]),
                                          child(y, 1, i) - (cell_i - cells[q]));
            if (outside + inside >= bound) continue;
            open_.push_back({outside, static_cast<std::uint32_t>(f), static_cast<std::uint32_t>(i),
                             static_cast<std::uint32_t>(q)});
            if (open_.size() > most) return false;
          }
        }
      }
      std::sort(open_.begin(), open_.end(), [](const Quadrant& a, const Quadrant& b) {
        return std::tie(a.outside, a.f, a.i, a.number) < std::tie(b.outside, b.f, b.i, b.number);
      });
      next_ = 0;
      return true;
    });
  }
  bool count_chains(Value limit, std::uint64_t work, std::uint64_t& spent) {
    return typed([&](auto& t, const auto& kernel) {
      const std::uint64_t end = spent + work;
      for (; next_ < open_.size(); ++next_) {
        const Quadrant& at = open_[next_];
        if (at.outside >= std::min(limit, chains_)) break;
        if (spent >= end) return false;
        spent += cost(0, 3);
        chains_ = std::min(chains_,
                           at.outside + t.one_split(kernel, *view_, at.f, at.i, at.number, set_));
      }
      return true;
    });
  }
  Value chains() const { return chains_; }

  // Least errors of the child of column f on a side: with 0 or 1 splits after pairs, with up to 3
  // and depth 2 after triples.
  Value child(std::size_t side, std::size_t splits, std::size_t f) const {
    return children_[(4 * side + splits) * stride_ + f];
  }
  // Least errors with up to so many splits, at most 7: exact up to 2 after pairs, and up to 3 (7 at
  // depth 3) after triples.
  Value whole(std::size_t splits) const { return whole_[splits]; }
  const Curve& curve() const { return whole_; }
  // Least errors of trees of depth two, after pairs.
  Value flat() const { return flat_; }
  // The weight of a class with a one in column f.
  Value single(std::size_t label, std::size_t f) {
    Value out = 0;
    typed([&](auto& t, const auto&) {
      if (phase_ == Phase::kFresh) start(t);
      out = t.single(label, f);
      return true;
    });
    return out;
  }

  // The weight of the rows with a one in column f.
  Value ones(std::size_t f) {
    Value out = 0;
    typed([&](auto& t, const auto&) {
      if (phase_ == Phase::kFresh) start(t);
      out = t.with(f);
      return true;
    });
    return out;
  }
  // The weight of the rows with ones in columns f and g, as a row of a symmetric matrix. It stays
  // until the next call.
  const Value* both(std::size_t f, std::uint64_t& spent) {
    const std::size_t m = view_->width();
    if (!keep_) {
      if (matrix_.size() < m) matrix_.resize(m);
      for (std::size_t g = 0; g < m; ++g) matrix_[g] = view_->both(f, g);
      spent += m * view_->words / 4;
      return matrix_.data();
    }
    if (!matrix_ready_) {
      if (matrix_.size() < m * m) matrix_.resize(m * m);
      typed([&](auto& t, const auto&) {
        for (std::size_t a = 0; a < m; ++a) {
          for (std::size_t b = a; b < m; ++b)
            matrix_[a * m + b] = matrix_[b * m + a] = t.both(a, b);
        }
        return true;
      });
      matrix_ready_ = true;
      spent += m * m / 4;
    }
    return matrix_.data() + f * m;
  }
  std::size_t bytes() const {
    return tiny_.bytes() + narrow_.bytes() + middle_.bytes() + wide_.bytes() +
           8 * (matrix_.capacity() + children_.capacity());
  }

 private:
  static constexpr std::uint64_t kPiece = 4000;

  template <class Do>
  bool typed(Do&& act) {
    if (kind_ == 0) return act(tiny_, kernels_->tiny);
    if (kind_ == 1) return act(narrow_, kernels_->narrow);
    if (kind_ == 2) return act(middle_, kernels_->middle);
    return act(wide_, kernels_->wide);
  }
  template <class Typed>
  void start(Typed& t) {
    t.begin(*view_, kernels_->vector, keep_);
    phase_ = Phase::kPairs;
    f_ = 0;
  }
  // A unit is about the time that a word takes to be moved, or four chunks to be counted, by the
  // widest vectors: the same on every machine.
  std::uint64_t cost(std::size_t from, std::uint64_t cells) const {
    const std::uint64_t chunks = view_->words * 8 >> kind_;
    return vectors_from(from) * (chunks / 4 + cells / 2) + view_->words / 4 + 2;
  }
  // What counting column f with some others takes, where that many chunks have a one in f.
  std::uint64_t cost_of_triples(std::size_t f, std::size_t columns, std::uint64_t chunks) const {
    return vectors_from(f) * columns * (4 + chunks) / 8 + 1;
  }
  std::uint64_t vectors_from(std::size_t column) const {
    return ((stride_ - column) >> shift_of_lanes_) + 1;
  }
  template <class Typed>
  void take(const Typed& t, std::size_t splits) {
    const std::size_t n = stride_, m = view_->width();
    if (children_.size() < 8 * n) children_.resize(8 * n);
    for (std::size_t side = 0; side < 2; ++side) {
      for (std::size_t k = 0; k < splits; ++k) {
        for (std::size_t f = 0; f < m; ++f) children_[(4 * side + k) * n + f] = t.least(side, k, f);
      }
    }
    for (std::size_t a = 0; a < splits; ++a) {
      for (std::size_t b = 0; b < splits; ++b) {
        const Value *none = children_.data() + a * n, *one = children_.data() + (4 + b) * n;
        Value best = whole_[a + b + 1];
        for (std::size_t f = 0; f < m; ++f) best = std::min(best, none[f] + one[f]);
        whole_[a + b + 1] = best;
      }
    }
    for (std::size_t k = 1; k < whole_.size(); ++k) whole_[k] = std::min(whole_[k], whole_[k - 1]);
  }

  struct Quadrant {
    Value outside;  // errors of the leaves outside it
    std::uint32_t f, i, number;
  };
  std::vector<Quadrant> open_;
  std::size_t next_ = 0;
  Value chains_ = 0;
  std::vector<Word> set_;
  const View* view_ = nullptr;
  const Kernels* kernels_ = nullptr;
  Phase phase_ = Phase::kFresh;
  int kind_ = 0;
  bool matrix_ready_ = false, keep_ = true, gathered_ = false;
  std::size_t f_ = 0, i_ = 0, dense_ = 0;
  Value flat_ = 0;
  Curve whole_{};
  std::vector<Value> children_, matrix_;
  std::size_t stride_ = 0;  // columns, filled up
  int shift_of_lanes_ = 0;  // columns that are counted at once, as a power of two
  TypedCounter<std::int8_t> tiny_;
  TypedCounter<std::int16_t> narrow_;
  TypedCounter<std::int32_t> middle_;
  TypedCounter<std::int64_t> wide_;
};

}  // namespace dtfinder::front
