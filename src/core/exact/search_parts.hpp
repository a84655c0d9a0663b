// Bounds of a subproblem that come from disjoint and from folded parts; packing.hpp and folding.hpp
// say why they hold. Members of Search; see search.hpp.
#pragma once

#include "exact/search.hpp"

namespace dtfinder {

// The bound that pairs give, alone or beside the core at hand, if it beats what is known.
template <int W>
bool Search<W>::find_parts(Layer<W>& layer, Subproblem<W>& s) {
  if (!switches_.parts || layer.measure != Measure::kSize) return false;
  return find_fold(layer, s) || extend_core(layer, s) || pack_pairs(layer, s);
}

// Packs pairs with folds, once for each subproblem that its ancestors' packings give hope for.
template <int W>
bool Search<W>::find_fold(Layer<W>& layer, Subproblem<W>& s) {
  if (!switches_.folds) return false;
  steps_ += folding_.advance(steps_, static_cast<std::uint64_t>(switches_.folds_after));
  if (s.fact.packed || !folding_.base()) return false;
  s.fact.packed = true;
  const Subproblem<W>* above = s.parent;
  while (above && !above->fold) above = above->parent;
  const Fold& from = above ? *above->fold : *folding_.base();
  const int k = s.fact.lower, enough = std::max(k + 1, switches_.least_fold);
  if (Folding<W>::bound(from) < enough || (s.parent && !luck_.try_at(k))) return false;
  s.fold = folding_.inherit(from, s.examples);
  steps_ += 1 + s.fold->pairs.size() / 8;
  if (Folding<W>::bound(*s.fold) < enough) return false;
  luck_.won(k);
  Core<W> core = fold_core(*s.fold);
  conclude_parts(layer, s, core, {});
  return true;
}

// The examples of the pairs of a packing, less pairs that its bound can spare.
template <int W>
Core<W> Search<W>::fold_core(const Fold& fold) {
  Core<W> core{examples_.none(), Folding<W>::bound(fold)};
  int spare = fold.total - 1 - (core.bound - 1) * Folding<W>::kFold;
  scratch_rows_.clear();
  for (std::size_t i = fold.pairs.size(); i-- > 0;) {
    const int without = std::min<int>(spare, fold.times[i]);
    spare -= without;
    const std::uint32_t a = folding_.left(fold.pairs[i]), b = folding_.right(fold.pairs[i]);
    for (int t = without; t < fold.times[i]; ++t) add_pair(core, a, b);
  }
  return core;
}

// Adds pairs to the core at hand that agree on every feature that splits it.
template <int W>
bool Search<W>::extend_core(Layer<W>& layer, Subproblem<W>& s) {
  const std::size_t words = examples_.row_words();
  steps_ += 1 + s.examples.size() / 32;
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
  scratch_rows_.clear();
  while (packing_.extend(s.examples, splitting, pair)) {
    add_pair(core, pair.a, pair.b);
    ++core.bound;
    for (std::size_t i = 0; i < words; ++i) {
      splitting[i] |= examples_.row(pair.a)[i] ^ examples_.row(pair.b)[i];
    }
  }
  if (core.bound == s.fact.lower) return false;
  conclude_parts(layer, s, core, {core.lemma});
  return true;
}

// Packs disjoint pairs, where little is known yet, or for the whole table.
template <int W>
bool Search<W>::pack_pairs(Layer<W>& layer, Subproblem<W>& s) {
  if (s.fact.lower > 2 && s.parent) return false;
  const auto& pairs = packing_.pack(s.examples);
  if (static_cast<int>(pairs.size()) <= s.fact.lower) return false;
  Core<W> core{examples_.none(), static_cast<int>(pairs.size())};
  scratch_rows_.clear();
  for (const auto& pair : pairs) add_pair(core, pair.a, pair.b);
  conclude_parts(layer, s, core, {});
  return true;
}

// A pair joins the core, and the rows of its lemma.
template <int W>
void Search<W>::add_pair(Core<W>& core, std::uint32_t a, std::uint32_t b) {
  core.examples.add(a);
  core.examples.add(b);
  scratch_rows_.insert(scratch_rows_.end(), {a, b});
}

template <int W>
void Search<W>::conclude_parts(Layer<W>& layer, Subproblem<W>& s, Core<W>& core,
                               const std::vector<LemmaId>& cited) {
  core.lemma = lemmas_->on() ? lemmas_->add(LemmaKind::kParts, Measure::kSize, core.bound,
                                            core.limit, cited, scratch_rows_)
                             : kNoLemma;
  conclude(layer, s, core);
}

}  // namespace dtfinder
