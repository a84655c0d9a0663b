// Lower bounds of a subproblem from pairs of examples: packed with folds, added to the core at
// hand, or packed without folds. packing.hpp and folding.hpp say why they hold.
#pragma once

#include "exact/facts.hpp"
#include "exact/success_rate.hpp"

namespace dtfinder {

template <int W>
class PairBounds {
 public:
  explicit PairBounds(Facts<W>& facts)
      : facts_(facts),
        examples_(facts.examples()),
        switches_(facts.switches()),
        packing_(examples_),
        folding_(examples_, packing_) {}

  // Whether pairs give a better bound of `s` than what is known; then `s` has it.
  bool find(Layer<W>& layer, Subproblem<W>& s) {
    assert(!s.fact.settled());
    if (!switches_.parts || layer.measure != Measure::kSize) return false;
    return find_fold(layer, s) || extend_core(layer, s) || pack(layer, s);
  }
  void release(Subproblem<W>& s) { folding_.release(s.fold); }
  std::size_t bytes() const { return folding_.bytes(); }

 private:
  // Packs pairs with folds, once for each subproblem that its ancestors' packings give hope for.
  bool find_fold(Layer<W>& layer, Subproblem<W>& s) {
    if (!switches_.folds) return false;
    facts_.spend(
        folding_.advance(facts_.steps(), static_cast<std::uint64_t>(switches_.folds_after)));
    if (s.fact.packed || !folding_.base()) return false;
    s.fact.packed = true;
    const Subproblem<W>* above = s.parent;
    while (above && !above->fold) above = above->parent;
    const Fold& from = above ? *above->fold : *folding_.base();
    const int k = s.fact.lower, enough = std::max(k + 1, switches_.least_fold);
    if (Folding<W>::bound(from) < enough || (s.parent && !success_.worth_trying(k))) return false;
    s.fold = folding_.inherit(from, s.examples);
    facts_.spend(1 + s.fold->pairs.size() / 8);
    if (Folding<W>::bound(*s.fold) < enough) return false;
    success_.succeeded(k);
    conclude(layer, s, fold_core(*s.fold), {});
    return true;
  }

  // The examples of the pairs of a packing, without pairs that its bound does not need.
  Core<W> fold_core(const Fold& fold) {
    Core<W> core{examples_.none(), Folding<W>::bound(fold)};
    int spare = fold.total - 1 - (core.bound - 1) * Folding<W>::kFold;
    rows_.clear();
    for (std::size_t i = fold.pairs.size(); i-- > 0;) {
      const int without = std::min<int>(spare, fold.times[i]);
      spare -= without;
      const std::uint32_t a = folding_.left(fold.pairs[i]), b = folding_.right(fold.pairs[i]);
      for (int t = without; t < fold.times[i]; ++t) add_pair(core, a, b);
    }
    return core;
  }

  // Adds pairs to the core at hand that agree on every feature that splits it.
  bool extend_core(Layer<W>& layer, Subproblem<W>& s) {
    const std::size_t words = examples_.row_words();
    facts_.spend(1 + s.examples.size() / 32);
    std::vector<Word> splitting(words), zero(words);
    s.fact.core.examples.each([&](std::size_t e) {
      for (std::size_t i = 0; i < words; ++i) {
        splitting[i] |= examples_.row(e)[i];
        zero[i] |= ~examples_.row(e)[i];
      }
    });
    for (std::size_t i = 0; i < words; ++i) splitting[i] &= zero[i];
    Core<W> core = s.fact.core;
    typename Packing<W>::Pair pair{};
    rows_.clear();
    while (packing_.extend(s.examples, splitting, pair)) {
      add_pair(core, pair.a, pair.b);
      ++core.bound;
      for (std::size_t i = 0; i < words; ++i) {
        splitting[i] |= examples_.row(pair.a)[i] ^ examples_.row(pair.b)[i];
      }
    }
    if (core.bound == s.fact.lower) return false;
    conclude(layer, s, core, {core.lemma});
    return true;
  }

  // Packs disjoint pairs, where little is known yet, or for the whole table.
  bool pack(Layer<W>& layer, Subproblem<W>& s) {
    if (s.fact.lower > 2 && s.parent) return false;
    const auto& pairs = packing_.pack(s.examples);
    if (static_cast<int>(pairs.size()) <= s.fact.lower) return false;
    Core<W> core{examples_.none(), static_cast<int>(pairs.size())};
    rows_.clear();
    for (const auto& pair : pairs) add_pair(core, pair.a, pair.b);
    conclude(layer, s, core, {});
    return true;
  }

  // A pair joins the core, and the rows of its lemma.
  void add_pair(Core<W>& core, std::uint32_t a, std::uint32_t b) {
    core.examples.add(a);
    core.examples.add(b);
    rows_.insert(rows_.end(), {a, b});
  }
  void conclude(Layer<W>& layer, Subproblem<W>& s, Core<W> core,
                const std::vector<LemmaId>& cited) {
    facts_.record(core, LemmaKind::kParts, cited, rows_);
    facts_.conclude(layer, s, core);
  }

  Facts<W>& facts_;
  const ExampleTable<W>& examples_;
  const EngineSwitches& switches_;
  Packing<W> packing_;
  Folding<W> folding_;
  SuccessRate success_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace dtfinder
