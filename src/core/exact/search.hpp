// The search: raise a subproblem's lower bound by one, or solve it.
//
// `raise(s)` is given a subproblem with a core C of bound k and does one of three things: it finds
// a core of a larger bound inside s, or it finds a feature whose two sides cost k - 1 together, and
// then s costs exactly k; or it grows C by composition (composition.hpp) to a core of bound k + 1.
// Only features that split C are looked at. For each of them the two sides are subproblems whose
// bounds are raised, the smaller first, until they add up to k (ladder of budgets).
//
// Why it ends: a call for bound k + 1 makes calls for bounds <= k only, each of which raises a
// bound or solves a subproblem that it keeps hold of. So calls nest at most as deep as the bound,
// and task.hpp keeps their frames off the machine's stack.
//
// Two layers share this code: sizes, and depths, where the larger side counts instead of the sum.
// Under a depth limit every subproblem of the size layer has a twin in the depth layer, which says
// first whether there is a tree of that depth at all.
#pragma once

#include "exact/apart.hpp"
#include "exact/bottom.hpp"
#include "exact/gain.hpp"
#include "exact/long_path.hpp"
#include "exact/pair_bounds.hpp"
#include "exact/refuter.hpp"
#include "shared/task.hpp"

namespace dtfinder {

template <int W>
class Search {
 public:
  Search(const ExampleTable<W>& examples, const EngineSwitches& switches, int max_limit)
      : examples_(examples),
        facts_(examples, switches, max_limit),
        gain_(examples),
        apart_(facts_),
        pair_bounds_(facts_),
        long_path_(facts_),
        refuter_(facts_),
        bottom_(facts_) {}

  Facts<W>& facts() { return facts_; }
  const Facts<W>& facts() const { return facts_; }
  const Gain<W>& gain() const { return gain_; }
  const ExampleTable<W>& examples() const { return examples_; }
  // The chain of calls that `raise` and `check_depth` belong to; set it before they are called.
  Runner& runner() { return *runner_; }
  void use(Runner& runner) { runner_ = &runner; }
  std::size_t bytes() const { return facts_.bytes() + apart_.bytes() + pair_bounds_.bytes(); }

  // Raises the lower bound of `s`, or solves it. `s` has been looked at and is not settled.
  Task raise(Layer<W>& layer, Subproblem<W>& s) {
    assert(!s.fact.settled() && s.fact.lower >= 2);
    if (find(layer, s)) co_return;
    const std::uint64_t before = facts_.steps();
    if (bottom_.raise(layer, s)) {
      share(layer, s, before);
      co_return;
    }
    bool overtaken = false;  // by another engine
    std::unique_ptr<Attempt> attempt = begin(layer, s);
    while (!s.fact.solved() && !overtaken && next_feature(layer, s, *attempt)) {
      while (Subproblem<W>* side = next_side(layer, s, *attempt)) {
        if (side->twin) co_await check_depth(*side);
        if (!side->fact.settled()) co_await raise(layer, *side);
      }
      close_sides(layer, s, *attempt);
      attempt->claim.end();
      if (attempt->shared && attempt->received != facts_.received()) {
        attempt->received = facts_.received();
        overtaken = !s.fact.solved() && facts_.find_cached(layer, s);
      }
    }
    if (!s.fact.solved() && !overtaken) {
      Core<W> core = refuter_.compose(attempt->growth, attempt->kind);
      if (s.lasting && core.bound <= facts_.switches().shrink_up_to) {
        co_await shrink(layer, s, core);
      }
      facts_.conclude(layer, s, core);
    }
    if (!overtaken) share(layer, s, before);
    spare_attempts_.push_back(std::move(attempt));
  }
  // Whether more is known about `s` than it says, without any search; then it says so.
  bool find(Layer<W>& layer, Subproblem<W>& s) {
    return facts_.find_cached(layer, s) || facts_.find_stored(layer, s) || apart_.find(layer, s) ||
           pair_bounds_.find(layer, s) || long_path_.find(layer, s);
  }
  // Settles whether `s`, which has a twin, has a tree within its depth limit: raises the twin's
  // bound until it passes the limit or a tree within it is found.
  Task check_depth(Subproblem<W>& s) {
    assert(s.twin);
    Subproblem<W>& twin = *s.twin;
    Layer<W>& depths = facts_.depth_layer();
    if (twin.fact.lower == 0) facts_.look(depths, twin, s.fact.core.examples);
    while (!twin.fact.settled() && twin.fact.lower <= s.limit && twin.fact.upper > s.limit) {
      co_await raise(depths, twin);
    }
    if (twin.fact.lower > s.limit) {
      s.fact.lower = s.fact.upper = kUnknown;
      s.fact.core = twin.fact.core;
      facts_.remember(facts_.size_layer(), s);
    }
  }
  // Takes back what `s` borrowed; call it when `s` is no longer needed.
  void release(Layer<W>& layer, Subproblem<W>& s) {
    layer.inside.release(s);
    pair_bounds_.release(s);
    if (s.twin) facts_.depth_layer().inside.release(*s.twin);
  }

 private:
  static constexpr std::uint64_t kWorthSharing = 100;  // steps that a fact took
  static constexpr int kWorthClaiming = 4;             // bound of a subproblem

  // One attempt to raise the bound of a subproblem.
  struct Attempt {
    explicit Attempt(const ExampleTable<W>& examples) : growth(examples) {}
    Growth<W> growth;
    std::vector<std::uint32_t> order;    // features to refute; those before `at` are done
    std::vector<std::uint32_t> later;    // features that stored cores refute
    std::vector<std::uint32_t> skipped;  // features that cut off one example
    std::size_t at = 0;
    std::uint32_t feature = 0;  // the one that is searched, and its two sides
    Subproblem<W> side[2];
    LemmaKind kind = LemmaKind::kSplit;
    bool cuts = false;           // features that cut one example off the grown set may be skipped
    bool shared = false;         // with other engines; what follows is for their sake
    bool put_off = true;         // what others search waits
    bool searched = false;       // something, in this round
    std::uint64_t received = 0;  // what facts().received() was when it last mattered
    typename ExchangeMember<FactExchange<W>>::Claim claim{};
  };

  // Hands what is known of `s` to other engines, if it took long enough since `before`.
  void share(Layer<W>& layer, const Subproblem<W>& s, std::uint64_t before) {
    const std::uint64_t work = facts_.steps() - before;
    if (!facts_.member() || !s.lasting || work < kWorthSharing) return;
    facts_.member().share({s.examples, s.limit, layer.measure, s.fact, work});
  }

  // An attempt on the bound of `s`: its core to grow, and the features to refute, in order.
  std::unique_ptr<Attempt> begin(Layer<W>& layer, Subproblem<W>& s) {
    if (spare_attempts_.empty()) spare_attempts_.push_back(std::make_unique<Attempt>(examples_));
    std::unique_ptr<Attempt> attempt = std::move(spare_attempts_.back());
    spare_attempts_.pop_back();
    attempt->growth.start(s.fact.core, s.fact.lower, layer.measure, s.limit);
    attempt->at = 0;
    attempt->kind = LemmaKind::kSplit;
    attempt->shared = facts_.member() && s.lasting && s.fact.lower >= kWorthClaiming;
    attempt->put_off = true;
    attempt->searched = false;
    attempt->received = facts_.received();
    attempt->later.clear();
    attempt->skipped.clear();
    refuter_.note_inside(layer, s, attempt->growth);
    order_features(s.examples, attempt->growth, attempt->order);
    attempt->cuts = facts_.switches().cuts && layer.measure == Measure::kSize &&
                    s.limit >= kNoLimit && refuter_.may_skip_cuts(s);
    return attempt;
  }

  void order_features(const Set<W>& x, const Growth<W>& growth, std::vector<std::uint32_t>& order) {
    scored_.clear();
    for (std::size_t i = 0; i < examples_.row_words(); ++i) {
      for (Word left = growth.open(i); left; left &= left - 1) {
        const std::uint32_t f =
            static_cast<std::uint32_t>(i * 64) + static_cast<std::uint32_t>(std::countr_zero(left));
        scored_.emplace_back(facts_.switches().gain_order ? -gain_.of(x, f) : 0, f);
      }
    }
    facts_.spend(scored_.size() / 4);
    std::sort(scored_.begin(), scored_.end());
    order.clear();
    for (const auto& [score, f] : scored_) order.push_back(f);
  }

  // A subproblem's part that starts with `feature`, as engines claim it.
  static std::size_t part(const Layer<W>& layer, const Subproblem<W>& s, std::uint32_t feature) {
    const std::size_t rest = (static_cast<std::size_t>(s.fact.lower) << 32 | feature) * 2 +
                             (layer.measure == Measure::kDepth);
    return s.examples.hash() ^
           ((rest << 24 ^ static_cast<std::size_t>(s.limit)) * std::size_t{0x9E3779B97F4A7C15u});
  }
  // Whether to search `f` now: not if another engine does, as long as there is something else to
  // do.
  bool claim(Layer<W>& layer, const Subproblem<W>& s, Attempt& attempt, std::uint32_t f) {
    if (!attempt.shared) return true;
    const bool mine = attempt.claim.take(facts_.member(), part(layer, s, f));
    if (!mine && attempt.put_off) return false;
    attempt.put_off = attempt.searched = true;
    return true;
  }

  // Moves on to the next feature that has to be searched, and makes its two sides; false when every
  // feature is refuted. Features that stored cores refute come last: by then the grown set may
  // refute them by itself. Cores may have been dropped meanwhile, so what is open again is
  // searched.
  bool next_feature(Layer<W>& layer, Subproblem<W>& s, Attempt& attempt) {
    Growth<W>& growth = attempt.growth;
    for (;;) {
      if (attempt.cuts) refuter_.look_at_cuts(growth);
      for (; attempt.at < attempt.order.size(); ++attempt.at) {
        const std::uint32_t f = attempt.order[attempt.at];
        if (growth.stale()) refuter_.note_inside(layer, s, growth);
        if (growth.refutes(f)) continue;
        if (attempt.cuts && refuter_.isolates(f)) {
          attempt.skipped.push_back(f);
          continue;
        }
        if (!refuter_.refute_stored(layer, s, growth, f, false) && claim(layer, s, attempt, f)) {
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
        if (growth.stale()) refuter_.note_inside(layer, s, growth);
        if (!growth.refutes(f)) refuter_.refute_stored(layer, s, growth, f, true);
      }
      auto refuted = [&](std::uint32_t f) { return growth.refutes(f); };
      std::erase_if(attempt.later, refuted);
      std::erase_if(attempt.skipped, refuted);
      attempt.order.clear();
      attempt.order.swap(attempt.later);
      attempt.at = 0;
      if (!attempt.order.empty()) continue;
      if (attempt.skipped.empty()) return false;
      if (refuter_.try_cuts(s, growth, attempt.skipped)) {
        attempt.kind = LemmaKind::kCuts;
        return false;
      }
      // Those that cut off more by now are searched; if there are none, then all are.
      for (std::uint32_t f : attempt.skipped) {
        if (!refuter_.isolates(f)) attempt.order.push_back(f);
      }
      if (attempt.order.empty()) {
        attempt.cuts = false;
        attempt.order.swap(attempt.skipped);
      } else {
        std::erase_if(attempt.skipped, [&](std::uint32_t f) { return !refuter_.isolates(f); });
      }
    }
  }

  void open_sides(Layer<W>& layer, Subproblem<W>& s, Attempt& attempt, std::uint32_t f) {
    attempt.feature = f;
    for (int one = 0; one < 2; ++one) {
      attempt.side[one] = side_of(examples_, s, f, one != 0);
      facts_.look(layer, attempt.side[one], attempt.growth.grown());
    }
  }

  // The side whose bound to raise next; null once the feature is refuted, or is a root that solves
  // `s`.
  Subproblem<W>* next_side(Layer<W>& layer, Subproblem<W>& s, Attempt& attempt) {
    Subproblem<W>&zero = attempt.side[0], &one = attempt.side[1];
    const int low = zero.fact.lower, high = one.fact.lower, k = attempt.growth.bound();
    const bool size = layer.measure == Measure::kSize;
    const int both = size ? low + high : std::max(low, high);
    if (both >= k) return nullptr;
    if (zero.fact.settled() && one.fact.settled()) {
      facts_.solve_by(layer, s, static_cast<int>(attempt.feature), both + 1);
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
  void close_sides(Layer<W>& layer, Subproblem<W>& s, Attempt& attempt) {
    const int k = attempt.growth.bound();
    for (int one = 0; one < 2 && !s.fact.solved(); ++one) {
      const Subproblem<W>& side = attempt.side[one];
      const bool other_never = attempt.side[1 - one].fact.lower >= kUnknown;
      if (attempt.growth.refutes(attempt.feature)) break;
      if (other_never && side.fact.lower < kUnknown) continue;
      if (layer.measure == Measure::kDepth && side.fact.lower < k) continue;
      refuter_.absorb_side(attempt.growth, side, k);
    }
    release(layer, attempt.side[0]);
    release(layer, attempt.side[1]);
  }

  // Leaves examples out of a small core, one by one, while its bound stays.
  Task shrink(Layer<W>& layer, Subproblem<W>& s, Core<W>& core) {
    std::vector<std::uint32_t> rows;
    core.examples.list(rows);
    for (std::size_t i = rows.size(); i-- > 0;) {
      if (!core.examples.has(rows[i])) continue;
      Subproblem<W> less{core.examples};
      less.examples.remove(rows[i]);
      less.parent = &s;
      less.limit = s.limit;
      less.lasting = false;
      facts_.look(layer, less, less.examples);
      while (!less.fact.settled() && less.fact.lower < core.bound) co_await raise(layer, less);
      if (less.fact.lower >= core.bound) core = less.fact.core;
      release(layer, less);
    }
  }

  const ExampleTable<W>& examples_;
  Facts<W> facts_;
  Gain<W> gain_;
  Apart<W> apart_;
  PairBounds<W> pair_bounds_;
  LongPath<W> long_path_;
  Refuter<W> refuter_;
  Bottom<W> bottom_;
  Runner* runner_ = nullptr;
  std::vector<std::unique_ptr<Attempt>> spare_attempts_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> scored_;
};

}  // namespace dtfinder
