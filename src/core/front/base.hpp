// What the counting engine takes from the rest of the core, in one place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "shared/bits.hpp"
#include "shared/task.hpp"
#include "shared/tree_nodes.hpp"

namespace dtfinder::front {

using Value = std::int64_t;  // weights of errors, and costs
constexpr Value kNever = std::numeric_limits<Value>::max() / 4;
constexpr int kUnlimited = 1 << 28;  // no limit on depth, or on inner nodes

}  // namespace dtfinder::front
