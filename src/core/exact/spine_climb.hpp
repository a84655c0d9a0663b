// The spine's part in a run of the engine: when it is worth trying, and its ladder of questions.
//
// Most tables are proven by cores long before a linear program is set up, and most of the others
// have features that are far from rare. So the spine (spine/spine.hpp) is considered only
// after some steps, and only where its program is small. From then on it asks whether there is a
// tree of as many nodes as the lower bound says: a no raises the bound by one, a yes brings the
// optimal tree. Engines that have joined work on the same question.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>

#include "exact/engine_switches.hpp"
#include "shared/example_table.hpp"
#include "spine/cases.hpp"
#include "spine/spine.hpp"

namespace dtfinder {

template <int W>
class SpineClimb {
 public:
  SpineClimb(const ExampleTable<W>& examples, const EngineSwitches& switches)
      : examples_(examples),
        record_(switches.proof),
        after_(static_cast<std::uint64_t>(switches.spine_after)),
        cases_(Spine::make_cases(record_)) {}

  // Works on the same cases as `other` from now on; neither has run.
  void join(const SpineClimb& other) { cases_ = other.cases_; }
  // Other processes work on the same questions: this is number `owner` of them.
  void share(std::size_t owner) { owner_ = owner; }
  // Facts for them: classes of the spine's leaf that are refuted, a line each (fact_messages.hpp).
  std::string write_facts() {
    std::istringstream lines(cases_->write());
    std::string text;
    for (std::string each; std::getline(lines, each);) text += kFact + each + '\n';
    return text;
  }
  // Takes the lines that are such facts out of a message; returns the others.
  std::string read_facts(const std::string& text) {
    std::istringstream lines(text);
    std::string others;
    for (std::string each; std::getline(lines, each);) {
      std::istringstream words(each);
      std::string work, number, kind;
      int most = -1, label = -1;
      words >> work >> number >> kind;
      if (kind != "spine") {
        others += each + '\n';
        continue;
      }
      words >> most >> label;
      const int count = static_cast<int>(examples_.count());
      if (!words || !words.eof() || most < 0 || most >= count - 1 || label < 0 || label >= count) {
        throw std::invalid_argument("not a fact about this table: " + each.substr(0, 100));
      }
      cases_->read(most, label);
    }
    return others;
  }
  // Whether it takes part from now on, `steps` steps into the run.
  bool takes_part(std::uint64_t steps) {
    if (!considered_ && steps >= after_) {
      considered_ = true;
      if (examples_.count() <= Spine::kMostExamples) {
        SpineTable table = spine_table();
        if (Spine::suits(table)) spine_ = std::make_unique<Spine>(std::move(table), cases_);
        if (spine_ && owner_) spine_->start_with(*owner_);
      }
    }
    return spine_ != nullptr;
  }

  // Works for about `steps` steps on raising `lower`, what anyone has proven; returns how many it
  // took. Only while it takes part.
  std::uint64_t run(std::uint64_t steps, int lower) {
    assert(spine_);
    const std::uint64_t before = spine_->steps();
    learn();
    const int least = std::max(lower, lower_);
    if (spine_->asked() < least) spine_->ask(least);
    const Spine::Status status = spine_->run(steps);
    learn();
    idle_ = status != Spine::Status::kOpen && status != Spine::Status::kNone;
    if (status == Spine::Status::kTree) tree_ = spine_->tree();
    if (status == Spine::Status::kGaveUp) {
      give_up();
      return kSetUp;
    }
    return spine_->steps() - before;
  }
  // No more questions; what was proven stays.
  void give_up() {
    if (!spine_) return;
    spine_->stop();
    if (record_ && lower_ > 0) finished_ = std::move(spine_);
    spine_.reset();
  }

  // Whether there is nothing to do here until others get further: then `run` may take no steps.
  bool idle() const { return idle_; }
  int lower() const { return lower_; }             // proven by the spine; 0 for nothing
  const TreeNodes& tree() const { return tree_; }  // the smallest; empty for none
  std::size_t bytes() const { return spine_ ? spine_->bytes() : 0; }
  // The proof of `lower`, if it was recorded.
  std::string proof(const std::int64_t* row_of_example) const {
    const auto& whose = spine_ ? spine_ : finished_;
    return record_ && whose && lower_ > 0 ? whose->proof(row_of_example) : std::string{};
  }

 private:
  // The start of a fact: the work it took, which is much, and no lemma.
  static constexpr const char* kFact = "1000000000 - spine ";
  static constexpr std::uint64_t kSetUp = 1000;  // steps, for a turn that came to nothing

  // What anyone has refuted.
  void learn() { lower_ = std::max(lower_, spine_->refuted() + 1); }
  SpineTable spine_table() const {
    std::vector<std::size_t> place(examples_.count());  // by the caller's number: ours
    for (std::size_t e = 0; e < examples_.count(); ++e) place[examples_.original(e)] = e;
    SpineTable table = SpineTable::of(
        examples_.count(), examples_.features(),
        [&](std::size_t e) { return static_cast<int>(examples_.label(place[e])); },
        [&](std::size_t e, std::size_t f) { return examples_.bit(place[e], f); });
    if (!examples_.sets()) return table;
    table.classes = static_cast<int>(examples_.classes());
    table.sets.assign(examples_.labels() * examples_.classes(), true);
    for (std::size_t c = 0; c < examples_.classes(); ++c) {
      for (std::uint32_t l : examples_.labels_against(c)) {
        table.sets[l * examples_.classes() + c] = false;
      }
    }
    return table;
  }

  const ExampleTable<W>& examples_;
  bool record_, considered_ = false, idle_ = false;
  std::uint64_t after_;
  std::optional<std::size_t> owner_;
  std::shared_ptr<SpineCases> cases_;
  std::unique_ptr<Spine> spine_, finished_;
  int lower_ = 0;
  TreeNodes tree_;
};

}  // namespace dtfinder
