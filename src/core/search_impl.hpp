// The members of Search; see search.hpp.
#pragma once

#include <cmath>

#include "search.hpp"

namespace dtfinder {

template <int W>
void Search<W>::fill_logs() {
  logs_.resize(examples_.count() + 1);
  for (std::size_t n = 2; n < logs_.size(); ++n) {
    const double x = static_cast<double>(n);
    logs_[n] = std::llround(x * std::log2(x) * (1 << 20));
  }
}

template <int W>
std::int64_t Search<W>::gain(const Set<W>& x, std::size_t feature) const {
  const Set<W> one = x & examples_.column(feature);
  std::size_t ones = 0, zeros = 0;
  std::int64_t total = 0;
  for (std::size_t c = 0; c < examples_.classes(); ++c) {
    const std::size_t in_one = one.count_in(examples_.of_class(c));
    const std::size_t in_zero = x.count_in(examples_.of_class(c)) - in_one;
    ones += in_one;
    zeros += in_zero;
    total += logs_[in_one] + logs_[in_zero];
  }
  return total - logs_[ones] - logs_[zeros];
}

template <int W>
Subproblem<W> Search<W>::side_of(Subproblem<W>& s, std::size_t feature, bool one) {
  Subproblem<W> side{one ? s.examples & examples_.column(feature)
                         : s.examples.without(examples_.column(feature))};
  side.parent = &s;
  side.feature = static_cast<int>(feature);
  side.one = one;
  side.lasting = s.lasting;
  if (s.limit < kNoLimit) {
    side.limit = s.limit - 1;
    // No path of a tree that only splits is longer than its examples are many.
    if (static_cast<std::size_t>(side.limit) + 1 >= side.examples.size()) side.limit = kNoLimit;
    if (s.twin) give_twin(side);
  }
  return side;
}

template <int W>
Core<W> Search<W>::leaf_core(const Set<W>& set, int bound, Measure measure) {
  Core<W> core{set, bound, kNoLimit, kNoLemma, measure};
  if (lemmas_->on()) {
    rows_of(set, scratch_rows_);
    core.lemma = lemmas_->add(LemmaKind::kSplit, measure, bound, kNoLimit, {}, scratch_rows_);
  }
  return core;
}

template <int W>
void Search<W>::look(Layer<W>& layer, Subproblem<W>& s, const Set<W>& first) {
  ++steps_;
  if (switches_.cache) {
    if (const Fact<W>* known = layer.cache.find(s.examples, s.limit)) {
      s.fact = *known;
      return;
    }
  }
  const auto answer = cost_one_.ask(s.examples, first);
  steps_ += answer.steps / 8;
  s.fact.lower = answer.cost;
  s.fact.feature = answer.feature;
  if (answer.cost < 2) s.fact.upper = answer.cost;
  if (s.limit < kNoLimit && answer.cost > s.limit) {
    // Under limit 0 an impure set, under limit 1 a set of cost 2: no tree at all.
    s.fact.lower = s.fact.upper = kUnknown;
    const Set<W> core = answer.cost == 1 ? opposite_pair(s.examples, first) : answer.core;
    s.fact.core = leaf_core(core, answer.cost, Measure::kDepth);
    return;
  }
  if (answer.cost == 1 && !s.parent && lemmas_->on()) {
    s.fact.core = leaf_core(opposite_pair(s.examples, first), 1, layer.measure);
  }
  if (answer.cost < 2) return;
  s.fact.core = leaf_core(answer.core, 2, layer.measure);
  if (switches_.store) {
    if (s.lasting) layer.store.add(s.fact.core);
    find_stored(layer, s);
  }
  if (s.lasting && switches_.cache) layer.cache.put(s.examples, s.limit, s.fact);
}

// The best stored core inside `s`, if it beats what is known.
template <int W>
bool Search<W>::find_stored(Layer<W>& layer, Subproblem<W>& s) {
  if (!switches_.store) return false;
  for (int b = layer.store.top(); b > std::max(s.fact.lower, 1); --b) {
    auto& level = layer.store.level(b);
    if (level.used == 0) continue;
    const Word* slots = layer.inside.slots(s, b);
    const Word* within =
        s.limit < kNoLimit ? level.within[static_cast<std::size_t>(s.limit)].data() : nullptr;
    const Core<W>* best = nullptr;
    std::size_t fewest = ~std::size_t{0};
    for (std::size_t i = 0; i < words_for(level.used); ++i) {
      Word left = within ? slots[i] & within[i] : slots[i];
      for (; left; left &= left - 1) {
        const Core<W>& core =
            level.cores[i * 64 + static_cast<std::size_t>(std::countr_zero(left))];
        if (s.limit >= kNoLimit && core.limit < kNoLimit) continue;
        const std::size_t size = core.examples.size();
        if (size < fewest) {
          fewest = size;
          best = &core;
        }
      }
    }
    steps_ += 1;
    if (!best) continue;
    const std::size_t slot = static_cast<std::size_t>(best - level.cores.data());
    level.fresh[slot / 64] |= Word{1} << (slot % 64);
    s.fact.core = *best;
    s.fact.lower = impossible(b, s.limit) ? kUnknown : b;
    if (s.fact.lower == kUnknown) s.fact.upper = kUnknown;
    return true;
  }
  return false;
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
  conclude(layer, s, fold_core(*s.fold));
  return true;
}

// The examples of the pairs of a packing, less pairs that its bound can spare.
template <int W>
Core<W> Search<W>::fold_core(const Fold& fold) {
  Core<W> core{examples_.none(), Folding<W>::bound(fold), kNoLimit, kNoLemma, Measure::kSize};
  int spare = fold.total - 1 - (core.bound - 1) * Folding<W>::kFold;
  scratch_rows_.clear();
  for (std::size_t i = fold.pairs.size(); i-- > 0;) {
    const int without = std::min<int>(spare, fold.times[i]);
    spare -= without;
    const std::uint32_t a = folding_.left(fold.pairs[i]), b = folding_.right(fold.pairs[i]);
    for (int t = without; t < fold.times[i]; ++t) {
      core.examples.add(a);
      core.examples.add(b);
      scratch_rows_.insert(scratch_rows_.end(), {a, b});
    }
  }
  if (lemmas_->on()) {
    core.lemma =
        lemmas_->add(LemmaKind::kParts, Measure::kSize, core.bound, core.limit, {}, scratch_rows_);
  }
  return core;
}

// Packs pairs, or extends the core at hand by a pair that shares no splitting feature with it.
template <int W>
bool Search<W>::find_parts(Layer<W>& layer, Subproblem<W>& s) {
  if (!switches_.parts || layer.measure != Measure::kSize) return false;
  if (find_fold(layer, s)) return true;
  const int k = s.fact.lower;
  steps_ += 1 + s.examples.size() / 32;
  const std::size_t words = examples_.row_words();
  std::vector<Word> mask(words), zero(words);
  s.fact.core.examples.each([&](std::size_t e) {
    for (std::size_t i = 0; i < words; ++i) {
      mask[i] |= examples_.row(e)[i];
      zero[i] |= ~examples_.row(e)[i];
    }
  });
  for (std::size_t i = 0; i < words; ++i) mask[i] &= zero[i];
  std::vector<LemmaId> cited;
  Core<W> core = s.fact.core;
  typename Packing<W>::Pair pair{};
  std::vector<std::uint32_t> rows;  // pairs of the lemma, two by two
  auto add_pair = [&](const typename Packing<W>::Pair& p) {
    core.examples.add(p.a);
    core.examples.add(p.b);
    rows.insert(rows.end(), {p.a, p.b});
  };
  if (packing_.extend(s.examples, mask, pair)) {
    cited.push_back(core.lemma);
    do {
      add_pair(pair);
      ++core.bound;
      for (std::size_t i = 0; i < words; ++i) {
        mask[i] |= examples_.row(pair.a)[i] ^ examples_.row(pair.b)[i];
      }
    } while (packing_.extend(s.examples, mask, pair));
  } else {
    if (s.fact.lower > 2 && s.parent) return false;
    const auto& pairs = packing_.pack(s.examples);
    if (static_cast<int>(pairs.size()) <= k) return false;
    core.examples = examples_.none();
    core.bound = static_cast<int>(pairs.size());
    core.limit = kNoLimit;
    for (const auto& each : pairs) add_pair(each);
  }
  if (lemmas_->on()) {
    core.lemma =
        lemmas_->add(LemmaKind::kParts, Measure::kSize, core.bound, core.limit, cited, rows);
  }
  conclude(layer, s, core);
  return true;
}

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

template <int W>
void Search<W>::order_features(const Set<W>& x, const Growth<W>& growth,
                               std::vector<std::uint32_t>& order) {
  scored_.clear();
  for (std::size_t i = 0; i < examples_.row_words(); ++i) {
    for (Word left = growth.open(i); left; left &= left - 1) {
      const std::uint32_t f =
          static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(left));
      scored_.emplace_back(switches_.gain_order ? -gain(x, f) : 0, f);
    }
  }
  steps_ += scored_.size() / 4;
  std::sort(scored_.begin(), scored_.end());
  order.clear();
  for (const auto& [score, f] : scored_) order.push_back(f);
}

// Two examples of different classes in the impure `x`, out of `near` where it has them.
template <int W>
Set<W> Search<W>::opposite_pair(const Set<W>& x, const Set<W>& near) const {
  const Set<W> close = x & near;
  const std::size_t a = close.empty() ? x.first() : close.first();
  const Set<W>& same = examples_.of_class(examples_.label(a));
  const Set<W> others = close.without(same);
  Set<W> pair = examples_.none();
  pair.add(a);
  pair.add(others.empty() ? x.without(same).first() : others.first());
  return pair;
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

template <int W>
void Search<W>::solve_by(Layer<W>& layer, Subproblem<W>& s, int feature, int cost) {
  s.fact.upper = cost;
  s.fact.feature = feature;
  if (s.lasting && switches_.cache) layer.cache.put(s.examples, s.limit, s.fact);
}

// A core with a larger bound than s had: it becomes the fact about s, for everyone to use.
template <int W>
void Search<W>::conclude(Layer<W>& layer, Subproblem<W>& s, const Core<W>& core) {
  s.fact.core = core;
  s.fact.lower = core.bound;
  if (impossible(core.bound, s.limit)) s.fact.lower = s.fact.upper = kUnknown;
  if (switches_.store) layer.store.add(core);
  if (s.lasting && switches_.cache) layer.cache.put(s.examples, s.limit, s.fact);
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
Task Search<W>::shrink(Layer<W>& layer, Subproblem<W>& s, Core<W>& core) {
  std::vector<std::uint32_t> rows;
  rows_of(core.examples, rows);
  for (std::size_t i = rows.size(); i-- > 0;) {
    if (!core.examples.has(rows[i])) continue;
    Subproblem<W> less{core.examples};
    less.examples.remove(rows[i]);
    less.parent = &s;
    less.limit = s.limit;
    less.lasting = false;
    look(layer, less, less.examples);
    while (!less.fact.settled() && less.fact.lower < core.bound) co_await raise(layer, less);
    if (less.fact.lower >= core.bound) core = less.fact.core;
    release(layer, less);
  }
}

template <int W>
void Search<W>::read_news() {
  const bool any = member_.read([&](const auto& news) {
    Layer<W>& layer = news.measure == Measure::kSize ? size_ : depth_;
    if (switches_.cache) layer.cache.put(news.examples, news.limit, news.fact);
    const Core<W>& core = news.fact.core;
    if (switches_.store && core.bound >= 2 && core.measure == news.measure) layer.store.add(core);
    steps_ += 4;
  });
  if (any) ++news_;
}

// Whether the cache knows more about `s` than it did; then `s` does too.
template <int W>
bool Search<W>::find_cached(Layer<W>& layer, Subproblem<W>& s) {
  if (!switches_.cache || !s.lasting) return false;
  const Fact<W>* known = layer.cache.find(s.examples, s.limit);
  if (!known || (known->lower <= s.fact.lower && known->upper >= s.fact.upper)) return false;
  const int before = s.fact.lower;
  s.fact = *known;
  return s.fact.lower > before || s.fact.settled();
}

// An attempt on the bound of `s`: its core to grow, and the features to refute, in order.
template <int W>
std::unique_ptr<Attempt<W>> Search<W>::begin(Layer<W>& layer, Subproblem<W>& s) {
  if (spare_attempts_.empty()) spare_attempts_.push_back(std::make_unique<Attempt<W>>(examples_));
  std::unique_ptr<Attempt<W>> attempt = std::move(spare_attempts_.back());
  spare_attempts_.pop_back();
  attempt->growth.start(s.fact.core, s.fact.lower, layer.measure, s.limit);
  attempt->at = 0;
  attempt->kind = LemmaKind::kSplit;
  attempt->shared = member_ && s.lasting && s.fact.lower >= kWorthClaiming;
  attempt->put_off = true;
  attempt->searched = false;
  attempt->news = news_;
  attempt->later.clear();
  attempt->skipped.clear();
  note_inside(layer, s, attempt->growth);
  order_features(s.examples, attempt->growth, attempt->order);
  if (switches_.cuts && layer.measure == Measure::kSize && s.limit >= kNoLimit) {
    set_cuts_aside(s, *attempt);
  }
  return attempt;
}

// Features that cut one example off `s` wait until the end: they may need no refutation.
template <int W>
void Search<W>::set_cuts_aside(const Subproblem<W>& s, Attempt<W>& attempt) {
  cuts_.look_at(s.examples);
  if (!cuts_.allowed(s.examples, s.fact.lower)) return;
  auto cut = [&](std::uint32_t f) { return (cuts_.features(f / 64) >> (f % 64) & 1) != 0; };
  for (std::uint32_t f : attempt.order) {
    if (cut(f)) attempt.skipped.push_back(f);
  }
  std::erase_if(attempt.order, cut);
}

// Whether to search `f` now: not if another engine does, as long as there is something else to do.
template <int W>
bool Search<W>::claim(Layer<W>& layer, const Subproblem<W>& s, Attempt<W>& attempt,
                      std::uint32_t f) {
  if (!attempt.shared) return true;
  const std::size_t place = part(layer, s, f);
  const bool mine = (place >> 32) % owners_ == owner_ && attempt.claim.take(member_, place);
  if (!mine && attempt.put_off) return false;
  attempt.put_off = attempt.searched = true;
  return true;
}

// Moves on to the next feature that has to be searched, and makes its two sides; false when every
// feature is refuted. Features that stored cores refute come last: by then the grown set may
// refute them by itself. Cores may have been dropped meanwhile, so what is open again is searched.
template <int W>
bool Search<W>::next_feature(Layer<W>& layer, Subproblem<W>& s, Attempt<W>& attempt) {
  Growth<W>& growth = attempt.growth;
  for (;;) {
    for (; attempt.at < attempt.order.size(); ++attempt.at) {
      const std::uint32_t f = attempt.order[attempt.at];
      if (growth.stale()) note_inside(layer, s, growth);
      if (growth.refutes(f)) continue;
      if (!refute_stored(layer, s, growth, f, false) && claim(layer, s, attempt, f)) {
        open_sides(layer, s, attempt, f);
        ++attempt.at;
        return true;
      }
      attempt.later.push_back(f);
    }
    // If others work on all that is left, the next one is searched with them.
    attempt.put_off = attempt.searched;
    attempt.searched = false;
    for (std::uint32_t f : attempt.later) {
      if (growth.stale()) note_inside(layer, s, growth);
      if (!growth.refutes(f)) refute_stored(layer, s, growth, f, true);
    }
    auto refuted = [&](std::uint32_t f) { return growth.refutes(f); };
    std::erase_if(attempt.later, refuted);
    std::erase_if(attempt.skipped, refuted);
    attempt.order.clear();
    attempt.order.swap(attempt.later);
    attempt.at = 0;
    if (!attempt.order.empty()) continue;
    if (attempt.skipped.empty()) return false;
    if (try_cuts(s, growth, attempt.skipped)) {
      attempt.kind = LemmaKind::kCuts;
      return false;
    }
    attempt.order.swap(attempt.skipped);
  }
}

template <int W>
void Search<W>::open_sides(Layer<W>& layer, Subproblem<W>& s, Attempt<W>& attempt,
                           std::uint32_t f) {
  attempt.feature = f;
  for (int one = 0; one < 2; ++one) {
    attempt.side[one] = side_of(s, f, one != 0);
    look(layer, attempt.side[one], attempt.growth.grown());
  }
}

// The side whose bound to raise next; null once the feature is refuted, or is a root that solves s.
template <int W>
Subproblem<W>* Search<W>::next_side(Layer<W>& layer, Subproblem<W>& s, Attempt<W>& attempt) {
  Subproblem<W>&zero = attempt.side[0], &one = attempt.side[1];
  const int low = zero.fact.lower, high = one.fact.lower, k = attempt.growth.bound();
  const bool size = layer.measure == Measure::kSize;
  if ((size ? low + high : std::max(low, high)) >= k) return nullptr;
  if (zero.fact.settled() && one.fact.settled()) {
    solve_by(layer, s, static_cast<int>(attempt.feature),
             (size ? low + high : std::max(low, high)) + 1);
    return nullptr;
  }
  if (zero.fact.settled()) return &one;
  if (one.fact.settled()) return &zero;
  if (size) return high < low ? &one : &zero;
  if (low != high) return high > low ? &one : &zero;
  return one.examples.size() > zero.examples.size() ? &one : &zero;
}

// Takes the cores of both sides into the growth. Under a depth limit an impossible side is enough
// by itself, and so is one side of the needed depth.
template <int W>
void Search<W>::close_sides(Layer<W>& layer, Subproblem<W>& s, Attempt<W>& attempt) {
  const int k = attempt.growth.bound();
  for (int one = 0; one < 2 && !s.fact.solved(); ++one) {
    const Subproblem<W>& side = attempt.side[one];
    const bool other_never = attempt.side[1 - one].fact.lower >= kUnknown;
    if (attempt.growth.refutes(attempt.feature)) break;
    if (other_never && side.fact.lower < kUnknown) continue;
    if (layer.measure == Measure::kDepth && side.fact.lower < k) continue;
    absorb_side(attempt.growth, side, k);
  }
  release(layer, attempt.side[0]);
  release(layer, attempt.side[1]);
}

template <int W>
Task Search<W>::raise(Layer<W>& layer, Subproblem<W>& s) {
  if (find_cached(layer, s) || find_stored(layer, s) || find_parts(layer, s)) co_return;
  const std::uint64_t before = steps_;
  bool overtaken = false;  // by another engine
  std::unique_ptr<Attempt<W>> attempt = begin(layer, s);
  while (!s.fact.solved() && !overtaken && next_feature(layer, s, *attempt)) {
    while (Subproblem<W>* side = next_side(layer, s, *attempt)) {
      if (side->twin) co_await check_depth(*side);
      if (!side->fact.settled()) co_await raise(layer, *side);
    }
    close_sides(layer, s, *attempt);
    attempt->claim.end();
    if (attempt->shared && attempt->news != news_) {
      attempt->news = news_;
      overtaken = !s.fact.solved() && find_cached(layer, s);
    }
  }
  if (!s.fact.solved() && !overtaken) {
    Core<W> core = compose(attempt->growth, attempt->kind);
    if (s.lasting && core.bound <= switches_.shrink_up_to) co_await shrink(layer, s, core);
    conclude(layer, s, core);
  }
  if (member_ && s.lasting && !overtaken && steps_ - before >= kWorthTelling) {
    member_.tell(s.examples, s.limit, layer.measure, s.fact, steps_ - before);
  }
  spare_attempts_.push_back(std::move(attempt));
}

// Raises the twin's depth bound until it passes the limit or a tree within it is found.
template <int W>
Task Search<W>::check_depth(Subproblem<W>& s) {
  Subproblem<W>& twin = *s.twin;
  if (twin.fact.lower == 0) look(depth_, twin, s.fact.core.examples);
  while (!twin.fact.settled() && twin.fact.lower <= s.limit && twin.fact.upper > s.limit) {
    co_await raise(depth_, twin);
  }
  if (twin.fact.lower > s.limit) {
    s.fact.lower = s.fact.upper = kUnknown;
    s.fact.core = twin.fact.core;
    if (s.lasting && switches_.cache) size_.cache.put(s.examples, s.limit, s.fact);
  }
}

}  // namespace dtfinder
