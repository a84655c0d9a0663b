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

#include "exact/composition.hpp"
#include "exact/cost_one.hpp"
#include "exact/exchange.hpp"
#include "exact/luck.hpp"
#include "exact/packing.hpp"
#include "exact/singleton_cuts.hpp"
#include "exact/subproblem.hpp"
#include "exact/switches.hpp"
#include "shared/task.hpp"

namespace dtfinder {

// What one measure knows: its cores, and its cache.
template <int W>
struct Layer {
  Layer(const Examples<W>& examples, Measure of, std::size_t slots, std::size_t limits)
      : measure(of), store(examples, slots, limits), inside(store) {}
  Measure measure;
  CoreStore<W> store;
  InsideIndex<W> inside;
  Cache<W> cache;
};

// One attempt to raise the bound of a subproblem; see `raise`.
template <int W>
struct Attempt {
  explicit Attempt(const Examples<W>& examples) : growth(examples) {}
  Growth<W> growth;
  std::vector<std::uint32_t> order;    // features to refute; those before `at` are done
  std::vector<std::uint32_t> later;    // features that stored cores refute
  std::vector<std::uint32_t> skipped;  // features that cut off one example
  std::size_t at = 0;
  std::uint32_t feature = 0;  // the one that is searched, and its two sides
  Subproblem<W> side[2];
  LemmaKind kind = LemmaKind::kSplit;
  bool shared = false;     // with other engines; what follows is for their sake
  bool put_off = true;     // what others search waits
  bool searched = false;   // something, in this round
  std::uint64_t news = 0;  // readings of news when it was last looked at
  typename Membership<W>::Claim claim{};
};

template <int W>
class Search {
 public:
  Search(const Examples<W>& examples, const Switches& switches, int max_limit)
      : examples_(examples),
        switches_(switches),
        size_(examples, Measure::kSize, slots(), max_limit < kNoLimit ? limits(max_limit) : 0),
        depth_(examples, Measure::kDepth, slots(), 0),
        own_lemmas_(switches.proof),
        cost_one_(examples),
        packing_(examples),
        folding_(examples, packing_),
        cuts_(examples) {
    fill_logs();
  }

  Runner& runner() { return *runner_; }
  void use(Runner& runner) { runner_ = &runner; }
  Layer<W>& size_layer() { return size_; }
  Layer<W>& depth_layer() { return depth_; }
  LemmaLog& lemmas() { return *lemmas_; }
  const LemmaLog& lemmas() const { return *lemmas_; }
  // From now on this search shares its facts; it must not have begun.
  void join(std::shared_ptr<Exchange<W>> exchange) {
    member_.join(std::move(exchange));
    lemmas_ = &member_.exchange()->lemmas();
  }
  const std::shared_ptr<Exchange<W>>& exchange() const { return member_.exchange(); }
  // From now on the others in `owners` own all parts of the search but every so-manieth.
  void own(std::size_t owner, std::size_t owners) {
    owner_ = owner;
    owners_ = owners;
  }
  // Takes in what other engines have proven since the last time.
  void read_news();
  std::uint64_t steps() const { return steps_; }
  void spend(std::uint64_t steps) { steps_ += steps; }
  const Examples<W>& examples() const { return examples_; }
  const Switches& switches() const { return switches_; }
  std::size_t bytes() const {
    const std::size_t words = examples_.set_words();
    return size_.store.bytes() + depth_.store.bytes() + size_.cache.bytes(words) +
           depth_.cache.bytes(words) + lemmas_->bytes() / member_.sharing() + folding_.bytes();
  }

  // What the store, the cache and the cost-1 test know about `s` at once.
  void look(Layer<W>& layer, Subproblem<W>& s, const Set<W>& first);
  // Raises the lower bound of `s`, or solves it. `s` must not be settled.
  Task raise(Layer<W>& layer, Subproblem<W>& s);
  // Settles whether `s` has a tree within its depth limit, as far as its twin must know.
  Task check_depth(Subproblem<W>& s);
  void release(Layer<W>& layer, Subproblem<W>& s) {
    layer.inside.release(s);
    folding_.release(s.fold);
    if (s.twin) depth_.inside.release(*s.twin);
  }
  // The side of `s` where `feature` is one (or zero), as a subproblem.
  Subproblem<W> side_of(Subproblem<W>& s, std::size_t feature, bool one);

  // Higher is better: the information that splitting `x` by `feature` gives about the class.
  std::int64_t gain(const Set<W>& x, std::size_t feature) const;
  const std::vector<std::int64_t>& logs() const { return logs_; }
  // Under a depth limit: the same examples as a depth problem.
  void give_twin(Subproblem<W>& s) {
    if (s.limit >= kNoLimit) return;
    s.twin = std::make_unique<Subproblem<W>>();
    s.twin->examples = s.examples;
    s.twin->lasting = s.lasting;
    if (s.parent) s.twin->parent = s.parent->twin.get();
    s.twin->feature = s.feature;
    s.twin->one = s.one;
  }
  // Facts are dropped, never the answer.
  void drop_facts(bool all) {
    size_.cache.clear();
    depth_.cache.clear();
    if (!all) return;
    size_.store.clear();
    depth_.store.clear();
  }

 private:
  static constexpr std::uint64_t kWorthTelling = 100;  // steps that a fact took
  static constexpr int kWorthClaiming = 4;             // bound of a subproblem

  std::size_t slots() const {
    const std::size_t most =
        (std::size_t{1} << 21) / std::max<std::size_t>(1, examples_.features());
    return std::clamp<std::size_t>(most / 64 * 64, 64, switches_.slots);
  }
  std::size_t limits(int max_limit) const {
    return std::min<std::size_t>(static_cast<std::size_t>(max_limit), examples_.count()) + 1;
  }
  void fill_logs();
  bool find_cached(Layer<W>& layer, Subproblem<W>& s);
  bool find_stored(Layer<W>& layer, Subproblem<W>& s);
  bool find_fold(Layer<W>& layer, Subproblem<W>& s);
  Core<W> fold_core(const Fold& fold);
  bool extend_core(Layer<W>& layer, Subproblem<W>& s);
  bool pack_pairs(Layer<W>& layer, Subproblem<W>& s);
  void add_pair(Core<W>& core, std::uint32_t a, std::uint32_t b);
  void conclude_parts(Layer<W>& layer, Subproblem<W>& s, Core<W>& core,
                      const std::vector<LemmaId>& cited);
  bool find_parts(Layer<W>& layer, Subproblem<W>& s);
  void note_inside(Layer<W>& layer, Subproblem<W>& s, Growth<W>& growth);
  int stored_side(Layer<W>& layer, Subproblem<W>& s, std::size_t f, bool one, int most, int least,
                  int limit, const Set<W>* grown, const Core<W>** best);
  bool refute_stored(Layer<W>& layer, Subproblem<W>& s, Growth<W>& growth, std::size_t f,
                     bool absorb);
  void order_features(const Set<W>& x, const Growth<W>& growth, std::vector<std::uint32_t>& order);
  Set<W> opposite_pair(const Set<W>& x, const Set<W>& near) const;
  void absorb_side(Growth<W>& growth, const Subproblem<W>& side, int needed);
  bool try_cuts(Subproblem<W>& s, Growth<W>& growth, const std::vector<std::uint32_t>& skipped);
  std::unique_ptr<Attempt<W>> begin(Layer<W>& layer, Subproblem<W>& s);
  void set_cuts_aside(const Subproblem<W>& s, Attempt<W>& attempt);
  bool next_feature(Layer<W>& layer, Subproblem<W>& s, Attempt<W>& attempt);
  bool claim(Layer<W>& layer, const Subproblem<W>& s, Attempt<W>& attempt, std::uint32_t f);
  void open_sides(Layer<W>& layer, Subproblem<W>& s, Attempt<W>& attempt, std::uint32_t f);
  Subproblem<W>* next_side(Layer<W>& layer, Subproblem<W>& s, Attempt<W>& attempt);
  void close_sides(Layer<W>& layer, Subproblem<W>& s, Attempt<W>& attempt);
  void conclude(Layer<W>& layer, Subproblem<W>& s, const Core<W>& core);
  void solve_by(Layer<W>& layer, Subproblem<W>& s, int feature, int cost);
  Task shrink(Layer<W>& layer, Subproblem<W>& s, Core<W>& core);
  Core<W> compose(Growth<W>& growth, LemmaKind kind);
  Core<W> leaf_core(const Set<W>& set, int bound, Measure measure);
  void rows_of(const Set<W>& set, std::vector<std::uint32_t>& rows) const {
    rows.clear();
    set.each([&](std::size_t e) { rows.push_back(static_cast<std::uint32_t>(e)); });
  }
  // A subproblem's part that starts with `feature`, as engines claim it.
  static std::size_t part(const Layer<W>& layer, const Subproblem<W>& s, std::uint32_t feature) {
    const std::size_t rest = (static_cast<std::size_t>(s.fact.lower) << 32 | feature) * 2 +
                             (layer.measure == Measure::kDepth);
    return s.examples.hash() ^
           ((rest << 24 ^ static_cast<std::size_t>(s.limit)) * std::size_t{0x9E3779B97F4A7C15u});
  }
  static bool impossible(int bound, int limit) { return limit <= 27 && bound >= 1 << limit; }

  const Examples<W>& examples_;
  Switches switches_;
  Layer<W> size_, depth_;
  LemmaLog own_lemmas_;
  LemmaLog* lemmas_ = &own_lemmas_;
  Membership<W> member_;
  std::size_t owner_ = 0, owners_ = 1;
  std::uint64_t news_ = 0;  // counts readings that brought something
  CostOne<W> cost_one_;
  Packing<W> packing_;
  Folding<W> folding_;
  Luck luck_;
  SingletonCuts<W> cuts_;
  Runner* runner_ = nullptr;
  std::uint64_t steps_ = 0;
  std::vector<std::int64_t> logs_;
  std::vector<std::unique_ptr<Attempt<W>>> spare_attempts_;
  std::vector<std::pair<std::int64_t, std::uint32_t>> scored_;
  std::vector<std::uint32_t> scratch_rows_;
};

}  // namespace dtfinder

#include "exact/search_facts.hpp"
#include "exact/search_parts.hpp"
#include "exact/search_raise.hpp"
#include "exact/search_refute.hpp"
