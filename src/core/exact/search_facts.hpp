// What a subproblem is found to cost without any search: by the cost-1 test, the cache, the store,
// and what other engines have told. Members of Search; see search.hpp.
#pragma once

#include <cmath>

#include "exact/search.hpp"

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

}  // namespace dtfinder
