// What tests switch off, to show that no part of the engine changes the optimum; and its limits.
#pragma once

#include <cstddef>

namespace dtfinder {

struct EngineSwitches {
  bool cache = true;          // remember subproblems by their exact set of examples
  bool store = true;          // look up cores of other subproblems
  bool parts = true;          // disjoint parts
  bool folds = true;          // packings in which pairs share features
  bool apart = true;          // examples apart
  bool cuts = true;           // singleton cuts
  bool paths = true;          // bounds on depth from a long path
  bool gain_order = true;     // features by information gain; else as numbered
  bool spine = true;          // a linear program where features are rare
  bool improve = true;        // better trees while the lower bound climbs
  bool proof = false;         // record lemmas
  bool any_width = false;     // use the engine for sets of any width
  int shallow = 4;            // depths up to this are decided by few examples; 0 for none
  int least_fold = 6;         // bounds from which folds count: below, composition has smaller cores
  int least_path = 5;         // bounds from which long paths count, for the same reason
  int folds_after = 20000;    // steps; easy tables do without
  int apart_after = 20000;    // steps; easy tables do without
  int ground_after = 400000;  // steps until a ground set is used; easy tables do without
  int spine_after = 2000000;  // steps, some 0.1 s; most tables do without
  int shrink_up_to = 4;       // minimise cores of bounds up to this
  std::size_t slots = 2048;   // cores kept for each bound
  std::size_t memory = 0;     // bytes for facts; 0 for no limit
};

}  // namespace dtfinder
