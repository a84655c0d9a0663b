// Examples apart: a tree has a leaf for each of them.
//
// An example z lies *between* a and b if it has their value in every feature in which they agree.
// Whatever path a and b take together, z takes too: a question on it has the same answer for both.
// So a leaf that holds a and b holds z, and if there is no class that all three allow, it is wrong.
// In a set C, call a and b *apart* if they are opposite, or if some z of C between them is a
// witness of that kind. Examples of C, any two of which are apart, lie in different leaves of every
// tree for C: if there are k + 1 of them, cost(C) >= k, under any limit on depth. With their
// witnesses they are a core.
//
// Where classes alternate along few features, this says at once what composition would take long to
// find. A subproblem holds all of the table's examples between two of its own, as it got them by
// features. So who is apart is found once, for the table, and in a subproblem as many examples as
// possible are chosen: greedily the one that is apart from most of those that are left, then by
// swaps of one for two.
//
// For z between a and b, the features in which z differs from a are among those in which b does. So
// for each z near a, a few columns say at once who is beyond it, and need not be looked at again.
// This is done for one example after the other, beside the search, and given up where few are
// apart.
#pragma once

#include "exact/facts.hpp"
#include "exact/success_rate.hpp"

namespace dtfinder {

template <int W>
class Apart {
 public:
  explicit Apart(Facts<W>& facts)
      : facts_(facts),
        examples_(facts.examples()),
        words_(examples_.row_words()),
        all_(examples_.all()) {
    off_ = !facts.switches().apart || examples_.count() > kMostExamples || examples_.classes() > 64;
  }

  // Whether examples apart give a better bound of `s` than what is known; then `s` has it.
  bool find(Layer<W>& layer, Subproblem<W>& s) {
    assert(!s.fact.settled());
    if (off_ || layer.measure != Measure::kSize || !ready()) return false;
    const int k = s.fact.lower;
    if (s.fact.apart || (s.parent && !success_.worth_trying(k))) return false;
    s.fact.apart = true;
    choose(s.examples);
    if (static_cast<int>(chosen_.size()) <= k + 1) return false;
    Core<W> core = core_of(s.examples);
    if (core.bound <= k) return false;
    success_.succeeded(k);
    facts_.record(core, LemmaKind::kApart, {}, rows_);
    facts_.conclude(layer, s, core);
    return true;
  }
  std::size_t bytes() const {
    return apart_.size() * (sizeof(Set<W>) + (W == 0 ? examples_.set_words() * sizeof(Word) : 0));
  }

 private:
  static constexpr std::size_t kMostExamples = 4096;
  static constexpr std::size_t kNearest = 128;  // examples that others are compared with
  static constexpr std::size_t kSample = 64;    // examples after which the pairs apart are counted
  static constexpr std::uint64_t kShare = 8;    // of all steps, to find who is apart
  static constexpr std::size_t kRare = 64;      // fewer than one in so many pairs: given up

  // Finds who is apart, an example at a time, with no more than a share of all steps; whether that
  // is done.
  bool ready() {
    if (next_ == examples_.count()) return true;
    const auto after = static_cast<std::uint64_t>(facts_.switches().apart_after);
    if (facts_.steps() < after || (after > 0 && facts_.steps() / kShare < spent_)) return false;
    if (apart_.empty()) start();
    const std::uint64_t work = compare(next_++);
    spent_ += work;
    facts_.spend(work);
    if (next_ == std::min(kSample, examples_.count()) && found_ * kRare < compared_) {
      off_ = true;
      apart_ = {};
      return false;
    }
    return next_ == examples_.count();
  }
  void start() {
    apart_.assign(examples_.count(), examples_.none());
    allowed_.assign(examples_.count(), 0);
    for (std::size_t c = 0; c < examples_.classes(); ++c) {
      examples_.allow(c).each([&](std::size_t e) { allowed_[e] |= Word{1} << c; });
    }
  }

  // Finds who is apart from `a`; returns the steps that it took.
  std::uint64_t compare(std::size_t a) {
    near_.clear();
    Set<W> others = all_;  // that are not opposite
    for (std::size_t z = 0; z < examples_.count(); ++z) {
      if (!(allowed_[a] & ~allowed_[z])) continue;
      near_.push_back(Word{examples_.distance(a, z)} << 32 | z);
      if (examples_.opposite(a, z)) others.remove(z);
    }
    std::sort(near_.begin(), near_.end());
    Set<W> apart = all_.without(others), covered = examples_.none();
    std::size_t work = near_.size() * words_ + 2 * examples_.count(), compared = 0;
    for (const Word next : near_) {
      const std::size_t z = next & ~std::uint32_t{0};
      if (covered.has(z)) continue;
      if (++compared > kNearest) break;
      Set<W> beyond = beyond_of(z, a);
      work += (1 + (next >> 32)) * apart.words();
      // An opposite example stands for all those that have it between them and `a`.
      if (examples_.opposite(a, z)) covered |= beyond;
      for (Word both = allowed_[a] & allowed_[z]; both; both &= both - 1) {
        beyond = beyond.without(examples_.allow(static_cast<std::size_t>(std::countr_zero(both))));
      }
      apart |= beyond;
    }
    compared_ += others.size();
    found_ += apart.count_in(others);
    apart_[a] |= apart;
    apart.each([&](std::size_t b) { apart_[b].add(a); });
    return 1 + work / 32;
  }
  // The examples that have `z` between them and `a`: they differ from `a` wherever `z` does.
  Set<W> beyond_of(std::size_t z, std::size_t a) const {
    Set<W> beyond = all_;
    for (std::size_t i = 0; i < words_; ++i) {
      const Word mine = examples_.row(a)[i];
      for (Word left = examples_.row(z)[i] ^ mine; left; left &= left - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(left));
        const Set<W>& column = examples_.column(i * 64 + bit);
        beyond = mine >> bit & 1 ? beyond.without(column) : beyond & column;
      }
    }
    return beyond;
  }
  bool between(std::size_t z, std::size_t a, std::size_t b) const {
    const Word *at = examples_.row(z), *one = examples_.row(a), *other = examples_.row(b);
    for (std::size_t i = 0; i < words_; ++i) {
      if ((at[i] ^ one[i]) & ~(one[i] ^ other[i])) return false;
    }
    return true;
  }

  // Examples of `x`, any two of which are apart. Opposite ones always are, so with one class for
  // each example, they are chosen class by class.
  void choose(const Set<W>& x) {
    chosen_.clear();
    std::size_t work = 1;
    if (examples_.sets()) {
      choose_among(x, work);
    } else {
      for (std::size_t l = 0; l < examples_.labels(); ++l) {
        choose_among(x & examples_.of_label(l), work);
      }
    }
    facts_.spend(1 + work * x.words() / 32);
  }
  void choose_among(const Set<W>& x, std::size_t& work) {
    Set<W> mine = examples_.none(), left = x;
    while (!left.empty()) {
      std::size_t best = 0, most = 0;
      left.each([&](std::size_t e) {
        const std::size_t others = apart_[e].count_in(left) + 1;
        if (others > most) most = others, best = e;
        ++work;
      });
      mine.add(best);
      left = left & apart_[best];
    }
    while (swap(x, mine, work)) {
    }
    mine.each([&](std::size_t e) { chosen_.push_back(static_cast<std::uint32_t>(e)); });
  }
  // Takes one example out of `mine` and puts two others of `x` in, or one where there is room.
  bool swap(const Set<W>& x, Set<W>& mine, std::size_t& work) {
    const std::size_t size = mine.size();
    blocked_.clear();
    bool grown = false;
    x.without(mine).any_of([&](std::size_t e) {
      ++work;
      const std::size_t apart = apart_[e].count_in(mine);
      if (apart == size) {
        mine.add(e);
        return grown = true;
      }
      if (apart + 1 == size) {
        const auto by = static_cast<std::uint32_t>(mine.without(apart_[e]).first());
        blocked_.emplace_back(by, static_cast<std::uint32_t>(e));
      }
      return false;
    });
    if (grown) return true;
    std::sort(blocked_.begin(), blocked_.end());
    for (std::size_t i = 0; i < blocked_.size(); ++i) {
      const auto [by, e] = blocked_[i];
      for (std::size_t j = i + 1; j < blocked_.size() && blocked_[j].first == by; ++j) {
        ++work;
        if (!apart_[e].has(blocked_[j].second)) continue;
        mine.remove(by);
        mine.add(e);
        mine.add(blocked_[j].second);
        return true;
      }
    }
    return false;
  }

  // The chosen examples and their witnesses in `x`. Where `x` is not all that features leave of the
  // table, witnesses may be missing, and examples are left out. `rows_` has the examples apart
  // first, then those that are witnesses only.
  Core<W> core_of(const Set<W>& x) {
    Core<W> core{examples_.none()};
    for (std::uint32_t e : chosen_) core.examples.add(e);
    rows_.clear();
    witnesses_.clear();
    std::size_t work = 1;
    for (std::uint32_t b : chosen_) {
      const bool fits = std::all_of(rows_.begin(), rows_.end(), [&](std::uint32_t a) {
        if (examples_.opposite(a, b)) return true;
        auto is_witness = [&](std::size_t z) {
          ++work;
          if ((allowed_[z] & allowed_[a] & allowed_[b]) || !between(z, a, b)) return false;
          if (!core.examples.has(z)) {
            core.examples.add(z);
            witnesses_.push_back(static_cast<std::uint32_t>(z));
          }
          return true;
        };
        return core.examples.any_of(is_witness) || x.any_of(is_witness);
      });
      (fits ? rows_ : witnesses_).push_back(b);
    }
    facts_.spend(1 + work * words_ / 32);
    core.bound = static_cast<int>(rows_.size()) - 1;
    rows_.insert(rows_.end(), witnesses_.begin(), witnesses_.end());
    return core;
  }

  Facts<W>& facts_;
  const ExampleTable<W>& examples_;
  std::size_t words_;
  Set<W> all_;
  bool off_;
  std::size_t next_ = 0;  // the examples before it have been compared with all others
  std::uint64_t spent_ = 0;
  std::size_t compared_ = 0, found_ = 0;
  std::vector<Set<W>> apart_;  // by example: who is apart from it
  std::vector<Word> allowed_;  // by example: its classes
  SuccessRate success_;
  std::vector<Word> near_;                                        // by differences, then by example
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocked_;  // who keeps whom out
  std::vector<std::uint32_t> chosen_, rows_, witnesses_;
};

}  // namespace dtfinder
