// Everything that a search has proven, and what follows from it without any search.
//
// Facts about a set of examples come from the cost-1 test, from the cache (the very set was met
// before), from the store (a core lies inside it), and from other engines. Each is true wherever it
// is used, so any of them may be dropped at any time. Sizes and depths are two layers with a store
// and a cache of their own.
//
// The count of steps is kept here too: every part of the search adds the work it does.
#pragma once

#include "exact/cost_one.hpp"
#include "exact/engine_switches.hpp"
#include "exact/fact_exchange.hpp"
#include "exact/subproblem.hpp"

namespace dtfinder {

// What is known for one measure.
template <int W>
struct Layer {
  Layer(const ExampleTable<W>& examples, Measure of, std::size_t slots, std::size_t limits)
      : measure(of), store(examples, slots, limits), inside(store) {}
  Measure measure;
  CoreStore<W> store;
  InsideIndex<W> inside;
  Cache<W> cache;
};

template <int W>
class Facts {
 public:
  // No depth limit above `max_limit` will be asked for, unless it is kNoLimit.
  Facts(const ExampleTable<W>& examples, const EngineSwitches& switches, int max_limit)
      : examples_(examples),
        switches_(switches),
        size_(examples, Measure::kSize, slots(), max_limit < kNoLimit ? limits(max_limit) : 0),
        depth_(examples, Measure::kDepth, slots(), 0),
        own_lemmas_(switches.proof),
        cost_one_(examples) {}

  const ExampleTable<W>& examples() const { return examples_; }
  const EngineSwitches& switches() const { return switches_; }
  Layer<W>& size_layer() { return size_; }
  Layer<W>& depth_layer() { return depth_; }
  LemmaLog& lemmas() { return *lemmas_; }
  const LemmaLog& lemmas() const { return *lemmas_; }
  std::uint64_t steps() const { return steps_; }
  void spend(std::uint64_t steps) { steps_ += steps; }
  std::size_t bytes() const {
    const std::size_t words = examples_.set_words();
    return size_.store.bytes() + depth_.store.bytes() + size_.cache.bytes(words) +
           depth_.cache.bytes(words) + lemmas_->bytes() / member_.sharing();
  }
  // Forgets the caches, or everything. Lemmas stay.
  void drop(bool all) {
    size_.cache.clear();
    depth_.cache.clear();
    if (!all) return;
    size_.store.clear();
    depth_.store.clear();
  }

  // From now on facts are shared; the search must not have begun.
  void join(std::shared_ptr<FactExchange<W>> exchange) {
    assert(steps_ == 0 && !member_);
    member_.join(std::move(exchange));
    lemmas_ = &member_.exchange()->lemmas();
  }
  ExchangeMember<FactExchange<W>>& member() { return member_; }
  // Takes in what other engines have proven since the last time.
  void receive() {
    const bool any = member_.read([&](const auto& shared) {
      Layer<W>& layer = shared.measure == Measure::kSize ? size_ : depth_;
      if (switches_.cache) layer.cache.put(shared.examples, shared.limit, shared.fact);
      const Core<W>& core = shared.fact.core;
      if (switches_.store && core.bound >= 2 && core.measure == shared.measure) {
        layer.store.add(core);
      }
      steps_ += 4;
    });
    if (any) ++received_;
  }
  // How often `receive` has brought anything.
  std::uint64_t received() const { return received_; }

  // What is known about `s` at once. Cores of examples in `first` are preferred.
  void look(Layer<W>& layer, Subproblem<W>& s, const Set<W>& first) {
    assert(!s.examples.empty());
    ++steps_;
    if (switches_.cache) {
      if (const Fact<W>* known = layer.cache.find(s.examples, s.limit)) {
        s.fact = *known;
        return;
      }
    }
    const auto found = cost_one_.test(s.examples, first);
    steps_ += found.steps / 8;
    s.fact.lower = found.cost;
    s.fact.feature = found.feature;
    if (found.cost < 2) s.fact.upper = found.cost;
    if (s.limit < kNoLimit && found.cost > s.limit) {
      // Under limit 0 an impure set, under limit 1 a set of cost 2: no tree at all.
      s.fact.lower = s.fact.upper = kUnknown;
      const Set<W> core = found.cost == 1 ? impure_few(s.examples, first) : found.core;
      s.fact.core = first_core(core, found.cost, Measure::kDepth);
      return;
    }
    if (found.cost == 1 && !s.parent && lemmas_->on()) {
      s.fact.core = first_core(impure_few(s.examples, first), 1, layer.measure);
    }
    if (found.cost < 2) return;
    s.fact.core = first_core(found.core, 2, layer.measure);
    if (switches_.store) {
      if (s.lasting) layer.store.add(s.fact.core);
      find_stored(layer, s);
    }
    remember(layer, s);
  }

  // Whether the cache knows more about `s` than it did; then `s` does too.
  bool find_cached(Layer<W>& layer, Subproblem<W>& s) {
    if (!switches_.cache || !s.lasting) return false;
    const Fact<W>* known = layer.cache.find(s.examples, s.limit);
    if (!known || (known->lower <= s.fact.lower && known->upper >= s.fact.upper)) return false;
    const int before = s.fact.lower;
    s.fact = *known;
    return s.fact.lower > before || s.fact.settled();
  }

  // The best stored core inside `s`, if it beats what is known.
  bool find_stored(Layer<W>& layer, Subproblem<W>& s) {
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
      level.touch(static_cast<std::size_t>(best - level.cores.data()));
      prove(s, *best);
      return true;
    }
    return false;
  }

  // Records the lemma of a core, if a proof is kept. `rows` are those that no cited lemma has.
  void record(Core<W>& core, LemmaKind kind, const std::vector<LemmaId>& cited,
              const std::vector<std::uint32_t>& rows) {
    core.lemma = lemmas_->on()
                     ? lemmas_->add(kind, core.measure, core.bound, core.limit, cited, rows)
                     : kNoLemma;
  }
  void record(Core<W>& core, LemmaKind kind, const std::vector<LemmaId>& cited,
              const Set<W>& rows) {
    if (lemmas_->on()) rows.list(rows_);
    record(core, kind, cited, rows_);
  }
  // A core with a larger bound than `s` had: it becomes the fact about `s`, for everyone to use.
  void conclude(Layer<W>& layer, Subproblem<W>& s, const Core<W>& core) {
    assert(core.bound > s.fact.lower && core.examples.inside(s.examples));
    prove(s, core);
    if (switches_.store) layer.store.add(core);
    remember(layer, s);
  }
  // A tree of `cost` with `feature` at its root.
  void solve_by(Layer<W>& layer, Subproblem<W>& s, int feature, int cost) {
    assert(cost >= s.fact.lower);
    s.fact.upper = cost;
    s.fact.feature = feature;
    remember(layer, s);
  }
  void remember(Layer<W>& layer, const Subproblem<W>& s) {
    if (s.lasting && switches_.cache) layer.cache.put(s.examples, s.limit, s.fact);
  }

  // A few examples of the impure `x` that are impure, out of `near` where it has them: two of
  // different classes, or, of sets, one after the other that leaves fewest of the classes that all
  // before it allow.
  Set<W> impure_few(const Set<W>& x, const Set<W>& near) const {
    if (examples_.sets()) return examples_.impure_few(x, near);
    const Set<W> close = x & near;
    const std::size_t a = close.empty() ? x.first() : close.first();
    const Set<W>& same = examples_.of_label(examples_.label(a));
    const Set<W> others = close.without(same);
    Set<W> pair = examples_.none();
    pair.add(a);
    pair.add(others.empty() ? x.without(same).first() : others.first());
    return pair;
  }

 private:
  std::size_t slots() const {
    const std::size_t most =
        (std::size_t{1} << 21) / std::max<std::size_t>(1, examples_.features());
    return std::clamp<std::size_t>(most / 64 * 64, 64, switches_.slots);
  }
  std::size_t limits(int max_limit) const {
    return std::min<std::size_t>(static_cast<std::size_t>(max_limit), examples_.count()) + 1;
  }
  // No tree of depth `limit` has as many as 2^limit inner nodes.
  static void prove(Subproblem<W>& s, const Core<W>& core) {
    s.fact.core = core;
    s.fact.lower = core.bound;
    if (s.limit <= 27 && core.bound >= 1 << s.limit) s.fact.lower = s.fact.upper = kUnknown;
  }
  // A core whose lemma cites no other.
  Core<W> first_core(const Set<W>& set, int bound, Measure measure) {
    Core<W> core{set, bound, kNoLimit, kNoLemma, measure};
    record(core, LemmaKind::kSplit, {}, set);
    return core;
  }

  const ExampleTable<W>& examples_;
  EngineSwitches switches_;
  Layer<W> size_, depth_;
  LemmaLog own_lemmas_;
  LemmaLog* lemmas_ = &own_lemmas_;
  ExchangeMember<FactExchange<W>> member_;
  std::uint64_t steps_ = 0, received_ = 0;
  CostOne<W> cost_one_;
  std::vector<std::uint32_t> rows_;
};

}  // namespace dtfinder
