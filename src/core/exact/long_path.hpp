// A lower bound on depth where features are rare: one path that must be long.
//
// Take any row of values v, one for each feature, whether or not the table has it, and follow it
// down a tree for X. It ends in a leaf of some class c. Every example that does not allow c has
// left this path at a node, and there it differs from v in the feature that the node asks. If each
// feature separates at most one of m such examples from v, the path has m nodes at least. So the
// depth of X is at least m if for every class c there are m examples that do not allow it of which
// no two differ from v in the same feature.
//
// Here v takes for each feature the value that most examples of X have; its path is the spine
// (spine/spine.hpp). Where features are rare, examples differ from v in few features. They are
// packed greedily, those first that share fewest of these with others: mostly as good as the bound
// by a linear program.
//
// A class that no chosen example allows needs no examples of its own: what is there against any
// other class is against it, too. An example that equals v rules out all classes that it does not
// allow. Whatever was chosen, `needed_by` judges it alone, with the values that most of the chosen
// examples have for v: that is the rule that checkers apply, too (lemmas.hpp).
#pragma once

#include "exact/facts.hpp"
#include "exact/success_rate.hpp"

namespace dtfinder {

template <int W>
class LongPath {
 public:
  explicit LongPath(Facts<W>& facts)
      : facts_(facts),
        examples_(facts.examples()),
        path_(examples_.row_words()),
        taken_(examples_.classes() * examples_.row_words()),
        against_(examples_.classes()),
        count_(examples_.features()) {}

  // Whether a long path gives a better bound of `s` than what is known; then `s` has it.
  bool find(Layer<W>& layer, Subproblem<W>& s) {
    assert(!s.fact.settled());
    if (layer.measure != Measure::kDepth || !facts_.switches().paths) return false;
    const int k = s.fact.lower, least = facts_.switches().least_path;
    if (k + 1 < least && s.parent) return false;
    if (s.fact.packed || (s.parent && !success_.worth_trying(k))) return false;
    s.fact.packed = true;
    choose(s.examples);
    const int bound = needed_by(chosen_);
    if (bound <= k || bound < least) return false;
    leave_out(bound);
    Core<W> core{examples_.none(), bound, kNoLimit, kNoLemma, Measure::kDepth};
    for (std::uint32_t e : chosen_) core.examples.add(e);
    facts_.record(core, LemmaKind::kPath, {}, chosen_);
    facts_.conclude(layer, s, core);
    success_.succeeded(k);
    return true;
  }

 private:
  static constexpr int kNever = 1 << 20;

  // Examples of `x` that may need a long path together.
  void choose(const Set<W>& x) {
    const std::size_t words = examples_.row_words(), size = x.size();
    std::fill(path_.begin(), path_.end(), 0);
    for (std::size_t f = 0; f < examples_.features(); ++f) {
      const bool one = 2 * x.count_in(examples_.column(f)) > size;
      path_[f / 64] |= Word{one} << (f % 64);
    }
    std::uint64_t work = examples_.features() * x.words();
    clashes_.assign(examples_.count(), 0);
    for (std::size_t c = 0; c < against_.size(); ++c) {
      const Set<W> others = x.without(examples_.allow(c));
      const std::size_t all = others.size();
      if (all == size) continue;
      work += examples_.features() * x.words() + all * words;
      for (std::size_t f = 0; f < examples_.features(); ++f) {
        const std::size_t ones = others.count_in(examples_.column(f));
        const bool one = path_[f / 64] >> (f % 64) & 1;
        count_[f] = static_cast<std::uint32_t>(one ? all - ones : ones);
      }
      others.each([&](std::size_t e) {
        std::uint32_t clashes = 0;
        const Word* row = examples_.row(e);
        for (std::size_t i = 0; i < words; ++i) {
          for (Word left = row[i] ^ path_[i]; left; left &= left - 1) {
            clashes += count_[i * 64 + static_cast<std::size_t>(std::countr_zero(left))] - 1;
          }
        }
        clashes_[e] += clashes;
      });
    }
    order_.clear();
    x.each([&](std::size_t e) { order_.emplace_back(clashes_[e], static_cast<std::uint32_t>(e)); });
    std::sort(order_.begin(), order_.end());
    facts_.spend(1 + (work + size * words) / 16);
    std::fill(taken_.begin(), taken_.end(), 0);
    chosen_.clear();
    for (const auto& [clashes, e] : order_) {
      if (take(e)) chosen_.push_back(e);
    }
  }
  // Takes `e` if, for every class that it does not allow, it differs from the path in no feature in
  // which another one does that was taken.
  bool take(std::uint32_t e) {
    const std::size_t words = examples_.row_words();
    const Word* row = examples_.row(e);
    for (std::size_t c = 0; c < against_.size(); ++c) {
      if (examples_.allow(c).has(e)) continue;
      const Word* taken = taken_.data() + c * words;
      for (std::size_t i = 0; i < words; ++i) {
        if ((row[i] ^ path_[i]) & taken[i]) return false;
      }
    }
    for (std::size_t c = 0; c < against_.size(); ++c) {
      if (examples_.allow(c).has(e)) continue;
      Word* taken = taken_.data() + c * words;
      for (std::size_t i = 0; i < words; ++i) taken[i] |= row[i] ^ path_[i];
    }
    return true;
  }

  // The depth that a tree for these examples needs, by their own path; 0 if that shows nothing.
  int needed_by(const std::vector<std::uint32_t>& examples) {
    const std::size_t words = examples_.row_words();
    count_.assign(examples_.features(), 0);
    for (std::uint32_t e : examples) {
      for (std::size_t i = 0; i < words; ++i) {
        for (Word left = examples_.row(e)[i]; left; left &= left - 1) {
          ++count_[i * 64 + static_cast<std::size_t>(std::countr_zero(left))];
        }
      }
    }
    std::fill(path_.begin(), path_.end(), 0);
    for (std::size_t f = 0; f < examples_.features(); ++f) {
      path_[f / 64] |= Word{2 * count_[f] > examples.size()} << (f % 64);
    }
    facts_.spend(1 + examples.size() * words / 4);
    std::fill(taken_.begin(), taken_.end(), 0);
    std::fill(against_.begin(), against_.end(), 0);
    allowed_.assign(against_.size(), false);
    for (std::uint32_t e : examples) {
      if (!take(e)) return 0;
      const bool equal = std::equal(path_.begin(), path_.end(), examples_.row(e));
      for (std::size_t c = 0; c < against_.size(); ++c) {
        if (examples_.allow(c).has(e)) {
          allowed_[c] = true;
        } else {
          against_[c] += equal ? kNever : 1;
        }
      }
    }
    int least = kNever;
    for (std::size_t c = 0; c < against_.size(); ++c) {
      if (allowed_[c]) least = std::min(least, against_[c]);
    }
    return least < kNever ? least : 0;
  }
  // Leaves out chosen examples, the last first, that are not needed for `bound`.
  void leave_out(int bound) {
    for (std::size_t at = chosen_.size(); at-- > 0;) {
      const std::uint32_t e = chosen_[at];
      bool spare = true;
      for (std::size_t c = 0; c < against_.size() && spare; ++c) {
        spare = examples_.allow(c).has(e) || against_[c] > bound;
      }
      if (!spare) continue;
      std::vector<std::uint32_t> fewer = chosen_;
      fewer.erase(fewer.begin() + static_cast<long>(at));
      if (needed_by(fewer) >= bound) {
        chosen_.swap(fewer);
      } else {
        needed_by(chosen_);
      }
    }
  }

  Facts<W>& facts_;
  const ExampleTable<W>& examples_;
  std::vector<Word> path_, taken_;  // the latter by class: features that separate a taken example
  std::vector<int> against_;        // by class: chosen examples that do not allow it
  std::vector<bool> allowed_;       // by class: whether a chosen example allows it
  std::vector<std::uint32_t> chosen_;
  std::vector<std::uint32_t> count_;    // by feature: examples
  std::vector<std::uint32_t> clashes_;  // by example: how often others differ where it does
  std::vector<std::pair<std::uint32_t, std::uint32_t>> order_;
  SuccessRate success_;
};

}  // namespace dtfinder
