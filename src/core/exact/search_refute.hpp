// How the features of an attempt are refuted by stored cores, and by the cores of two searched
// sides: what goes into a growth (composition.hpp). Members of Search; see search.hpp.
#pragma once

#include "exact/search.hpp"

namespace dtfinder {

// Notes every stored core inside the grown set.
template <int W>
void Search<W>::note_inside(Layer<W>& layer, Subproblem<W>& s, Growth<W>& growth) {
  growth.refreshed();
  if (!switches_.store) return;
  auto note_layer = [&](Layer<W>& from, Subproblem<W>& at, int low, int high, int limit) {
    for (int b = std::min(high, from.store.top()); b >= low; --b) {
      auto& level = from.store.level(b);
      if (level.used == 0 || (from.measure == growth.measure() && !growth.wants(b))) continue;
      const Word* slots = from.inside.slots(at, b);
      Word* noted = growth.noted(b, from.store.slot_words(), from.measure);
      for (std::size_t i = 0; i < words_for(level.used); ++i) {
        for (Word left = slots[i] & ~noted[i]; left; left &= left - 1) {
          const std::size_t slot = i * 64 + static_cast<std::size_t>(std::countr_zero(left));
          const Core<W>& core = level.cores[slot];
          ++steps_;
          if (core.limit < limit || !core.examples.inside(growth.grown())) continue;
          noted[i] |= left & -left;
          if (growth.note(core, from.store.ones_of(level, slot),
                          from.store.zeros_of(level, slot))) {
            level.fresh[i] |= Word{1} << (slot % 64);
          }
        }
      }
    }
  };
  const int limit = s.limit < kNoLimit ? s.limit - 1 : kNoLimit;
  const int low = layer.measure == Measure::kSize ? 2 : growth.bound();
  note_layer(layer, s, low, layer.store.top(), limit);
  if (s.twin) note_layer(depth_, *s.twin, s.limit, depth_.store.top(), kNoLimit);
}

// The largest bound (up to `most`) of a stored core on that side of `f` in `s`, and the core of
// that bound which adds fewest examples to `grown`.
template <int W>
int Search<W>::stored_side(Layer<W>& layer, Subproblem<W>& s, std::size_t f, bool one, int most,
                           int least, int limit, const Set<W>* grown, const Core<W>** best) {
  *best = nullptr;
  for (int b = std::min(most, layer.store.top()); b >= std::max(least, 2); --b) {
    auto& level = layer.store.level(b);
    if (level.used == 0) continue;
    const Word* slots = layer.inside.slots(s, b);
    const Word* side = layer.store.side(level, f, one);
    std::size_t fewest = ~std::size_t{0};
    for (std::size_t i = 0; i < words_for(level.used); ++i) {
      for (Word left = slots[i] & side[i]; left; left &= left - 1) {
        const Core<W>& core =
            level.cores[i * 64 + static_cast<std::size_t>(std::countr_zero(left))];
        if (core.limit < limit) continue;
        if (!grown) {
          *best = &core;
          return b;
        }
        const std::size_t added = core.examples.count_outside(*grown);
        if (added < fewest) {
          fewest = added;
          *best = &core;
        }
      }
    }
    if (*best) return b;
  }
  return 0;
}

// Whether stored cores refute `f` in `s`; if asked, the growth absorbs them.
template <int W>
bool Search<W>::refute_stored(Layer<W>& layer, Subproblem<W>& s, Growth<W>& growth, std::size_t f,
                              bool absorb) {
  if (!switches_.store) return false;
  const int k = growth.bound();
  steps_ += 2;
  const int limit = s.limit < kNoLimit ? s.limit - 1 : kNoLimit;
  const Core<W>* found[2] = {nullptr, nullptr};
  int bound[2];
  const bool depth = layer.measure == Measure::kDepth;
  for (int one = 0; one < 2; ++one) {
    const int own = growth.side(f, one);
    const int least = std::max(own + 1, depth ? k : one ? k - bound[0] : 2);
    bound[one] = stored_side(layer, s, f, one, k, least, limit, absorb ? &growth.grown() : nullptr,
                             &found[one]);
    if (!found[one]) bound[one] = own;
  }
  if (depth ? std::max(bound[0], bound[1]) < k : bound[0] + bound[1] < k) return false;
  if (!absorb) return true;
  for (int one = 0; one < 2; ++one) {
    if (!found[one]) continue;
    if (depth && growth.refutes(f)) break;
    const Core<W> core = *found[one];
    auto& level = layer.store.level(core.bound);
    const std::size_t slot = static_cast<std::size_t>(found[one] - level.cores.data());
    level.fresh[slot / 64] |= Word{1} << (slot % 64);
    growth.absorb(core.examples);
    growth.note(core, layer.store.ones_of(level, slot), layer.store.zeros_of(level, slot));
  }
  return true;
}

// Takes a side's core into the growth, if the growth does not know as much already.
template <int W>
void Search<W>::absorb_side(Growth<W>& growth, const Subproblem<W>& side, int needed) {
  const int lower = side.fact.lower;
  if (growth.side(static_cast<std::size_t>(side.feature), side.one) >= std::min(needed, lower)) {
    return;
  }
  if (lower == 1) {
    growth.absorb(opposite_pair(side.examples, growth.grown()));
    return;
  }
  const std::size_t words = examples_.row_words();
  const Core<W>& core = side.fact.core;
  growth.absorb(core.examples);
  if (core.bound < 2) return;  // an impure side under depth limit 0: its two classes say it all
  std::vector<Word> masks(2 * words, ~Word{0});
  core.examples.each([&](std::size_t e) {
    for (std::size_t i = 0; i < words; ++i) {
      masks[i] &= examples_.row(e)[i];
      masks[words + i] &= ~examples_.row(e)[i];
    }
  });
  growth.note(core, masks.data(), masks.data() + words);
}

// Whether the skipped singleton cuts may stay skipped; adds examples to the growth if need be.
template <int W>
bool Search<W>::try_cuts(Subproblem<W>& s, Growth<W>& growth,
                         const std::vector<std::uint32_t>& skipped) {
  const std::size_t enough = static_cast<std::size_t>(growth.bound()) + 1;
  cuts_.look_at(growth.grown());
  if (!cuts_.allowed(growth.grown(), growth.bound())) {
    std::vector<std::size_t> classes;
    for (std::size_t c = 0; c < examples_.classes(); ++c) {
      if (s.examples.count_in(examples_.of_class(c)) >= enough) classes.push_back(c);
    }
    if (classes.size() < 2) return false;
    Set<W> more = examples_.none();
    for (std::size_t i = 0; i < 2; ++i) {
      std::size_t have = growth.grown().count_in(examples_.of_class(classes[i]));
      (s.examples & examples_.of_class(classes[i]))
          .without(growth.grown())
          .any_of([&](std::size_t e) {
            if (have >= enough) return true;
            more.add(e);
            ++have;
            return false;
          });
    }
    growth.absorb(more);
    cuts_.look_at(growth.grown());
    if (!cuts_.allowed(growth.grown(), growth.bound())) return false;
  }
  return std::all_of(skipped.begin(), skipped.end(), [&](std::uint32_t f) {
    return growth.refutes(f) || (cuts_.features(f / 64) >> (f % 64) & 1);
  });
}

template <int W>
Core<W> Search<W>::compose(Growth<W>& growth, LemmaKind kind) {
  Core<W> core{growth.grown(), growth.bound() + 1, growth.holds(), kNoLemma, growth.measure()};
  if (lemmas_->on()) {
    rows_of(growth.extra(), scratch_rows_);
    core.lemma =
        lemmas_->add(kind, growth.measure(), core.bound, core.limit, growth.cited(), scratch_rows_);
  }
  return core;
}

}  // namespace dtfinder
