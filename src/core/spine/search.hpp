// Branch and bound over the spine program.
//
// At a node: solve the relaxation with rows as they are violated, and circles when none is; close
// the node if the exact bound exceeds the size asked for; settle the columns whose reduced costs
// show that they cannot be 1; else branch on whether a group is used, or takes an example. Several
// branches are tried for a few pivots each (strong branching), those first that were good before.
// Branches inside nested programs come only when the top is whole. A node that is whole everywhere
// and has no circle is a tree. The nodes are the cases of spine/cases.hpp, which several searches
// may share.
//
// The search is a coroutine (shared/task.hpp) that yields every few pivots. All decisions follow
// from the table and the questions asked, none from the clock.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "shared/task.hpp"
#include "spine/cases.hpp"
#include "spine/point.hpp"
#include "spine/program.hpp"
#include "spine/simplex.hpp"
#include "spine/spine.hpp"

namespace dtfinder {

class SpineSearch {
 public:
  SpineSearch(SpineTable table, int largest, std::shared_ptr<SpineCases> cases);
  ~SpineSearch();

  void ask(int most);
  int asked() const { return most_; }
  void stop();
  int refuted() const;
  void start_with(std::size_t number) { turn_ = number; }
  Spine::Status run(std::uint64_t steps);
  std::uint64_t steps() const { return scratch_.work / kWorkPerStep; }
  std::size_t bytes() const;
  const TreeNodes& tree() const { return tree_; }
  std::string proof(const std::int64_t* row_of_example) const;

  Runner& runner() { return runner_; }

 private:
  struct Candidate {
    double score;
    SpineBranch branch;
  };
  enum class Relaxed { kClosed, kOpen, kGivenUp };
  // About 50 ns worth of the operations that the simplex method counts.
  static constexpr std::uint64_t kWorkPerStep = 24;
  static constexpr int kPivotsAtOnce = 10;

  Task search();
  Task refute_class(SpineCase& at);
  Task refute(SpineSimplex lp, SpineCase& at, int depth);
  Task split(SpineSimplex& lp, SpineCase& at, int depth);
  Task relax(SpineSimplex& lp, SpineCase& at);
  Task choose(const SpineSimplex& lp, std::vector<Candidate> candidates, double value,
              const SpineCase& at);
  Task attempt(SpineSimplex lp, SpineBranch branch, bool answer);

  SpineSimplex root(int label);
  bool close(const SpineSimplex& lp, SpineCase& at);
  void settle_by_reduced_costs(SpineSimplex& lp, SpineCase& at);
  SpineSimplex::Multipliers shared(SpineSimplex::Multipliers multipliers);
  std::vector<int> violated(const SpineSimplex& lp, const SpinePoint::Values& point);
  std::vector<Candidate> candidates(const SpinePoint::Sums& sums, bool top) const;
  bool accept(const SpinePoint::Values& point, const SpinePoint::Sums& sums);
  bool classifies(const TreeNodes& tree) const;
  std::vector<int> classes_in_order() const;

  bool open() const { return status_ == Spine::Status::kOpen; }
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  SpineProgram program_;
  SpinePoint reader_;
  SpineScratch scratch_;
  Runner runner_;
  std::optional<Task> task_;

  int most_ = -1;
  bool waiting_ = false;  // for somebody else's branch
  Spine::Status status_ = Spine::Status::kGaveUp;
  TreeNodes tree_;
  std::optional<std::size_t> turn_;
  std::shared_ptr<SpineCases> cases_;
  std::shared_ptr<SpineQuestion> question_;
  SpineCases::Circles circles_;
  // Kept from one question to the next: the solved relaxations, and how many nodes each class took.
  std::map<int, SpineSimplex> roots_;
  std::map<int, std::uint64_t> effort_;
  // What the last subtask found.
  Relaxed relaxed_ = Relaxed::kOpen;
  SpinePoint::Values point_;
  SpinePoint::Sums sums_;
  SpineChoice choice_{};
  double gain_ = 0.0;
  std::uint64_t nodes_ = 0;
  std::vector<double> activity_;
};

}  // namespace dtfinder
