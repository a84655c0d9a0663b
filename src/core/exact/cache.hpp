// The exact cache: what is known about a subproblem, by its set of examples and depth limit.
//
// Different paths lead to the same set, and the ladder of budgets comes back to a subproblem once
// for every node that its bound must rise, so each is looked up far more often than it is worked
// on. An entry's facts are true for good: its lower bound with the core that proves it, and its
// upper bound with the root feature of a tree that attains it. Entries may be dropped at any time.
#pragma once

#include <unordered_map>

#include "exact/core_store.hpp"

namespace dtfinder {

inline constexpr int kUnknown = 1 << 28;  // an upper bound that is not known yet

// What is known about one subproblem. Solved when both bounds meet; impossible (within its depth
// limit) when `lower` is kUnknown.
template <int W>
struct Fact {
  int lower = 0;
  int upper = kUnknown;
  int feature = -1;     // the root of a tree with `upper` inner nodes; -1 for a leaf
  Core<W> core;         // proves `lower`, where that is above 1
  bool packed = false;  // a folded packing was tried
  bool apart = false;   // so were examples apart
  bool solved() const { return lower >= upper; }
  bool settled() const { return solved() || lower >= kUnknown; }
};

template <int W>
class Cache {
 public:
  Fact<W>* find(const Set<W>& set, int limit) {
    const auto found = map_.find(Key{set, limit});
    return found == map_.end() ? nullptr : &found->second;
  }
  void put(const Set<W>& set, int limit, const Fact<W>& fact) {
    assert(limit >= 0 && (fact.core.bound == 0 || fact.core.examples.inside(set)));
    const auto [place, added] = map_.try_emplace(Key{set, limit}, fact);
    if (added) return;
    Fact<W>& old = place->second;
    old.packed |= fact.packed;
    old.apart |= fact.apart;
    if (fact.lower > old.lower) {
      old.lower = fact.lower;
      old.core = fact.core;
    }
    if (fact.upper < old.upper) {
      old.upper = fact.upper;
      old.feature = fact.feature;
    }
  }
  std::size_t bytes(std::size_t set_words) const {
    const std::size_t spilled = W == 0 ? 2 * set_words * sizeof(Word) : 0;
    return map_.size() * (sizeof(Key) + sizeof(Fact<W>) + 24 + spilled);
  }
  void clear() { map_.clear(); }

 private:
  struct Key {
    Set<W> set;
    int limit;
    bool operator==(const Key& other) const { return limit == other.limit && set == other.set; }
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      return key.set.hash() + static_cast<std::size_t>(key.limit) * 0x9E3779B9u;
    }
  };
  std::unordered_map<Key, Fact<W>, Hash> map_;
};

}  // namespace dtfinder
