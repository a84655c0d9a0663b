// How a run goes: greedy trees, then the lower bound climbs while trees improve, turn by turn.
//
// Two chains of calls take turns of a fixed number of steps. `climb` raises the root's lower bound;
// `Improver::improve` lowers the upper one. They share every fact, and the run ends when the bounds
// meet, or when `climb` proves that no tree is within the limits. Where features are rare, a linear
// program (spine_climb.hpp) raises the lower bound beside them, and gets most of the time: by then
// cores have had their chance.
//
// Least depth first: the depth layer finds the least depth D, then sizes are searched under the
// limit D; with a limit on nodes, D grows until a tree fits. D never needs to exceed the number of
// examples less one, where the limit no longer limits.
#pragma once

#include "exact/engine.hpp"
#include "exact/fact_messages.hpp"
#include "exact/ground.hpp"
#include "exact/improve.hpp"
#include "exact/spine_climb.hpp"

namespace dtfinder {

template <int W>
class EngineRun final : public Engine {
 public:
  EngineRun(const RawTable& table, const Goal& goal, const EngineSwitches& switches)
      : examples_(table),
        goal_(goal),
        search_(examples_, switches, most_depth(table, goal)),
        facts_(search_.facts()),
        improver_(std::make_unique<Improver<W>>(search_, goal.max_depth)),
        ground_(std::make_shared<GroundSet<W>>(examples_)),
        spine_(examples_, switches) {
    search_.use(climb_runner_);
    climb_ = std::make_unique<Task>(climb());
    climb_->start();
    turn_end_ = kTurn;
  }
  ~EngineRun() override {
    cancel(inner_runner_);
    cancel(improve_runner_);
    cancel(whole_runner_);
    cancel(climb_runner_);
  }

  Runner& runner() { return search_.runner(); }
  const State& state() const override { return state_; }
  std::uint64_t steps() const override { return facts_.steps(); }
  std::size_t bytes() const override {
    return search_.bytes() + examples_.bytes() + improver_->bytes() + spine_.bytes();
  }
  LemmaArrays lemmas() const override {
    return facts_.lemmas().trimmed(proof_goals(),
                                   [&](std::size_t e) { return examples_.original(e); });
  }

  std::string spine_proof(const std::int64_t* row_of_example) const override {
    return spine_.lower() > root_lower_ ? spine_.proof(row_of_example) : std::string{};
  }

  void join(Engine& other) override {
    auto& with = dynamic_cast<EngineRun&>(other);
    facts_.join(with.exchange());
    ground_ = with.ground_;
    spine_.join(with.spine_);
  }
  void share(std::size_t owner, std::size_t owners) override {
    if (!messages_) messages_ = std::make_unique<FactMessages<W>>(examples_, exchange());
    facts_.member().own(owner, owners);
    if (owners > 1) spine_.share(owner);
  }
  std::string write_facts(std::size_t most) override {
    return ground_->write() + spine_.write_facts() + messages().write(most);
  }
  void read_facts(const std::string& text) override {
    messages().read(spine_.read_facts(ground_->read(text)));
  }
  std::string write_lemmas() override { return messages().write_lemmas(proof_goals()); }

  void run(std::uint64_t steps) override {
    const std::uint64_t end = facts_.steps() + steps;
    const std::uint64_t version = state_.version;
    while (!state_.done && facts_.steps() < end && state_.version == version) {
      const std::uint64_t until = std::min(end, turn_end_);
      if (turn_ == Turn::kSpine) {
        facts_.spend(spine_.run(until - facts_.steps(), lower()));
        note_spine();
        if (spine_.idle()) turn_end_ = facts_.steps();
      } else {
        facts_.receive();
        Runner& runner = turn_ == Turn::kImprove ? improve_runner_ : climb_runner_;
        search_.use(runner);
        runner.run([&] {
          publish();
          return state_.done || facts_.steps() >= until || state_.version != version;
        });
        finish_chains();
      }
      if (facts_.steps() >= turn_end_) next_turn();
    }
  }

 private:
  static constexpr std::uint64_t kTurn = 4000;
  static constexpr std::uint64_t kEarly = 300000;
  static constexpr std::uint64_t kBesideSpine = 8 * kTurn, kSpineTurn = 32 * kTurn;
  enum class Turn : std::uint8_t { kClimb, kImprove, kSpine };

  // The exchange of this engine, made if need be.
  std::shared_ptr<FactExchange<W>> exchange() {
    if (!facts_.member()) facts_.join(std::make_shared<FactExchange<W>>(facts_.switches().proof));
    return facts_.member().exchange();
  }
  FactMessages<W>& messages() {
    if (!messages_) throw std::logic_error("call share() before facts are written or read");
    return *messages_;
  }
  std::vector<LemmaId> proof_goals() const {
    std::vector<LemmaId> goals = goals_;
    if (size_goal_ != kNoLemma) goals.push_back(size_goal_);
    return goals;
  }

  static int most_depth(const RawTable& table, const Goal& goal) {
    if (goal.depth_first) return static_cast<int>(std::min<std::size_t>(table.rows, kNoLimit - 1));
    return goal.max_depth;
  }

  // Trees improve most early on; later the proof is what takes long, unless it is far off.
  std::uint64_t improving_turn() const {
    const bool far = lower() * 3 < improver_->upper() * 2;
    return facts_.steps() < kEarly || far ? kTurn / 2 : kTurn / 64;
  }
  // The best lower bound, by cores or by the spine, of the sizes that are searched now.
  int lower() const { return std::max(root_lower_, spine_.lower()); }
  bool spine_takes_part() {
    const bool asked = facts_.switches().spine && sizing_ && !goal_.depth_first;
    return asked && goal_.max_depth >= kNoLimit && spine_.takes_part(facts_.steps());
  }
  void next_turn() {
    const std::size_t memory = facts_.switches().memory;
    if (memory && spine_.bytes() > memory / 2) spine_.give_up();
    const bool can_improve = improve_ && !improve_->done();
    const bool spine = spine_takes_part();
    if (turn_ == Turn::kClimb && can_improve) {
      turn_ = Turn::kImprove;
      turn_end_ = facts_.steps() + improving_turn();
    } else if (turn_ != Turn::kSpine && spine) {
      turn_ = Turn::kSpine;
      turn_end_ = facts_.steps() + kSpineTurn;
    } else {
      turn_ = Turn::kClimb;
      turn_end_ = facts_.steps() + (spine ? kBesideSpine : kTurn);
    }
    if (memory && search_.bytes() + improver_->bytes() + spine_.bytes() > memory) {
      facts_.drop(false);
      if (search_.bytes() > memory / 2) facts_.drop(true);
      if (search_.bytes() > memory / 2) facts_.lemmas().drop();
    }
  }
  void finish_chains() {
    if (climb_->done()) climb_->rethrow();
    if (improve_ && improve_->done()) {
      improve_->rethrow();
      if (turn_ == Turn::kImprove) turn_ = Turn::kClimb;
    }
  }
  // What the spine has proven or found counts like the work of the two chains.
  void note_spine() {
    if (!spine_.tree().empty()) improver_->offer(spine_.tree());
    if (spine_.lower() > goal_.max_inner) {
      finish(true);
      return;
    }
    if (spine_.lower() > 0) raise_lower(spine_.lower(), 0);
    publish();
  }

  // Brings the state up to date with the improver's best tree.
  void publish() {
    if (improver_->version() != seen_ || improver_.get() != seen_of_) {
      seen_ = improver_->version();
      seen_of_ = improver_.get();
      if (improver_->has_tree()) take(improver_->best());
    }
    if (sizing_ && lower() >= improver_->upper() && improver_->upper() <= goal_.max_inner) {
      raise_lower(lower(), 0);
      finish();
    }
  }
  void take(const TreeNodes& tree) {
    if (inner_nodes(tree) > goal_.max_inner || depth_of(tree) > goal_.max_depth) return;
    if (!state_.tree.empty()) {
      const int size = inner_nodes(tree), old = inner_nodes(state_.tree);
      const int depth = depth_of(tree), old_depth = depth_of(state_.tree);
      if (goal_.depth_first ? std::pair(depth, size) >= std::pair(old_depth, old)
                            : std::pair(size, depth) >= std::pair(old, old_depth)) {
        return;
      }
    }
    state_.tree = tree;
    ++state_.version;
  }
  void raise_lower(int lower, int depth) {
    if (lower <= state_.lower && depth <= state_.depth_lower) return;
    state_.lower = std::max(lower, state_.lower);
    state_.depth_lower = std::max(depth, state_.depth_lower);
    ++state_.version;
  }
  void finish(bool infeasible = false) {
    state_.done = true;
    state_.infeasible = infeasible;
    ++state_.version;
    improver_->set_solved();
  }

  Task climb() {
    co_await improver_->greedy_start(Criterion::kEntropy);
    state_.started = true;
    co_await improver_->greedy_start(Criterion::kGini);
    co_await improver_->greedy_start(Criterion::kPureSide);
    co_await improver_->greedy_start(Criterion::kPairs);
    if (!goal_.depth_first) {
      co_await climb_size(goal_.max_depth);
      if (!state_.done) finish(true);
      co_return;
    }
    const int most = most_depth({nullptr, nullptr, examples_.count(), 0}, goal_);
    co_await climb_depth();
    for (int depth = state_.depth_lower; depth <= goal_.max_depth && !state_.done; ++depth) {
      raise_lower(0, depth);
      co_await climb_size(depth >= most ? kNoLimit : depth);
      if (!state_.done) goals_.push_back(size_goal_);
      if (depth >= most) break;
    }
    if (!state_.done) finish(true);
  }

  // Proves the least depth and keeps a tree that has it.
  Task climb_depth() {
    Subproblem<W> root{examples_.all()};
    Layer<W>& layer = facts_.depth_layer();
    facts_.look(layer, root, examples_.none());
    for (;;) {
      goals_ = {root.fact.core.lemma};
      raise_lower(root.fact.lower, root.fact.lower);
      if (root.fact.settled() || root.fact.lower > goal_.max_depth) break;
      co_await search_.raise(layer, root);
    }
    if (root.fact.solved()) co_await improver_->build(layer, root, shallow_);
    search_.release(layer, root);
  }

  // Proves the least size under a depth limit, or that it is above the limit on nodes.
  Task climb_size(int limit) {
    Layer<W>& layer = facts_.size_layer();
    if (goal_.depth_first) {
      retired_.push_back(std::move(improver_));
      improver_ = std::make_unique<Improver<W>>(search_, limit);
      improver_->offer(shallow_);
    }
    Subproblem<W> root{examples_.all()};
    root.limit = limit;
    if (static_cast<std::size_t>(limit) + 1 >= examples_.count()) root.limit = kNoLimit;
    give_twin(root);
    facts_.look(layer, root, examples_.none());
    if (root.twin && !root.fact.settled()) co_await search_.check_depth(root);
    note_root(root);
    sizing_ = true;
    if (facts_.switches().improve && !root.fact.settled()) start_improving();
    TreeNodes tree;
    const auto after = static_cast<std::uint64_t>(facts_.switches().ground_after);
    Ground<W> ground(search_, *improver_, *ground_, root.fact.core.examples);
    while (!root.fact.settled() && root.fact.lower <= goal_.max_inner) {
      if (!ground.suits(root)) {
        co_await search_.raise(layer, root);
      } else if (facts_.steps() < after) {
        co_await improver_->attempt(climb_runner_, whole_runner_, root, root.fact.lower + 1,
                                    after - facts_.steps());
      } else {
        co_await ground.raise(root, tree);
      }
      note_root(root);
    }
    sizing_ = false;
    stop_improving();
    if (root.fact.lower <= goal_.max_inner && root.fact.lower < kUnknown) {
      // Others that share the log may still be at work on their proof, and with these facts.
      if (!facts_.member()) facts_.lemmas().pause();
      if (tree.empty()) co_await improver_->build(layer, root, tree);
      take(tree);
      raise_lower(root.fact.lower, 0);
      finish();
    }
    search_.release(layer, root);
  }
  // What is proven under a depth limit counts for the goal once no deeper tree can be the optimum.
  void note_root(const Subproblem<W>& root) {
    root_lower_ = root.fact.lower;
    size_goal_ = root.fact.core.lemma;
    const bool final = !goal_.depth_first || goal_.max_inner >= kUnknown;
    if (final && root_lower_ <= goal_.max_inner && root_lower_ < kUnknown) {
      raise_lower(root_lower_, 0);
    }
  }
  void stop_improving() {
    cancel(inner_runner_);
    cancel(improve_runner_);
    improve_.reset();
    search_.use(climb_runner_);
  }
  // Calls that a chain still makes while it ends belong to the chain.
  void cancel(Runner& runner) {
    search_.use(runner);
    runner.cancel();
  }
  void start_improving() {
    search_.use(improve_runner_);
    improve_ = std::make_unique<Task>(improver_->improve(improve_runner_, inner_runner_));
    improve_->start();
    search_.use(climb_runner_);
  }

  ExampleTable<W> examples_;
  Goal goal_;
  Search<W> search_;
  Facts<W>& facts_;
  std::unique_ptr<FactMessages<W>> messages_;
  Runner climb_runner_, whole_runner_, improve_runner_, inner_runner_;
  std::unique_ptr<Improver<W>> improver_;
  std::vector<std::unique_ptr<Improver<W>>> retired_;
  std::shared_ptr<GroundSet<W>> ground_;
  SpineClimb<W> spine_;
  std::unique_ptr<Task> climb_, improve_;
  State state_;
  TreeNodes shallow_;
  std::vector<LemmaId> goals_;
  LemmaId size_goal_ = kNoLemma;
  int root_lower_ = 0;
  bool sizing_ = false;
  Turn turn_ = Turn::kClimb;
  std::uint64_t turn_end_ = 0, seen_ = 0;
  const Improver<W>* seen_of_ = nullptr;
};

}  // namespace dtfinder
