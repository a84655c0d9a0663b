// Facts by set of rows: what trees within a budget can do there at best.
//
// A budget is (n, d): at most n inner nodes, depth at most d. A fact has a proven lower bound and
// maybe an upper one, with the split of a tree that has it. A lower bound for a larger budget holds
// for a smaller one, an upper bound for a smaller one holds for a larger one. In a search with a
// price per inner node, the budget has kPriced inner nodes and values are costs.
//
// Facts may be dropped at any moment; all that is lost is time.
#pragma once

#include <algorithm>
#include <array>

#include "front/base.hpp"

namespace dtfinder::front {

constexpr int kPriced = -1;  // inner nodes of a budget: as many as pay

struct Budget {
  int inner, depth;
  bool operator==(const Budget&) const = default;
  // Whether every tree within `other` is within this one.
  bool covers(const Budget& other) const {
    const bool priced = inner == kPriced || other.inner == kPriced;
    return depth >= other.depth && (priced ? inner == other.inner : inner >= other.inner);
  }
};

// The same budget in its simplest form.
inline Budget simplest(Budget budget) {
  if (budget.depth < 30 &&
      (budget.inner == kPriced ? false : budget.inner > (1 << budget.depth) - 1)) {
    budget.inner = (1 << budget.depth) - 1;
  }
  if (budget.inner != kPriced && budget.depth >= budget.inner) budget.depth = kUnlimited;
  return budget;
}

using LemmaId = std::uint32_t;  // of the proof log, error_lemmas.hpp
constexpr LemmaId kNoLemma = ~LemmaId{0};

struct Bounds {
  Value lower = 0, upper = kNever;
  // The tree with `upper`: the feature that it asks first (-1: a leaf, or not known), the budgets
  // of its subtrees, and the value of the one where the feature is zero.
  std::int32_t feature = -1, zero = 0, one = 0;
  Value zero_value = 0;
  LemmaId lemma = kNoLemma;  // of `lower`; none if nobody asked, or it was counted
  bool solved() const { return lower >= upper; }
  // Takes what `other` has of one of the bounds.
  void take_lower(const Bounds& other) {
    lower = other.lower;
    lemma = other.lemma;
  }
  void take_upper(const Bounds& other) {
    const Value low = lower;
    const LemmaId why = lemma;
    *this = other;
    lower = low;
    lemma = why;
  }
};

using Curve = std::array<Value, 8>;

inline std::uint64_t hash_of(const Word* rows, std::size_t words) {
  std::uint64_t hash = 0;
  for (std::size_t w = 0; w < words; ++w) {
    hash = (hash ^ rows[w]) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  }
  return hash;
}

class Facts {
 public:
  explicit Facts(std::size_t words) : words_(words), slots_(1024, kNone) {}

  Bounds look(const Word* rows, const Budget& budget) const {
    Bounds out;
    const std::uint32_t set = find(rows, hash_of(rows, words_));
    if (set == kNone) return out;
    if (sets_[set].curve != kNone && budget.inner != kPriced)
      look_at_curve(curves_[sets_[set].curve], budget, out);
    for (std::uint32_t r = sets_[set].first; r != kNone; r = records_[r].next) {
      const Record& record = records_[r];
      if (record.budget.covers(budget) && record.bounds.lower > out.lower)
        out.take_lower(record.bounds);
      if (budget.covers(record.budget) && (record.bounds.upper < out.upper || out.feature < 0) &&
          record.bounds.upper <= out.upper) {
        out.take_upper(record.bounds);
      }
    }
    out.lower = std::min(out.lower, out.upper);
    return out;
  }
  // Joins what is known to what was known.
  void note(const Word* rows, const Budget& budget, const Bounds& bounds) {
    const std::uint64_t hash = hash_of(rows, words_);
    std::uint32_t set = find(rows, hash);
    if (set == kNone) set = add(rows, hash);
    for (std::uint32_t r = sets_[set].first; r != kNone; r = records_[r].next) {
      Record& record = records_[r];
      if (record.budget != budget) continue;
      if (bounds.lower > record.bounds.lower) record.bounds.take_lower(bounds);
      if (bounds.upper < record.bounds.upper) record.bounds.take_upper(bounds);
      return;
    }
    records_.push_back({budget, bounds, sets_[set].first});
    sets_[set].first = static_cast<std::uint32_t>(records_.size() - 1);
  }
  // The least errors for up to 7 inner nodes at depth 3, which up to 3 have at any depth.
  void note_curve(const Word* rows, const Curve& curve) {
    const std::uint64_t hash = hash_of(rows, words_);
    std::uint32_t set = find(rows, hash);
    if (set == kNone) set = add(rows, hash);
    if (sets_[set].curve != kNone) return;
    sets_[set].curve = static_cast<std::uint32_t>(curves_.size());
    curves_.push_back(curve);
  }
  void clear() {
    slots_.assign(1024, kNone);
    sets_ = {};
    records_ = {};
    curves_ = {};
    bits_ = {};
  }
  std::size_t bytes() const {
    return slots_.capacity() * sizeof(std::uint32_t) + sets_.capacity() * sizeof(Set) +
           records_.capacity() * sizeof(Record) + curves_.capacity() * sizeof(Curve) +
           bits_.capacity() * sizeof(Word);
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  struct Set {
    std::uint64_t hash;
    std::uint32_t first, curve;
  };
  struct Record {
    Budget budget;
    Bounds bounds;
    std::uint32_t next;
  };

  static void look_at_curve(const Curve& curve, const Budget& budget, Bounds& out) {
    const int inner = std::min(budget.inner, 7);
    // Up to three inner nodes are no deeper than three.
    if (budget.depth <= 3 || budget.inner <= 3) out.lower = curve[static_cast<std::size_t>(inner)];
    if (budget.depth >= 3) out.upper = curve[static_cast<std::size_t>(inner)];
  }

  std::uint32_t find(const Word* rows, std::uint64_t hash) const {
    for (std::size_t slot = hash & (slots_.size() - 1); slots_[slot] != kNone;
         slot = (slot + 1) & (slots_.size() - 1)) {
      const std::uint32_t set = slots_[slot];
      const Word* bits = bits_.data() + std::size_t{set} * words_;
      if (sets_[set].hash == hash && std::equal(bits, bits + words_, rows)) return set;
    }
    return kNone;
  }
  std::uint32_t add(const Word* rows, std::uint64_t hash) {
    if (2 * (sets_.size() + 1) > slots_.size()) {
      slots_.assign(2 * slots_.size(), kNone);
      for (std::uint32_t s = 0; s < sets_.size(); ++s) place(s);
    }
    const auto set = static_cast<std::uint32_t>(sets_.size());
    sets_.push_back({hash, kNone, kNone});
    bits_.insert(bits_.end(), rows, rows + words_);
    place(set);
    return set;
  }
  void place(std::uint32_t set) {
    std::size_t slot = sets_[set].hash & (slots_.size() - 1);
    while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = set;
  }

  std::size_t words_;
  std::vector<std::uint32_t> slots_;
  std::vector<Set> sets_;
  std::vector<Record> records_;
  std::vector<Curve> curves_;
  std::vector<Word> bits_;  // the rows of each set
};

}  // namespace dtfinder::front
