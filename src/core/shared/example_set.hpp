// Sets of examples of any width, with the common widths compiled in.
//
// A set is a row of 64-bit words with one bit per example. Set<W> holds W words in place, so that
// the search's inner loops unroll and allocate nothing; Set<0> holds as many as the table needs.
// Bits past the last example are always zero, in every set that is ever made: `full` starts that
// way and no operation here sets a bit that neither operand has.
#pragma once

#include <array>
#include <cassert>
#include <type_traits>

#include "shared/bits.hpp"

namespace dtfinder {

template <int W>
class Set {
 public:
  Set() : Set(0) {}
  // An empty set of `words` words; a compiled-in width knows better.
  explicit Set(std::size_t words) {
    if constexpr (W == 0) {
      words_.assign(words, 0);
    } else {
      words_.fill(0);
    }
  }

  static Set full(std::size_t examples) {
    Set all(words_for(examples));
    for (std::size_t e = 0; e < examples; ++e) all.add(e);
    return all;
  }

  std::size_t words() const {
    if constexpr (W == 0) return words_.size();
    return W;
  }
  // An example fits into the words: `e` < 64 * words(). Two sets are of the same width.
  void add(std::size_t e) {
    assert(e / 64 < words());
    words_[e / 64] |= Word{1} << (e % 64);
  }
  void remove(std::size_t e) {
    assert(e / 64 < words());
    words_[e / 64] &= ~(Word{1} << (e % 64));
  }
  bool has(std::size_t e) const {
    assert(e / 64 < words());
    return words_[e / 64] >> (e % 64) & 1;
  }

  bool empty() const {
    Word any = 0;
    for (std::size_t i = 0; i < words(); ++i) any |= words_[i];
    return any == 0;
  }
  std::size_t size() const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < words(); ++i) total += bits_in(words_[i]);
    return total;
  }
  bool inside(const Set& other) const {
    assert(words() == other.words());
    for (std::size_t i = 0; i < words(); ++i) {
      if (words_[i] & ~other.words_[i]) return false;
    }
    return true;
  }
  bool meets(const Set& other) const {
    for (std::size_t i = 0; i < words(); ++i) {
      if (words_[i] & other.words_[i]) return true;
    }
    return false;
  }
  bool operator==(const Set& other) const { return words_ == other.words_; }

  Set& operator|=(const Set& other) {
    assert(words() == other.words());
    for (std::size_t i = 0; i < words(); ++i) words_[i] |= other.words_[i];
    return *this;
  }
  Set operator&(const Set& other) const {
    assert(words() == other.words());
    Set result(*this);
    for (std::size_t i = 0; i < words(); ++i) result.words_[i] &= other.words_[i];
    return result;
  }
  Set without(const Set& other) const {
    assert(words() == other.words());
    Set result(*this);
    for (std::size_t i = 0; i < words(); ++i) result.words_[i] &= ~other.words_[i];
    return result;
  }
  std::size_t count_in(const Set& other) const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < words(); ++i) total += bits_in(words_[i] & other.words_[i]);
    return total;
  }
  std::size_t count_outside(const Set& other) const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < words(); ++i) total += bits_in(words_[i] & ~other.words_[i]);
    return total;
  }

  // Calls `see(e)` for every example, in ascending order, until it returns true.
  template <class See>
  bool any_of(See&& see) const {
    for (std::size_t i = 0; i < words(); ++i) {
      for (Word left = words_[i]; left; left &= left - 1) {
        if (see(i * 64 + static_cast<std::size_t>(std::countr_zero(left)))) return true;
      }
    }
    return false;
  }
  template <class See>
  void each(See&& see) const {
    any_of([&](std::size_t e) {
      see(e);
      return false;
    });
  }
  // Puts the examples into `out`, in ascending order.
  void list(std::vector<std::uint32_t>& out) const {
    out.clear();
    each([&](std::size_t e) { out.push_back(static_cast<std::uint32_t>(e)); });
  }
  // The first example; the set must not be empty.
  std::size_t first() const {
    assert(!empty());
    std::size_t i = 0;
    while (words_[i] == 0) ++i;
    return i * 64 + static_cast<std::size_t>(std::countr_zero(words_[i]));
  }
  std::size_t hash() const {
    Word h = 0x9E3779B97F4A7C15u;
    for (std::size_t i = 0; i < words(); ++i) {
      h = (h ^ words_[i]) * 0xD6E8FEB86659FD93u;
      h ^= h >> 32;
    }
    return static_cast<std::size_t>(h);
  }

 private:
  using Words = std::conditional_t<W == 0, std::vector<Word>, std::array<Word, W == 0 ? 1 : W>>;
  Words words_;
};

}  // namespace dtfinder
