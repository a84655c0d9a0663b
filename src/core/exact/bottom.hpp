// The bottom of the search for the least depth: subproblems of small bounds.
//
// Whether some examples have a tree of depth 2, 3 or 4 is decided by shallow.hpp, for 64 examples
// at most and many times faster than by composition with all its facts. Larger subproblems mostly
// need few of their examples, too: begin with those of the core and the hardest others, look for a
// tree, and take in examples that it gets wrong, until there is no tree or none is wrong.
#pragma once

#include "exact/facts.hpp"
#include "exact/shallow.hpp"

namespace dtfinder {

template <int W>
class Bottom {
 public:
  explicit Bottom(Facts<W>& facts)
      : facts_(facts),
        examples_(facts.examples()),
        shallow_(make_shallow(facts.examples().row_words())) {}

  // Raises the bound of `s`, a subproblem of the depth layer, or solves it; false if it is not for
  // the bottom to decide, which knows one class for each example.
  bool raise(Layer<W>& layer, Subproblem<W>& s) {
    const int depth = s.fact.lower;
    if (layer.measure != Measure::kDepth || depth > facts_.switches().shallow) return false;
    if (examples_.sets()) return false;
    assert(depth >= 2);
    const std::uint64_t before = shallow_->steps();
    const bool decided = decide(layer, s, depth);
    facts_.spend(1 + shallow_->steps() - before);
    return decided;
  }

 private:
  static constexpr std::size_t kFirst = 32;     // examples to begin with
  static constexpr std::size_t kProven = 4096;  // lemmas that may be cited again

  bool decide(Layer<W>& layer, Subproblem<W>& s, int depth) {
    shallow_->clear();
    numbers_.clear();
    taken_ = examples_.none();
    s.fact.core.examples.any_of([&](std::size_t e) { return !take(e, Shallow::kMost); });
    if (numbers_.size() == Shallow::kMost) return false;
    const Word core = (Word{1} << numbers_.size()) - 1;
    const std::size_t most = s.examples.size() <= Shallow::kMost ? Shallow::kMost : kFirst;
    s.examples.without(taken_).any_of([&](std::size_t e) { return !take(e, most); });
    while (shallow_->fits(~Word{0} >> (Shallow::kMost - numbers_.size()), core, depth)) {
      const std::size_t before = numbers_.size();
      if (!take_wrong(s.examples, 0)) return false;
      if (numbers_.size() > before) continue;
      facts_.solve_by(layer, s, shallow_->tree()[0].feature, depth);
      return true;
    }
    conclude(layer, s, depth);
    return true;
  }
  // Adds an example; false if there are `most` already.
  bool take(std::size_t e, std::size_t most) {
    if (numbers_.size() >= most) return false;
    shallow_->add(examples_.row(e), examples_.label(e));
    numbers_.push_back(static_cast<std::uint32_t>(e));
    taken_.add(e);
    return true;
  }
  // Adds of every leaf below `node`, which `part` reaches, the first example that it gets wrong;
  // false if there is no room.
  bool take_wrong(const Set<W>& part, std::size_t node) {
    const Shallow::Node at = shallow_->tree()[node];
    if (at.feature < 0) {
      const Set<W> wrong = part.without(examples_.of_label(at.label));
      return wrong.empty() || take(wrong.first(), Shallow::kMost);
    }
    const Set<W>& column = examples_.column(static_cast<std::size_t>(at.feature));
    return take_wrong(part.without(column), 2 * node + 1) &&
           take_wrong(part & column, 2 * node + 2);
  }
  void conclude(Layer<W>& layer, Subproblem<W>& s, int depth) {
    Word places = shallow_->core();
    if (depth < facts_.switches().shrink_up_to) places = shallow_->narrow(places, depth);
    Core<W> core{set_of(places), depth + 1, kNoLimit, kNoLemma, Measure::kDepth};
    if (facts_.lemmas().on()) core.lemma = prove(places, core.examples, depth);
    facts_.conclude(layer, s, core);
  }
  // The lemma of a core that needs more than `depth`, with the help of earlier ones inside it.
  LemmaId prove(Word places, const Set<W>& core, int depth) {
    known_.clear();
    for (const auto& [set, bound, lemma] : proven_) {
      if (!set.inside(core)) continue;
      Word at = 0;
      for (std::size_t i = 0; i < numbers_.size(); ++i) at |= Word{set.has(numbers_[i])} << i;
      known_.push_back({at, bound, lemma});
    }
    const std::size_t before = known_.size();
    const LemmaId made = shallow_->prove(places, depth, numbers_, known_, facts_.lemmas());
    for (std::size_t i = before; i < known_.size(); ++i) {
      if (proven_.size() < kProven) proven_.push_back({examples_.none(), 0, kNoLemma});
      proven_[next_] = {set_of(known_[i].places), known_[i].bound, known_[i].lemma};
      next_ = (next_ + 1) % kProven;
    }
    return made;
  }
  Set<W> set_of(Word places) const {
    Set<W> set = examples_.none();
    for (Word left = places; left; left &= left - 1) {
      set.add(numbers_[static_cast<std::size_t>(std::countr_zero(left))]);
    }
    return set;
  }

  Facts<W>& facts_;
  const ExampleTable<W>& examples_;
  std::unique_ptr<Shallow> shallow_;
  std::vector<std::uint32_t> numbers_;  // by place: the example
  Set<W> taken_;
  struct Proven {
    Set<W> set;
    int bound;
    LemmaId lemma;
  };
  std::vector<Proven> proven_;  // the latest lemmas
  std::size_t next_ = 0;        // of these to be forgotten
  std::vector<Shallow::Proven> known_;
};

}  // namespace dtfinder
