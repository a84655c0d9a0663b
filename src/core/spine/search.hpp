// Branch and bound over the spine program.
//
// At a node: solve the relaxation with rows as they are violated, and circles when none is; close
// the node if the exact bound exceeds the size asked for; settle the columns whose reduced costs
// show that they cannot be 1; else branch on whether a group is used, or takes an example. Several
// branches are tried for a few pivots each (strong branching), those first that were good before.
// Branches inside nested programs come only when the top is whole. A node that is whole everywhere
// and has no circle is a tree.
//
// The search is a coroutine (shared/task.hpp) that yields every few pivots. All decisions follow
// from the table and the questions asked, none from the clock.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "shared/task.hpp"
#include "spine/point.hpp"
#include "spine/program.hpp"
#include "spine/simplex.hpp"
#include "spine/spine.hpp"

namespace dtfinder {

class SpineSearch {
 public:
  SpineSearch(SpineTable table, bool record, int largest);
  ~SpineSearch();

  void ask(int most);
  Spine::Status run(std::uint64_t steps);
  std::uint64_t steps() const { return scratch_.work / kWorkPerStep; }
  std::size_t bytes() const;
  const TreeNodes& tree() const { return tree_; }
  std::string proof(const std::int64_t* row_of_example) const;

  Runner& runner() { return runner_; }

 private:
  // What a proof is made of, in the order of the search.
  struct Line {
    char kind;  // C a class, R reduced costs, B a branch, L a leaf
    int label = 0;
    SpineBranch branch{};
    bool answer = false;
    SpineSimplex::Multipliers multipliers{};
  };
  struct Choice {
    SpineBranch branch;
    bool first;  // the answer to try first
  };
  struct Candidate {
    double score;
    SpineBranch branch;
  };
  enum class Relaxed { kClosed, kOpen, kGivenUp };
  // About 50 ns worth of the operations that the simplex method counts.
  static constexpr std::uint64_t kWorkPerStep = 24;
  static constexpr int kPivotsAtOnce = 10;

  Task search();
  Task refute_class(int label);
  Task refute(SpineSimplex lp, int depth);
  Task relax(SpineSimplex& lp);
  Task choose(const SpineSimplex& lp, std::vector<Candidate> candidates, double value);
  Task attempt(SpineSimplex lp, SpineBranch branch, bool answer);

  SpineSimplex root(int label);
  bool close(const SpineSimplex& lp);
  void settle_by_reduced_costs(SpineSimplex& lp);
  std::vector<int> violated(const SpineSimplex& lp, const SpinePoint::Values& point);
  std::vector<Candidate> candidates(const SpinePoint::Sums& sums, bool top) const;
  bool accept(const SpinePoint::Values& point, const SpinePoint::Sums& sums);
  bool classifies(const TreeNodes& tree) const;
  std::vector<int> classes_in_order() const;

  bool open() const { return status_ == Spine::Status::kOpen; }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  bool record_;
  SpineProgram program_;
  SpinePoint reader_;
  SpineScratch scratch_;
  Runner runner_;
  std::optional<Task> task_;

  int most_ = -1;
  Spine::Status status_ = Spine::Status::kGaveUp;
  TreeNodes tree_;
  std::vector<Line> lines_;
  int refuted_ = -1;  // the last size refuted, and how
  std::vector<Line> refutation_;
  // Kept from one question to the next: the solved relaxations, how good branches were, and how
  // many nodes each class took.
  std::map<int, SpineSimplex> roots_;
  std::map<SpineBranch, double> merit_;
  std::map<int, std::uint64_t> effort_;
  // What the last subtask found.
  Relaxed relaxed_ = Relaxed::kOpen;
  SpinePoint::Values point_;
  SpinePoint::Sums sums_;
  Choice choice_{};
  double gain_ = 0.0;
  std::uint64_t nodes_ = 0;
  std::vector<double> activity_;
};

}  // namespace dtfinder
