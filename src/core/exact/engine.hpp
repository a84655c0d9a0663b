// The engine as its users see it: make one for a table and a goal, run it in slices, read its
// state.
//
// A run is deterministic: work is counted in steps, not seconds, and slices of any length compute
// the same. The state after every slice is sound: `lower` is proven, `tree` classifies all examples
// within the limits. Not thread-safe: one engine per thread, and engines may `join`
// (fact_exchange.hpp).
#pragma once

#include <memory>

#include "exact/engine_switches.hpp"
#include "exact/lemmas.hpp"
#include "shared/example_table.hpp"
#include "shared/tree_nodes.hpp"

namespace dtfinder {

struct Goal {
  bool depth_first = false;  // least depth, then size; else least size
  int max_depth = kNoLimit;  // of the tree
  int max_inner = 1 << 28;   // inner nodes of the tree
};

struct State {
  int lower = 0;         // proven least number of inner nodes of an optimal tree
  int depth_lower = 0;   // proven least depth of an optimal tree
  TreeNodes tree;        // the best tree so far; empty for none
  bool started = false;  // the first greedy tree has been tried
  bool done = false;
  bool infeasible = false;    // proven: no tree within the limits
  std::uint64_t version = 0;  // changes with anything above
};

class Engine {
 public:
  virtual ~Engine() = default;
  // Runs until the state changes, the run is done, or about `steps` more steps are counted.
  virtual void run(std::uint64_t steps) = 0;
  // Shares facts with `other`, an engine for the same table and goal, from now on; neither must
  // have run. They may then run on threads of their own.
  virtual void join(Engine& other) = 0;
  // Shares facts by messages (fact_messages.hpp); call it before the first run. This engine is
  // number `owner` of `owners` and searches its own parts first; that may change between runs.
  virtual void share(std::size_t owner, std::size_t owners) = 0;
  // What this engine and those it has joined found out since the last message: at most `most`
  // facts, the costliest. Where no proof is recorded, messages may be read and written while they
  // run. All of these need `share` first.
  virtual std::string write_facts(std::size_t most) = 0;
  virtual void read_facts(const std::string& text) = 0;
  // What the messages and the proven bounds rest on, except what was written before.
  virtual std::string write_lemmas() = 0;
  virtual const State& state() const = 0;
  virtual std::uint64_t steps() const = 0;
  virtual std::size_t bytes() const = 0;
  // The lemmas that the proven bounds rest on; none unless recording was asked for.
  virtual LemmaArrays lemmas() const = 0;
  // Where a linear program has proven the bound: its proof (spine/spine.hpp), if recording was
  // asked for; then no lemmas are needed. `row_of_example` numbers the examples.
  virtual std::string spine_proof(const std::int64_t* row_of_example) const = 0;
};

// `table` has at least one row, its rows are distinct, its labels 0 .. classes-1.
std::unique_ptr<Engine> make_engine(const RawTable& table, const Goal& goal,
                                    const EngineSwitches& switches);

}  // namespace dtfinder
