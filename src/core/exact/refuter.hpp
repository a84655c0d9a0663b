// What refutes the features of a growth (composition.hpp): stored cores, the cores of two searched
// sides, and the rule of singleton cuts.
#pragma once

#include "exact/composition.hpp"
#include "exact/facts.hpp"
#include "exact/singleton_cuts.hpp"

namespace dtfinder {

template <int W>
class Refuter {
 public:
  explicit Refuter(Facts<W>& facts)
      : facts_(facts), examples_(facts.examples()), switches_(facts.switches()), cuts_(examples_) {}

  // Notes every stored core inside the grown set.
  void note_inside(Layer<W>& layer, Subproblem<W>& s, Growth<W>& growth) {
    growth.refreshed();
    if (!switches_.store) return;
    const int low = layer.measure == Measure::kSize ? 2 : growth.bound();
    note_layer(layer, s, growth, low, side_limit(s));
    if (s.twin) note_layer(facts_.depth_layer(), *s.twin, growth, s.limit, kNoLimit);
  }

  // Whether stored cores refute `f` in `s`; if asked, the growth absorbs them.
  bool refute_stored(Layer<W>& layer, Subproblem<W>& s, Growth<W>& growth, std::size_t f,
                     bool absorb) {
    if (!switches_.store) return false;
    const int k = growth.bound();
    facts_.spend(2);
    const Core<W>* found[2] = {nullptr, nullptr};
    int bound[2];
    const bool depth = layer.measure == Measure::kDepth;
    for (int one = 0; one < 2; ++one) {
      const int own = growth.side(f, one);
      const int least = std::max(own + 1, depth ? k : one ? k - bound[0] : 2);
      bound[one] =
          stored_side(layer, s, f, one, k, least, absorb ? &growth.grown() : nullptr, &found[one]);
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
      level.touch(slot);
      growth.absorb(core.examples);
      growth.note(core, layer.store.ones_of(level, slot), layer.store.zeros_of(level, slot));
    }
    return true;
  }

  // Takes a side's core into the growth, if the growth does not know as much already.
  void absorb_side(Growth<W>& growth, const Subproblem<W>& side, int needed) {
    const int lower = side.fact.lower;
    if (growth.side(static_cast<std::size_t>(side.feature), side.one) >= std::min(needed, lower)) {
      return;
    }
    if (lower == 1) {
      growth.absorb(facts_.impure_few(side.examples, growth.grown()));
      return;
    }
    const Core<W>& core = side.fact.core;
    growth.absorb(core.examples);
    if (core.bound < 2) return;  // an impure side under depth limit 0: its two classes say it all
    masks_.resize(2 * examples_.row_words());
    facts_.size_layer().store.all_same(core.examples, masks_.data());
    growth.note(core, masks_.data(), masks_.data() + examples_.row_words());
  }

  // Whether singleton cuts may be skipped in a core of bound k + 1 inside `s`.
  bool may_skip_cuts(const Subproblem<W>& s) {
    cuts_.look_at(s.examples);
    return cuts_.allowed(s.examples, s.fact.lower);
  }
  // Asks from now on which features cut one example off the grown set.
  void look_at_cuts(const Growth<W>& growth) { cuts_.look_at(growth.grown()); }
  bool isolates(std::size_t f) const { return cuts_.isolates(f); }

  // Whether the skipped cuts may stay skipped; adds examples to the growth if need be.
  bool try_cuts(const Subproblem<W>& s, Growth<W>& growth,
                const std::vector<std::uint32_t>& skipped) {
    const std::size_t enough = static_cast<std::size_t>(growth.bound()) + 1;
    cuts_.look_at(growth.grown());
    if (!cuts_.allowed(growth.grown(), growth.bound())) {
      const std::vector<Set<W>> groups = lasting_groups(s.examples, enough);
      if (groups.empty()) return false;
      Set<W> more = examples_.none();
      for (const Set<W>& members : groups) {
        std::size_t have = growth.grown().count_in(members) + more.count_in(members);
        members.without(growth.grown()).without(more).any_of([&](std::size_t e) {
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
    return std::all_of(skipped.begin(), skipped.end(),
                       [&](std::uint32_t f) { return growth.refutes(f) || cuts_.isolates(f); });
  }

  // The core that a growth has become once all its features are refuted.
  Core<W> compose(const Growth<W>& growth, LemmaKind kind) {
    Core<W> core{growth.grown(), growth.bound() + 1, growth.holds(), kNoLemma, growth.measure()};
    facts_.record(core, kind, growth.cited(), growth.extra());
    return core;
  }

 private:
  // Groups of `x` that allow cuts once there are `enough` examples of each: two classes, or, of
  // sets, for every class those that do not allow it. None if one of them is too small.
  std::vector<Set<W>> lasting_groups(const Set<W>& x, std::size_t enough) const {
    std::vector<Set<W>> groups;
    if (examples_.sets()) {
      for (std::size_t c = 0; c < examples_.classes(); ++c) {
        groups.push_back(x.without(examples_.allow(c)));
        if (groups.back().size() < enough) return {};
      }
      return groups;
    }
    for (std::size_t l = 0; l < examples_.labels() && groups.size() < 2; ++l) {
      Set<W> members = x & examples_.of_label(l);
      if (members.size() >= enough) groups.push_back(std::move(members));
    }
    if (groups.size() < 2) groups.clear();
    return groups;
  }
  // The depth limit under which the sides of `s` are looked at.
  static int side_limit(const Subproblem<W>& s) {
    return s.limit < kNoLimit ? s.limit - 1 : kNoLimit;
  }

  void note_layer(Layer<W>& layer, Subproblem<W>& s, Growth<W>& growth, int low, int limit) {
    const bool few =
        examples_.row_words() <= 2 && layer.measure == growth.measure() && limit >= kNoLimit;
    for (int b = layer.store.top(); b >= low; --b) {
      auto& level = layer.store.level(b);
      if (level.used == 0 || (layer.measure == growth.measure() && !growth.wants(b))) continue;
      const Word* slots = layer.inside.slots(s, b);
      Word* noted = growth.noted(b, layer.store.slot_words(), layer.measure);
      for (std::size_t i = 0; i < words_for(level.used); ++i) {
        for (Word left = slots[i] & ~noted[i]; left; left &= left - 1) {
          const std::size_t slot = i * 64 + static_cast<std::size_t>(std::countr_zero(left));
          const Core<W>& core = level.cores[slot];
          facts_.spend(1);
          // Where features are few, their masks are read sooner than the examples.
          if (few && !growth.gains(b, layer.store.ones_of(level, slot),
                                   layer.store.zeros_of(level, slot))) {
            noted[i] |= left & -left;
            continue;
          }
          if (core.limit < limit || !core.examples.inside(growth.grown())) continue;
          noted[i] |= left & -left;
          if (growth.note(core, layer.store.ones_of(level, slot),
                          layer.store.zeros_of(level, slot))) {
            level.touch(slot);
          }
        }
      }
    }
  }

  // The largest bound from `least` to `most` of a stored core on that side of `f` in `s`, and the
  // core of that bound which adds fewest examples to `grown`.
  int stored_side(Layer<W>& layer, Subproblem<W>& s, std::size_t f, bool one, int most, int least,
                  const Set<W>* grown, const Core<W>** best) {
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
          if (core.limit < side_limit(s)) continue;
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

  Facts<W>& facts_;
  const ExampleTable<W>& examples_;
  const EngineSwitches& switches_;
  SingletonCuts<W> cuts_;
  std::vector<Word> masks_;
};

}  // namespace dtfinder
