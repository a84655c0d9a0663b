// Questions about subsets of a table, put to one search that keeps all that it learns.
//
// 'Do these examples alone need n inner nodes?' is asked hundreds of times when rows are left
// out one by one, always of subsets of one table. A core that was proven inside one subset holds in
// every other that has it, and so does whatever the cache knows of a set of examples: the answer is
// often there before anything is searched. A 'yes' comes with a core, which may be far smaller than
// the subset.
//
// Each question is a call of its own chain of tasks, so it may be run in slices and given up.
#pragma once

#include <optional>

#include "exact/engine.hpp"
#include "exact/search.hpp"

namespace dtfinder {

class Questions {
 public:
  virtual ~Questions() = default;
  // Begins to ask whether the examples (as the table numbers them) need at least `bound` inner
  // nodes in trees of depth at most `limit`, or, if `depth`, at least that depth. `bound` >= 2. A
  // limit must not exceed the one that the object was made for, unless it is kNoLimit.
  virtual void ask(const std::vector<std::int64_t>& examples, int bound, int limit, bool depth) = 0;
  // Searches for about `steps` more steps; the answer, if it is found by then.
  virtual std::optional<bool> run(std::uint64_t steps) = 0;
  // After a yes: examples among those asked about that need as much.
  virtual std::vector<std::int64_t> core() const = 0;
  // The lemma that says so; kNoLemma unless a proof was asked for.
  virtual LemmaId lemma() const = 0;
  // The lemmas that these rest on, themselves included, and the places of these among them.
  virtual std::pair<LemmaArrays, std::vector<LemmaId>> lemmas(
      const std::vector<LemmaId>& goals) const = 0;
  virtual std::size_t lemma_bytes() const = 0;
  // The work of all questions so far.
  virtual std::uint64_t steps() const = 0;
};

std::unique_ptr<Questions> make_questions(const RawTable& table, int max_limit, std::size_t memory,
                                          bool proof);

template <int W>
class QuestionsOf final : public Questions {
 public:
  QuestionsOf(const RawTable& table, int max_limit, std::size_t memory, bool proof)
      : examples_(table),
        search_(examples_, switches_for(proof), max_limit),
        memory_(memory),
        place_(table.rows) {
    search_.use(runner_);
    for (std::size_t e = 0; e < examples_.count(); ++e) place_[examples_.original(e)] = e;
  }
  ~QuestionsOf() override { runner_.cancel(); }

  Runner& runner() { return runner_; }

  void ask(const std::vector<std::int64_t>& examples, int bound, int limit, bool depth) override {
    assert(bound >= 2 && !examples.empty());
    runner_.cancel();
    chain_.reset();
    if (search_.bytes() > memory_) search_.facts().drop(true);
    Set<W> set = examples_.none();
    for (std::int64_t e : examples) set.add(place_.at(static_cast<std::size_t>(e)));
    answer_.reset();
    chain_ = std::make_unique<Task>(find(set, bound, limit, depth));
    chain_->start();
  }
  std::optional<bool> run(std::uint64_t steps) override {
    const std::uint64_t end = search_.facts().steps() + steps;
    runner_.run([&] { return search_.facts().steps() >= end; });
    if (chain_ && chain_->done()) chain_->rethrow();
    return answer_;
  }
  std::uint64_t steps() const override { return search_.facts().steps(); }
  LemmaId lemma() const override { return lemma_; }
  std::pair<LemmaArrays, std::vector<LemmaId>> lemmas(
      const std::vector<LemmaId>& goals) const override {
    std::vector<LemmaId> places;
    LemmaArrays found = search_.facts().lemmas().trimmed(
        goals, [&](std::size_t e) { return examples_.original(e); }, &places);
    return {std::move(found), std::move(places)};
  }
  std::size_t lemma_bytes() const override { return search_.facts().lemmas().bytes(); }
  std::vector<std::int64_t> core() const override {
    std::vector<std::int64_t> examples;
    core_.each([&](std::size_t e) {
      examples.push_back(static_cast<std::int64_t>(examples_.original(e)));
    });
    return examples;
  }

 private:
  static EngineSwitches switches_for(bool proof) {
    EngineSwitches switches;
    switches.proof = proof;
    return switches;
  }
  Task find(Set<W> set, int bound, int limit, bool depth) {
    Facts<W>& facts = search_.facts();
    Layer<W>& layer = depth ? facts.depth_layer() : facts.size_layer();
    Subproblem<W> root{set};
    // A tree in which every node splits its examples is less deep than there are examples.
    if (!depth && static_cast<std::size_t>(limit) + 1 < set.size()) root.limit = limit;
    give_twin(root);
    facts.look(layer, root, examples_.none());
    if (root.twin && !root.fact.settled()) co_await search_.check_depth(root);
    while (!root.fact.settled() && root.fact.lower < bound) co_await search_.raise(layer, root);
    answer_ = root.fact.lower >= bound;
    core_ = root.fact.core.examples;
    lemma_ = root.fact.core.lemma;
    search_.release(layer, root);
  }

  ExampleTable<W> examples_;
  Search<W> search_;
  Runner runner_;
  std::unique_ptr<Task> chain_;
  std::size_t memory_;
  std::vector<std::size_t> place_;  // by the table's number: the search's
  std::optional<bool> answer_;
  Set<W> core_;
  LemmaId lemma_ = kNoLemma;
};

}  // namespace dtfinder
