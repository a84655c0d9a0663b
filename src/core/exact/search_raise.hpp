// One attempt to raise a subproblem's bound, from its first feature to its last: the order of the
// features, the two sides of each, and what to do once all are refuted. Members of Search; see
// search.hpp for what `raise` promises and why it ends.
#pragma once

#include "exact/search.hpp"

namespace dtfinder {

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
