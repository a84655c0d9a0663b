// What can be switched off, for tests that show that every switch leaves the answers alone.
#pragma once

#include "front/kernel.hpp"

namespace dtfinder::front {

struct Switches {
  bool cache = true;       // remember sets of rows
  bool similar = true;     // bounds from similar sets
  bool siblings = true;    // bounds from the children of other columns of the same node
  bool parents = true;     // bounds from the parent's smaller budgets
  bool triples = true;     // count triples at nodes that branch
  bool chains = true;      // of three inner nodes, count only trees that can reach the limit
  bool improve = true;     // better trees while the bounds climb
  bool order = true;       // promising columns first; else as numbered
  bool proof = false;      // keep lemmas
  int kernel = -1;         // 0 portable, 1 AVX2, 2 AVX-512; -1 for the best of this machine
  std::size_t kept = 64;   // similar sets for each budget
  std::size_t memory = 0;  // bytes for facts; 0 for no limit
  std::uint64_t patience =
      8'000'000;                    // work, about 20 ms: the improver counts all columns below it
  std::size_t counts = 64'000'000;  // bytes of counts that a node may keep
  std::size_t dense = 24;           // chunks of a column, on average, from which triples are kept
};

}  // namespace dtfinder::front
