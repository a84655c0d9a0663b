// The counting engine as its users see it: make one for a table and a goal, run it in slices, read
// its state.
//
// E(n, d) is the least weight of errors of a tree with at most n inner nodes and depth at most d. A
// goal asks for one of
// - kFront: E(n, max_depth) for every n = 0, 1, .. max_inner, until the unavoidable errors are
// reached; `cheapest`: only as far as that settles which size has the least cost;
// - kErrors: the fewest errors within the limits, and of those the fewest inner nodes
// (`depth_first`: the least
//   depth, then the fewest inner nodes);
// - kSize: the fewest inner nodes (`depth_first`: the least depth, then the fewest inner nodes)
// with at most
//   `max_errors` errors, or the proof that no tree within the limits has so few;
// - kCost: the least error_price * errors + leaf_price * leaves within max_depth; max_inner must
// have no limit.
//
// A run is deterministic on one thread: work is counted in steps, about 50 ns each, and slices of
// any length compute the same. The state after every slice is sound: lower bounds are proven, and
// every tree has been evaluated on all rows. Not thread-safe; one engine a thread, and engines may
// `join`.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "front/facts.hpp"
#include "front/switches.hpp"
#include "front/table.hpp"

namespace dtfinder::front {

struct Goal {
  enum Kind : int { kFront, kErrors, kSize, kCost };
  Kind kind = kFront;
  bool depth_first = false;
  bool smallest = true;   // kErrors: else any tree with the fewest errors will do
  bool cheapest = false;  // kFront: which size has the least cost is all that is asked
  int max_depth = kUnlimited, max_inner = kUnlimited;
  Value max_errors = 0;
  Value error_price = 1, leaf_price = 1;
};

// One size of the front: proven bounds on the errors of trees with up to `inner` inner nodes.
struct Point {
  int inner;
  Value lower, upper;
};

// The best tree for the goals other than kFront, and proven lower bounds: `errors` on those of any
// tree within the limits; `inner` and `depth` on those of an optimal tree; `cost` on that of any
// tree.
struct Best {
  Value errors = 0, cost = 0;
  int inner = 0, depth = 0;
};

struct State {
  std::vector<Point> points;  // kFront
  TreeNodes tree;             // the others; empty for none
  Best best;                  // what `tree` has
  Best lower;                 // what is proven
  bool started = false;       // the first greedy tree has been tried
  bool done = false;
  bool infeasible = false;    // proven: no tree within the limits
  std::uint64_t version = 0;  // changes with anything above
};

// Trees of all rows with up to so many inner nodes have at least so many errors.
struct Shown {
  int inner;
  Value errors;
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Runs until the first tree is there, the run is done, or about `steps` more steps are counted.
  virtual void run(std::uint64_t steps) = 0;
  // A bound that was proven elsewhere: trees with up to `inner` inner nodes (within max_depth) have
  // at least so many errors.
  virtual void raise_lower(int inner, Value errors) = 0;
  // A tree from elsewhere; throws std::invalid_argument unless it is one.
  virtual void offer(const TreeNodes& tree) = 0;
  // Shares facts with `other`, an engine for the same table and goal, from now on; neither must
  // have run. They may then run on threads of their own; the answer is there when one is done.
  // Trees are not shared, so that the caller may offer() the best ones.
  virtual void join(Engine& other) = 0;
  // Shares facts by messages (fact_messages.hpp); call it before the first run. Of the parts of
  // the search those of the number `owner` of so many `owners` come first.
  virtual void share(std::size_t owner, std::size_t owners) = 0;
  // What this engine and those it has joined found out since the last message: at most `most`
  // facts, the costliest. Messages may be read and written while engines run.
  virtual std::string write_facts(std::size_t most) = 0;
  virtual void read_facts(const std::string& text) = 0;
  // The proof of what is known now, as certificates have it; nothing if the engine was not asked
  // for lemmas, or has no memory for them. Facts of other engines have none; bounds from elsewhere
  // are shown there, and so is all that follows from them.
  virtual std::optional<std::string> proof(const std::vector<Shown>& elsewhere) const = 0;
  // What a unit of errors and an inner node cost where bounds are costs; else 1 and 0.
  virtual std::pair<Value, Value> prices() const = 0;
  virtual const State& state() const = 0;
  // The best tree with up to so many inner nodes.
  virtual TreeNodes tree(int inner) const = 0;
  virtual std::uint64_t steps() const = 0;
  virtual std::size_t bytes() const = 0;
};

// The rows of `table` must be distinct.
std::unique_ptr<Engine> make_engine(const RawWeights& table, const Goal& goal,
                                    const Switches& switches);

}  // namespace dtfinder::front
