// How a run goes: a greedy tree, then bounds climb while trees improve, turn by turn.
//
// Two chains of calls take turns of a fixed number of steps. `climb` proves bounds on the root,
// from few inner nodes (or little depth) up; `Improver::improve` finds trees. What comes from
// outside between two slices counts like their work: where it closes the question that `climb` is
// at, climb starts anew, with all facts at hand.
#pragma once

#include "front/build.hpp"
#include "front/error_proof.hpp"
#include "front/improve.hpp"
#include "front/known.hpp"

namespace dtfinder::front {

class Run final : public Known {
 public:
  Run(const RawWeights& raw, const Goal& goal, const Switches& switches)
      : Known(raw, goal),
        search_(table_, switches),
        improver_(search_, trees_, max_inner_, goal.max_depth) {
    if (goal.max_depth < 0 || goal.max_inner < 0)
      throw std::invalid_argument("limits must not be negative");
    if (goal.kind == Goal::kCost) {
      if (goal.max_inner < kUnlimited)
        throw std::invalid_argument("a cost has no limit on inner nodes");
      if (goal.error_price <= 0 || goal.leaf_price < 0)
        throw std::invalid_argument("prices must be positive");
    }
    search_.make_root(root_);
    choose_price();
    if (goal.kind == Goal::kCost) state_.lower.cost = cost_of(0, 0);
    search_.use(climb_runner_);
    start_climb();
    turn_end_ = kTurn;
    trees_.offer({{-1, -1, -1, 0}});
    publish();
  }
  ~Run() override {
    cancel(improve_runner_);
    cancel(climb_runner_);
  }

  Runner& runner() { return search_.runner(); }
  std::uint64_t steps() const override { return search_.steps(); }
  std::size_t bytes() const override {
    return table_.bytes() + search_.bytes() + root_.bytes() + trees_.bytes() +
           (search_.lemmas() ? search_.lemmas()->bytes() : 0);
  }

  void raise_lower(int inner, Value errors) override {
    note_lower(inner, errors - table_.unavoidable());
    if (goal_.kind == Goal::kCost) note_cost(cost_by_sizes());
    publish();
    if (!state_.done && closed()) restart();
  }
  void offer(const TreeNodes& tree) override {
    if (tree.empty()) throw std::invalid_argument("not a tree");
    take(tree);
    publish();
    if (!state_.done && closed()) restart();
  }

  void join(Engine& other) override {
    auto& first = dynamic_cast<Run&>(other);
    if (!first.search_.member()) first.search_.member().join(std::make_shared<FactExchange>());
    search_.member().join(first.search_.member().exchange());
  }
  void share(std::size_t owner, std::size_t owners) override {
    if (!search_.member()) search_.member().join(std::make_shared<FactExchange>());
    search_.member().own(owner, owners);
    if (!messages_)
      messages_ = std::make_unique<FactMessages>(table_, rows_, search_.member().exchange());
  }
  std::string write_facts(std::size_t most) override { return messages().write(most); }
  void read_facts(const std::string& text) override { messages().read(text); }

  std::pair<Value, Value> prices() const override { return {price_.unit, price_.inner}; }
  std::optional<std::string> proof(const std::vector<Shown>& elsewhere) const override {
    if (!search_.lemmas() || !search_.lemmas()->on()) return {};
    std::vector<ErrorProof::Claim> claims =
        priced_ ? std::vector<ErrorProof::Claim>{priced_claim()} : this->claims();
    std::erase_if(claims, [&](const ErrorProof::Claim& claim) {
      return std::any_of(elsewhere.begin(), elsewhere.end(), [&](const Shown& each) {
        return each.inner >= claim.budget.inner &&  // within the same depth
               each.errors - table_.unavoidable() >= claim.bound;
      });
    });
    return ErrorProof(*search_.lemmas(), table_).text(claims);
  }

  void run(std::uint64_t steps) override {
    const std::uint64_t end = search_.steps() + steps;
    const bool started = state_.started;
    while (!state_.done && search_.steps() < end && state_.started == started) {
      receive();
      const std::uint64_t until = std::min(end, turn_end_);
      Runner& runner = improving_ ? improve_runner_ : climb_runner_;
      search_.use(runner);
      runner.run([&] {
        publish();
        return state_.done || search_.steps() >= until || state_.started != started ||
               (improving_ && closed());
      });
      if (climb_->done()) climb_->rethrow();
      if (improve_ && improve_->done()) improve_->rethrow();
      if (state_.done) break;
      if (improving_ && closed()) restart();
      if (search_.steps() >= turn_end_ || !runner.top) next_turn();
    }
  }

 private:
  static constexpr std::uint64_t kTurn = 4000;
  static constexpr std::uint64_t kPatience = 4'000'000;  // steps until a cost is asked in parts
  static constexpr int kParts = 3;
  static constexpr std::uint64_t kLateImprover = 2'000'000;  // steps until a quick run has one

  FactMessages& messages() {
    if (!messages_) throw std::logic_error("messages need share() first");
    return *messages_;
  }
  void receive() {
    if (!search_.member()) return;
    search_.receive(root_.view.rows, [&](const Budget& budget, const Bounds& bounds) {
      if (!priced_ && budget.covers(simplest({budget.inner, goal_.max_depth}))) {
        note_lower(budget.inner, bounds.lower);
      }
    });
    publish();
    if (!state_.done && closed()) restart();
  }

  // A cost is searched with its prices. So are the fewest errors within a depth, and of those the
  // fewest inner nodes: a unit of errors costs more than all inner nodes that a tree may have.
  void choose_price() {
    if (goal_.kind == Goal::kCost) {
      price_ = {goal_.error_price, goal_.leaf_price};
    } else if (goal_.kind == Goal::kErrors && goal_.smallest && !goal_.depth_first &&
               goal_.max_depth < kUnlimited && goal_.max_inner >= largest(goal_.max_depth)) {
      const Value inner =
          std::min<Value>(largest(goal_.max_depth), static_cast<Value>(table_.rows()));
      if (root_.view.weight < kNever / 4 / (inner + 1)) price_ = {inner + 1, 1};
    }
    priced_ = price_.inner > 0 || goal_.kind == Goal::kCost;
    if (priced_) search_.set_price(price_);
  }

  // The fewest errors within a depth are often proven within milliseconds, and the search for them
  // finds good trees by itself. The improver has short turns when it takes longer. But once the
  // greedy tree is nearly right, the improver may find one that is: then no other has fewer errors.
  bool quick() const { return priced_ && goal_.kind == Goal::kErrors; }
  bool near_end() const { return 20 * trees_.errors(max_inner_) <= root_.view.weight; }

  ErrorProof::Claim priced_claim() const {
    const Value errors = state_.best.errors - table_.unavoidable();
    return {{kPriced, goal_.max_depth}, price_.unit * errors + price_.inner * state_.best.inner};
  }
  void start_climb() {
    search_.use(climb_runner_);
    climb_ = std::make_unique<Task>(climb());
    climb_->start();
  }
  void cancel(Runner& runner) {
    search_.use(runner);
    runner.cancel();
  }
  void restart() {
    cancel(climb_runner_);
    asking_ = false;
    start_climb();
  }
  void next_turn() {
    const bool can = search_.switches().improve && state_.started &&
                     !improver_.idle(asked_.inner) && !(quick() && search_.steps() < kLateImprover);
    improving_ = !improving_ && (can || (improve_ && !improve_->done()));
    if (improving_ && (!improve_ || improve_->done())) {
      search_.use(improve_runner_);
      improve_ = std::make_unique<Task>(improver_.improve(root_copy(), focus_));
      improve_->start();
    }
    turn_end_ = search_.steps() + (!improving_ ? kTurn : quick() ? kTurn / 16 : kTurn / 2);
    const std::size_t memory = search_.switches().memory;
    if (memory && search_.bytes() > memory) search_.drop_facts();
    if (memory && search_.lemmas() && search_.lemmas()->bytes() > memory) search_.lemmas()->drop();
    if (goal_.kind == Goal::kCost && asking_ && !in_parts_ && search_.steps() >= kPatience) {
      in_parts_ = true;
      restart();
    }
  }
  // The improver counts on a root of its own, as the search may be in the middle of its one.
  Node& root_copy() {
    if (root_of_improver_.view.words == 0 && table_.rows() > 0)
      search_.make_copy(root_, root_of_improver_);
    return root_of_improver_;
  }

  // What `climb` tries to prove or refute at the moment: trees within `budget` with less than
  // `limit`.
  struct Question {
    Budget budget{0, 0};
    Value limit = 0;
    int inner = 0;
  };
  // Whether the question has been answered from elsewhere.
  bool closed() const {
    if (!asking_) return false;
    if (priced_) return least_cost_ >= best_cost();
    if (asked_.budget.depth != simplest({asked_.budget.inner, goal_.max_depth}).depth) return false;
    const Value upper = trees_.errors(asked_.budget.inner);
    if (goal_.kind == Goal::kFront || !target_known_)
      return lower(asked_.budget.inner) >= std::min(upper, useful(asked_.budget.inner));
    return upper < asked_.limit || lower(asked_.budget.inner) >= asked_.limit;
  }

  void take(const TreeNodes& tree) { trees_.offer(tree); }

  // Asks whether the root has a tree within the budget that undercuts `limit`; such trees go to
  // `trees`. Where the best is sought each is told at once, and what is left is asked again.
  Task ask(Budget budget, Value limit, Trees& trees, Bounds& bounds) {
    if (budget.inner >= 0) focus_ = budget.inner;
    const bool best = priced_ || !target_known_;
    for (bool open = true; open; limit = bounds.upper) {
      asked_ = {budget, limit, budget.inner};
      asking_ = true;
      search_.watch(best ? &root_ : nullptr);
      co_await search_.solve(root_, simplest(budget), limit, bounds);
      search_.watch(nullptr);
      asking_ = false;
      if (bounds.upper >= limit) co_return;
      open = bounds.lower < bounds.upper;
      TreeNodes tree(1);
      co_await builder_.build(root_, simplest(budget), bounds.upper, tree, 0);
      trees.offer(std::move(tree));
      publish();
    }
  }

  Task climb() {
    if (!state_.started) {
      co_await improver_.start(root_, quick());
      state_.started = true;
      ++state_.version;
      if (!quick() || near_end()) co_await improver_.go_on(root_);
    }
    if (goal_.kind == Goal::kFront) co_await climb_front();
    if (goal_.kind == Goal::kErrors && !priced_) co_await climb_errors();
    if (goal_.kind == Goal::kSize) {
      target_ = goal_.max_errors - table_.unavoidable();
      target_known_ = true;
      co_await climb_sizes();
    }
    if (priced_) co_await climb_cost();
  }

  // Solves every size, from the smallest.
  Task climb_sizes_of_front() {
    for (int n = 0; n <= max_inner_; ++n) {
      if (trees_.errors(n) <= table_.least_errors() || useful(n) <= 0) co_return;
      const Value limit = std::min(trees_.errors(n), useful(n));
      if (lower(n) >= limit) continue;
      Bounds bounds;
      co_await ask({n, goal_.max_depth}, limit, trees_, bounds);
      note_lower(n, bounds.lower);
      publish();
      co_await Yield{search_.runner()};
    }
  }
  Task climb_front() {
    co_await climb_sizes_of_front();
    finish();
  }
  Task climb_errors() {
    if (!target_known_) {
      const int last = std::min(max_inner_, trees_.sizes() - 1);
      if (goal_.max_inner < largest(goal_.max_depth)) {
        co_await climb_sizes_of_front();
      } else if (goal_.max_depth < kUnlimited && trees_.errors(last) > all_lower_) {
        Bounds bounds;
        co_await ask({max_inner_, goal_.max_depth}, trees_.errors(max_inner_), trees_, bounds);
        note_lower(max_inner_, bounds.lower);
      }
      target_ = goal_.max_depth >= kUnlimited && goal_.max_inner >= kUnlimited
                    ? table_.least_errors()
                    : trees_.errors(max_inner_);
      all_lower_ = target_;
      target_known_ = true;
      changed_ = true;
      publish();
      co_await Yield{search_.runner()};
    }
    if (goal_.smallest) {
      co_await climb_sizes();
    } else {
      finish();
    }
  }

  // The fewest inner nodes, or least depth and then fewest inner nodes, with at most `target_`
  // errors.
  Task climb_sizes() {
    if (target_ < table_.least_errors()) {
      finish(true);
      co_return;
    }
    if (!goal_.depth_first) {
      co_await climb_nodes(goal_.max_depth, trees_);
      if (!state_.done) finish(true);
      co_return;
    }
    const int deepest = std::min(goal_.max_depth, static_cast<int>(table_.features()));
    for (int depth = state_.lower.depth; depth <= deepest; ++depth) {
      raise(0, depth);
      if (!shallow_ || shallow_depth_ != depth) {
        shallow_ = std::make_unique<Trees>(table_, goal_.max_inner, depth);
        shallow_depth_ = depth;
        shallow_->offer({{-1, -1, -1, 0}});
        for (int n = 0; n < trees_.sizes(); ++n) shallow_->offer(trees_.entry(n).tree);
      }
      const int most = std::min(goal_.max_inner, largest(depth));
      if (shallow_->errors(most) > target_) {
        Bounds bounds;
        co_await ask({most, depth}, target_ + 1, *shallow_, bounds);
      }
      if (shallow_->errors(most) > target_) continue;
      co_await climb_nodes(depth, *shallow_);
      co_return;
    }
    finish(true);
  }
  // Refutes sizes from the smallest up to the first that has a tree.
  Task climb_nodes(int depth, Trees& trees) {
    const int most = std::min(goal_.max_inner, largest(depth));
    for (int n = 0; n <= most; ++n) {
      raise(n, 0);
      if (&trees == &trees_ && lower(n) > target_) continue;
      if (trees.errors(n) > target_) {
        Bounds bounds;
        co_await ask({n, depth}, target_ + 1, trees, bounds);
        if (&trees == &trees_) note_lower(n, bounds.lower);
      }
      if (trees.errors(n) <= target_) {
        changed_ = true;
        finish();
        co_return;
      }
      publish();
      co_await Yield{search_.runner()};
    }
  }
  // Whether any tree costs less than the best is one question, and its answer may take for ever.
  // So after a while it is asked in parts: whether any costs less than half of that, and so on.
  // Facts of one part serve the next.
  Task climb_cost() {
    for (int parts = 0; least_cost_ < best_cost(); ++parts) {
      Value limit = best_cost();
      if (in_parts_ && parts < kParts) limit -= (limit - least_cost_) / 2;
      Bounds bounds;
      co_await ask({kPriced, goal_.max_depth}, limit, trees_, bounds);
      note_cost(bounds.lower);
      publish();
      co_await Yield{search_.runner()};
    }
    finish();
  }
  // By the prices of the goal, or of the search.
  Value best_cost(const Price& price) const {
    Value best = kNever;
    for (int n = 0; n < trees_.sizes(); ++n) {
      best = std::min(best, price.unit * trees_.errors(n) + price.inner * n);
    }
    return best;
  }
  Value best_cost() const { return best_cost(price_); }
  // What every tree costs at least, as far as bounds on the errors of each size tell.
  Value cost_by_sizes() const {
    const Value best = best_cost();
    Value least = best;
    for (int n = 0; price_.inner * n < least; ++n) {
      least = std::min(least, price_.unit * lower(n) + price_.inner * n);
      if (n >= max_inner_ || static_cast<std::size_t>(n) >= lower_.size()) break;
    }
    return least;
  }
  // Trees of this size are of use if they make fewer errors than this: with more, they cost as much
  // as the best.
  Value useful(int inner) const {
    if (!goal_.cheapest) return kNever;
    const Value left = best_cost({goal_.error_price, goal_.leaf_price}) - goal_.leaf_price * inner;
    return left <= 0 ? 0 : (left + goal_.error_price - 1) / goal_.error_price;
  }
  // A bound on what every tree costs by the prices of the search. Among the fewest errors, a unit
  // of errors costs more than all inner nodes.
  void note_cost(Value cost) {
    if (cost <= least_cost_) return;
    least_cost_ = cost;
    changed_ = true;
    if (goal_.kind == Goal::kCost) {
      state_.lower.cost = cost + cost_of(0, 0);
    } else {
      all_lower_ = std::max(all_lower_, cost / price_.unit);
    }
  }

  Search search_;
  Price price_;
  bool priced_ = false, in_parts_ = false;
  Value least_cost_ = 0;  // proven, by the prices of the search
  int shallow_depth_ = -1;
  Builder builder_{search_};
  Improver improver_;
  Node root_, root_of_improver_;
  Runner climb_runner_, improve_runner_;
  std::unique_ptr<Task> climb_, improve_;
  std::unique_ptr<FactMessages> messages_;
  Value target_ = 0;
  bool target_known_ = false, asking_ = false, improving_ = false;
  Question asked_;
  int focus_ = 0;
  std::uint64_t turn_end_ = 0;
};

}  // namespace dtfinder::front
