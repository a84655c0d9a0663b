// What the counting engine takes from the rest of the core, in one place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <vector>

#include "shared/bits.hpp"
#include "shared/task.hpp"
#include "shared/tree_nodes.hpp"

namespace dtfinder::front {

using Value = std::int64_t;  // weights of errors, and costs
constexpr Value kNever = std::numeric_limits<Value>::max() / 4;
constexpr int kUnlimited = 1 << 28;  // no limit on depth, or on inner nodes

// Vectors for loops that take 64 bytes at once.
template <class T>
struct Aligned {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};
  Aligned() = default;
  template <class Other>
  Aligned(const Aligned<Other>&) {}
  T* allocate(std::size_t count) {
    return static_cast<T*>(::operator new(count * sizeof(T), kAlignment));
  }
  void deallocate(T* given, std::size_t) { ::operator delete(given, kAlignment); }
  bool operator==(const Aligned&) const { return true; }
};
template <class T>
using AlignedVector = std::vector<T, Aligned<T>>;

}  // namespace dtfinder::front
