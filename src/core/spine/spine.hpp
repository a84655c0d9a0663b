// Is there a tree of at most n inner nodes? The spine program answers it for tables of rare
// features.
//
// One integer program (spine/program.hpp) for each class that the leaf at the spine's end may have;
// each is refuted, or has a point that is a tree, by branch and bound over its linear relaxation
// (spine/search.hpp). A refutation can be recorded: a text of branches and, at every leaf, whole
// multipliers of the rows whose sum anyone can check.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "shared/tree_nodes.hpp"
#include "spine/table.hpp"

namespace dtfinder {

class SpineCases;
class SpineSearch;

class Spine {
 public:
  // What all searches of the same table share, on however many threads.
  static std::shared_ptr<SpineCases> make_cases(bool record);

  // Groups of up to `largest` examples have their parts listed; 0: chosen by the program's size.
  Spine(SpineTable table, std::shared_ptr<SpineCases> cases, int largest = 0);
  ~Spine();
  Spine(const Spine&) = delete;
  Spine& operator=(const Spine&) = delete;

  static constexpr std::size_t kMostExamples = 1000;
  // Whether the program for this table is small enough to be worth it; cheap.
  static bool suits(const SpineTable& table);

  // Of several searches in different processes, each starts with another class of the spine's leaf.
  void start_with(std::size_t number);
  // From now on: is there a tree of at most `most` inner nodes, 0 or more? Or of more, where others
  // are further. What earlier questions taught about the program is kept.
  void ask(int most);
  // The size that the latest question is about; -1 before the first.
  int asked() const;
  // kWaiting: open still, but others have to get further first. kGaveUp: after numerical trouble.
  enum class Status { kOpen, kWaiting, kNone, kTree, kGaveUp };
  // Searches for about `steps` more steps, of some 50 ns each. Slices compute the same as one run.
  Status run(std::uint64_t steps);
  // No more questions: leaves the cases to others; what was refuted stays.
  void stop();
  // The largest number of inner nodes that anyone has refuted; -1 if none.
  int refuted() const;
  std::uint64_t steps() const;
  std::size_t bytes() const;
  // After kTree: a tree that classifies all examples, with no more inner nodes than asked for.
  const TreeNodes& tree() const;
  // If recording: the refutation of `refuted`, once nobody works on it. Features are as in the
  // table, examples are named by their rows.
  std::string proof(const std::int64_t* row_of_example) const;

 private:
  std::unique_ptr<SpineSearch> search_;
};

}  // namespace dtfinder
