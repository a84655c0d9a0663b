// The cases that a question about spines falls into, and what is known of each.
//
// Is there a tree of at most n inner nodes? The first cases are the classes that the spine's leaf
// may have; a case is closed by multipliers (a leaf of the refutation), or falls into two by the
// answers to a branch. When all are closed, there is no such tree, and what closed them is the
// proof.
//
// Several searches may work on the same cases, each with a linear program of its own. Each goes
// depth first and takes, of two open answers, the one that no other search is at. If others are at
// both or at the only one left, it goes there too and finds their branch, or waits for it, so it is
// free again one or two answers further down (as engines share the search for cores,
// shared/exchange.hpp). What a case closes by reduced costs, and its branch, are those of the
// first search that says so; all others go on with these, as what is found below rests on them.
//
// Why none stands still: a search waits only where another has taken the case. That one closes it,
// finds its branch or leaves it, as a visit ends when its search does, gives up, is stopped or
// turns to another question. Meanwhile those that wait say so (Spine::Status::kWaiting), and their
// engines go on with cores. All ask about the largest size that anyone does, and learn what anyone
// has refuted (exact/spine_climb.hpp). A search that finds a tree has nothing left to do: if the
// bound of its own engine is still below the tree, others have proven it or the engine will.
//
// Columns and the program's own rows have the same numbers in all programs for a table. Circles,
// which are added as they are found, have numbers here, and all programs get those of all others.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spine/program.hpp"
#include "spine/simplex.hpp"

namespace dtfinder {

struct SpineQuestion;

struct SpineChoice {
  SpineBranch branch;
  bool first;  // the answer to try first
};

struct SpineCase {
  SpineQuestion* question = nullptr;
  SpineCase* parent = nullptr;
  int label = 0;                     // the class of the spine's leaf
  bool reduced = false;              // whether reduced costs have had their turn
  SpineSimplex::Multipliers reason;  // for what they close
  std::vector<int> closed;           // columns
  std::optional<SpineChoice> choice;
  std::unique_ptr<SpineCase> answers[2];
  bool refuted = false;
  SpineSimplex::Multipliers leaf;  // what refutes it, unless its answers do
  bool taken = false;              // somebody closes it or looks for its branch
  int inside = 0;                  // searches that are at it or further down
};

// The cases of one question.
struct SpineQuestion : std::enable_shared_from_this<SpineQuestion> {
  int most = -1;
  std::map<int, SpineCase> classes;
  std::size_t bytes = 0;  // of its cases and their multipliers
};

class SpineCases {
 public:
  explicit SpineCases(bool record) : record_(record) {}

  // The question whether there is a tree of at most `most` inner nodes; or of more, where others
  // are further.
  std::shared_ptr<SpineQuestion> ask(int most, const std::vector<int>& classes);
  // The largest size that is refuted, and how; nothing if none is.
  std::shared_ptr<const SpineQuestion> refutation() const;

  // While it exists, a search is inside of a case.
  class Visit {
   public:
    Visit(SpineCases& cases, SpineCase& at);
    Visit(const Visit&) = delete;
    Visit& operator=(const Visit&) = delete;
    ~Visit();
    // Takes it on to close it or to find its branch, for as long as the visit lasts; false if
    // somebody else is at that.
    bool take();

   private:
    SpineCases& cases_;
    SpineCase& at_;
    bool taken_ = false;
  };

  // The first class in `order` that is open and has the fewest inside; null if none is open.
  SpineCase* next(SpineQuestion& question, const std::vector<int>& order);
  // The open answer to the branch of a case that has the fewest inside, or, of two, the first;
  // null if the case is refuted.
  struct Step {
    SpineCase* to;
    bool answer;
  };
  Step next(SpineCase& at);
  // Whether there is nothing left to do here.
  bool refuted(const SpineCase& at) const;
  bool branched(const SpineCase& at) const;
  SpineChoice choice(const SpineCase& at) const;
  std::vector<int> closed(const SpineCase& at) const;

  // Each of these takes what the caller has found, unless somebody else was first, and returns what
  // holds now.
  std::vector<int> reduce(SpineCase& at, SpineSimplex::Multipliers reason, std::vector<int> closed);
  SpineChoice branch(SpineCase& at, const SpineChoice& choice);
  void close(SpineCase& at, SpineSimplex::Multipliers leaf);

  // Classes that are refuted, as text for other processes: what is new since the last time, a size
  // and a class in each line. Only where no proof is recorded, as it does not travel.
  std::string write();
  void read(int most, int label);

  // How good a branch was, between 0 and 1, wherever it was tried; nothing if it was not.
  std::optional<double> merit(const SpineBranch& branch) const;
  void tried(const SpineBranch& branch, double merit);

  // Circles by their numbers here: those that a program has, in the order of its rows.
  struct Circles {
    int own = 0;              // rows that a program starts with
    std::vector<int> shared;  // by row beyond these: its number here
    std::vector<bool> known;  // by number here
  };
  // Gives what is new in a program to the others, and the other way round.
  void trade(SpineProgram& program, Circles& circles);
  // Their name, and the nest that they are in.
  std::pair<int, std::vector<int>> circle(int number) const;

  std::size_t bytes() const;

 private:
  static bool is_refuted(const SpineCase& at);
  void refute(SpineCase& at);
  // What is recorded, if anything is.
  void keep(SpineCase& at, SpineSimplex::Multipliers& as, SpineSimplex::Multipliers multipliers);

  mutable std::mutex mutex_;
  bool record_;
  std::shared_ptr<SpineQuestion> latest_;
  std::shared_ptr<const SpineQuestion> refutation_;
  std::map<int, int> refuted_classes_;  // by class: the largest size
  std::map<int, int> written_;
  std::vector<SpineRow> circles_;
  std::map<std::pair<int, std::vector<int>>, int> number_of_;
  std::map<SpineBranch, double> merit_;
};

}  // namespace dtfinder
