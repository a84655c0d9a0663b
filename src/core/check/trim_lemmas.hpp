// Shortening a proof: drop citations that a lemma can do without, then lemmas that are not cited.
//
// The engine notes every core that said anything new while a bound was raised; in the end far fewer
// are enough. From the last lemma back, each split (or cuts) chooses its citations again. It first
// takes those that say something new about a feature that is not yet refuted, trying lemmas that
// are needed in any case before others and large bounds before small ones; then it goes through
// what it took a second time, last first. Examples that are lost this way are cited as rows, or
// brought back by a citation if there are many. So the lemma's set stays the same, and nothing that
// cites it changes. What is to be proven stays: lemmas that were never cited, and for every limit
// one of the best bound.
//
// The proof is taken to be valid; then so is what is left. No code is shared with the checker
// (check_lemmas.hpp), which judges the outcome.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace dtfinder {

class LemmaTrimmer {
 public:
  using Number = std::int64_t;

  // `bits` has a row of 0/1 features for each example; rows of the table that were dropped have
  // the example -1; `row_of_example` names a row for each example.
  // With `allowed`, a label allows several of the `classes`.
  LemmaTrimmer(const bool* bits, const Number* labels, std::size_t examples, std::size_t features,
               std::span<const Number> example_of_row, const Number* row_of_example,
               const bool* allowed = nullptr, std::size_t classes = 0)
      : example_of_row_(example_of_row),
        row_of_example_(row_of_example),
        member_words_((examples + 63) / 64),
        words_((features + 63) / 64),
        singles_(examples, Set(member_words_, words_)) {
    std::map<Number, std::vector<Word>> of_label;
    for (std::size_t e = 0; e < examples; ++e) {
      singles_[e].members[e / 64] |= Word{1} << (e % 64);
      for (std::size_t f = 0; f < features; ++f) {
        singles_[e].same[(bits[e * features + f] ? 0 : words_) + f / 64] |= Word{1} << (f % 64);
      }
      of_label[labels[e]].resize(member_words_, 0);
      of_label[labels[e]][e / 64] |= Word{1} << (e % 64);
    }
    for (std::size_t c = 0; c < classes; ++c) {
      against_.emplace_back(member_words_, 0);
      for (std::size_t e = 0; e < examples; ++e) {
        const bool fits = allowed[static_cast<std::size_t>(labels[e]) * classes + c];
        if (!fits) against_[c][e / 64] |= Word{1} << (e % 64);
      }
    }
    for (auto& [label, members] : of_label) labels_.push_back(std::move(members));
  }

  // A proof of the same, usually shorter. Throws std::invalid_argument where a line is not a lemma.
  std::string trimmed(std::string_view text) {
    lemmas_.clear();
    for (std::size_t at = 0, end = 0; at < text.size(); at = end + 1) {
      end = std::min(text.find('\n', at), text.size());
      read(text.substr(at, end - at));
    }
    find_goals();
    for (std::size_t i = lemmas_.size(); i-- > 0;) {
      if (!lemmas_[i].needed) continue;
      if (lemmas_[i].head[0] == 's' || lemmas_[i].head[0] == 'c') choose_citations(i);
      for (const Citation& one : lemmas_[i].citations) {
        if (one.number < 0) cited(i, one).needed = true;
      }
    }
    return written();
  }

 private:
  using Word = std::uint64_t;
  static constexpr Number kInfinite = Number{1} << 50;  // a bound, or a limit that is none
  static constexpr std::size_t kExtraRows = 3;

  struct Set {
    Set(std::size_t member_words, std::size_t words) : members(member_words), same(2 * words) {}
    std::vector<Word> members;
    std::vector<Word> same;  // features that all members have, then features that all lack
  };
  struct Citation {
    Number number;     // of a row, or how many lemmas to go back, below 0
    Number times = 1;  // how often a part counts; that of a pair is with its second row
  };
  struct Lemma {
    std::string_view head;  // kind, bound and limit
    Number bound, limit;
    std::vector<Citation> citations;
    Set set;
    bool needed = true;  // by others, or as a goal
  };
  struct Choice {
    Citation citation;
    const Set* set;
    const Lemma* lemma = nullptr;  // none for a row
    bool needed() const { return lemma && lemma->needed; }
  };
  struct Level {  // kept by bound, ascending
    Number bound;
    std::vector<Word> known;  // features whose one side has at least this bound, then zero side
  };

  static void need(bool holds, std::string_view line) {
    if (!holds) throw std::invalid_argument("not a lemma: " + std::string(line.substr(0, 60)));
  }
  // Reads a number off the front of `rest`.
  static Number read_number(std::string_view& rest, std::string_view line) {
    std::int32_t number = 0;
    const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    need(read.ec == std::errc{}, line);
    rest.remove_prefix(static_cast<std::size_t>(read.ptr - rest.data()));
    return number;
  }
  static bool skip(std::string_view& rest, std::string_view mark) {
    if (!rest.starts_with(mark)) return false;
    rest.remove_prefix(mark.size());
    return true;
  }
  void read(std::string_view line) {
    Lemma lemma{line.substr(0, line.find(' ', 2)), kInfinite, kInfinite, {}, Set(0, 0)};
    std::string_view rest = line;
    need(skip(rest, "s ") || skip(rest, "c ") || skip(rest, "p ") || skip(rest, "l ") ||
             skip(rest, "a "),
         line);
    if (!skip(rest, "inf")) lemma.bound = read_number(rest, line);
    if (skip(rest, "/")) lemma.limit = read_number(rest, line);
    need(lemma.bound >= 0 && lemma.limit >= 0, line);
    do {
      need(skip(rest, " "), line);
      Citation one{read_number(rest, line)};
      if (skip(rest, "*")) one.times = read_number(rest, line);
      need(exists(one.number) && (one.times == 1 || (line[0] == 'p' && one.times > 1)), line);
      const Set& set = set_of(lemmas_.size(), one);
      if (lemma.citations.empty()) lemma.set = set;
      lemma.citations.push_back(one);
      for (std::size_t w = 0; w < member_words_; ++w) lemma.set.members[w] |= set.members[w];
      for (std::size_t w = 0; w < 2 * words_; ++w) lemma.set.same[w] &= set.same[w];
    } while (!rest.empty());
    lemmas_.push_back(std::move(lemma));
  }
  // Whether the next lemma may cite this number.
  bool exists(Number number) const {
    const auto place = static_cast<std::size_t>(number);
    if (number < 0) return -number <= static_cast<Number>(lemmas_.size());
    return place < example_of_row_.size() && example_of_row_[place] >= 0 &&
           static_cast<std::size_t>(example_of_row_[place]) < singles_.size();
  }
  // The lemma that lemma `i` cites.
  Lemma& cited(std::size_t i, const Citation& one) {
    assert(one.number < 0);
    return lemmas_[i - static_cast<std::size_t>(-one.number)];
  }
  const Set& set_of(std::size_t i, const Citation& one) {
    if (one.number < 0) return cited(i, one).set;
    const Number e = example_of_row_[static_cast<std::size_t>(one.number)];
    return singles_[static_cast<std::size_t>(e)];
  }

  void find_goals() {
    std::map<Number, Lemma*> best;  // by limit; the first of several
    for (std::size_t i = 0; i < lemmas_.size(); ++i) {
      for (const Citation& one : lemmas_[i].citations) {
        if (one.number < 0) cited(i, one).needed = false;
      }
      Lemma*& known = best[lemmas_[i].limit];
      if (!known || lemmas_[i].bound > known->bound) known = &lemmas_[i];
    }
    // A bound under one limit may be a goal and also serve another.
    for (const auto& [limit, lemma] : best) lemma->needed = true;
  }

  void choose_citations(std::size_t i) {
    Lemma& lemma = lemmas_[i];
    all_.clear();
    for (const Citation& one : lemma.citations) {
      all_.push_back({one, &set_of(i, one), one.number < 0 ? &cited(i, one) : nullptr});
    }
    auto rank = [](const Choice& one) {
      return std::tuple(one.lemma != nullptr, !one.needed(), one.lemma ? -one.lemma->bound : 0);
    };
    std::stable_sort(all_.begin(), all_.end(),
                     [&](const Choice& a, const Choice& b) { return rank(a) < rank(b); });
    find_wanted(lemma);
    take_what_refutes(lemma, all_);
    // What was taken last says what none before it did: seen from there, some of those may go.
    taken_.swap(own_);
    auto spare = [](const Choice& one) { return one.lemma && !one.needed(); };
    std::reverse(std::find_if(taken_.begin(), taken_.end(), spare), taken_.end());
    take_what_refutes(lemma, taken_);
    bring_back_examples(lemma);
  }

  // Finds the features that must be refuted: those that split the set, except singleton cuts; and
  // the sides that are impure: of two labels or, of sets of classes, with an example against each.
  void find_wanted(const Lemma& lemma) {
    std::vector<Word> some(2 * words_), twice(2 * words_), here(2 * words_);
    impure_.assign(2 * words_, 0);
    for (const std::vector<Word>& of_label : labels_) {
      std::fill(here.begin(), here.end(), 0);
      each(lemma.set.members, of_label, [&](std::size_t e) {
        for (std::size_t w = 0; w < 2 * words_; ++w) {
          twice[w] |= (some[w] | here[w]) & singles_[e].same[w];
          here[w] |= singles_[e].same[w];
        }
      });
      for (std::size_t w = 0; w < 2 * words_; ++w) {
        impure_[w] |= some[w] & here[w];
        some[w] |= here[w];
      }
    }
    if (!against_.empty()) impure_.assign(2 * words_, ~Word{0});
    for (const std::vector<Word>& against : against_) {
      std::fill(here.begin(), here.end(), 0);
      each(lemma.set.members, against, [&](std::size_t e) {
        for (std::size_t w = 0; w < 2 * words_; ++w) here[w] |= singles_[e].same[w];
      });
      for (std::size_t w = 0; w < 2 * words_; ++w) impure_[w] &= here[w];
    }
    const std::vector<Word>& split = lemma.head[0] == 'c' ? twice : some;
    wanted_.assign(words_, 0);
    if (lemma.limit == 0 || lemma.bound < 2) return;  // two classes are enough
    for (std::size_t w = 0; w < words_; ++w) wanted_[w] = split[w] & split[words_ + w];
  }
  template <class See>
  static void each(const std::vector<Word>& members, const std::vector<Word>& mask, See&& see) {
    for (std::size_t w = 0; w < members.size(); ++w) {
      for (Word rest = members[w] & mask[w]; rest; rest &= rest - 1) {
        see(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }

  // The limit under which the sides are looked at.
  static Number side_limit(const Lemma& lemma) {
    return lemma.limit == kInfinite ? kInfinite : std::max<Number>(lemma.limit - 1, 0);
  }
  // What a bound counts on a side: nothing above `enough`, and where that is infinite, nothing
  // less. No tree of depth d has 2^d inner nodes.
  static Number side_bound(const Lemma& lemma, Number bound) {
    if (side_limit(lemma) < 49 && bound >= Number{1} << side_limit(lemma)) bound = kInfinite;
    return lemma.bound == kInfinite && bound < kInfinite ? 0 : std::min(bound, enough(lemma));
  }
  // The bound of a side that refutes its feature alone.
  static Number enough(const Lemma& lemma) {
    return lemma.bound == kInfinite ? kInfinite : lemma.bound - 1;
  }
  void take_what_refutes(const Lemma& lemma, const std::vector<Choice>& choices) {
    std::set<Number> bounds{0, side_bound(lemma, 1)};
    for (const Choice& one : choices) {
      if (one.lemma) bounds.insert(side_bound(lemma, one.lemma->bound));
    }
    levels_.clear();
    for (Number bound : bounds) {  // every side has bound 0
      levels_.push_back({bound, std::vector<Word>(2 * words_, bound > 0 ? 0 : ~Word{0})});
    }
    left_ = wanted_;
    learn(side_bound(lemma, 1), impure_);
    own_.clear();
    std::size_t at = 0;
    for (; at < choices.size() && !choices[at].lemma; ++at) own_.push_back(choices[at]);
    for (bool more = open(lemma); more && at < choices.size(); ++at) {
      const Lemma& other = *choices[at].lemma;
      if (other.limit < side_limit(lemma)) continue;
      if (!learn(side_bound(lemma, other.bound), other.set.same)) continue;
      own_.push_back(choices[at]);
      more = open(lemma);
    }
  }
  // Takes in that these features have such a bound on their side; returns whether that is new.
  bool learn(Number bound, const std::vector<Word>& sides) {
    Word gained = 0;
    for (Level& level : levels_) {  // if anything is new, it is new at its own bound
      if (level.bound > bound) break;
      gained = 0;
      for (std::size_t w = 0; w < 2 * words_; ++w) {
        gained |= left_[w % words_] & sides[w] & ~level.known[w];
        level.known[w] |= sides[w];
      }
    }
    return gained != 0;
  }
  // Whether something wanted is left: features whose sides do not add up to `enough`.
  bool open(const Lemma& lemma) {
    for (const Level& one : levels_) {
      const auto zero = std::find_if(levels_.begin(), levels_.end(), [&](const Level& level) {
        return level.bound >= enough(lemma) - one.bound;
      });
      for (std::size_t w = 0; zero != levels_.end() && w < words_; ++w) {
        left_[w] &= ~(one.known[w] & zero->known[words_ + w]);
      }
    }
    return std::any_of(left_.begin(), left_.end(), [](Word word) { return word != 0; });
  }

  // Cites what was taken, and brings back the examples that are lost with the rest.
  void bring_back_examples(Lemma& lemma) {
    std::vector<Word> lost = lemma.set.members;
    auto take = [&](const Choice& one) {
      for (std::size_t w = 0; w < member_words_; ++w) lost[w] &= ~one.set->members[w];
    };
    auto count = [&](const std::vector<Word>& mask) {
      std::size_t total = 0;
      for (std::size_t w = 0; w < member_words_; ++w) total += std::popcount(lost[w] & mask[w]);
      return total;
    };
    for (const Choice& one : own_) take(one);
    while (count(lost) > kExtraRows) {
      const Choice* best = nullptr;
      std::size_t most = 1;  // what is needed in any case wins a tie
      for (const Choice& one : all_) {
        const std::size_t gain = 2 * count(one.set->members) + one.needed();
        if (gain > most) most = gain, best = &one;
      }
      assert(best);
      own_.push_back(*best);
      take(*best);
    }
    lemma.citations.clear();
    for (const Choice& one : own_) lemma.citations.push_back(one.citation);
    each(lost, lost, [&](std::size_t e) { lemma.citations.push_back({row_of_example_[e]}); });
  }

  std::string written() const {
    std::string out;
    std::vector<Number> now(lemmas_.size(), 0);
    Number next = 0;
    for (std::size_t i = 0; i < lemmas_.size(); ++i) {
      if (!lemmas_[i].needed) continue;
      out += lemmas_[i].head;
      for (const Citation& one : lemmas_[i].citations) {
        const auto back = static_cast<std::size_t>(-one.number);
        out += ' ' + std::to_string(one.number < 0 ? now[i - back] - next : one.number);
        if (one.times > 1) out += '*' + std::to_string(one.times);
      }
      out += '\n';
      now[i] = next++;
    }
    return out;
  }

  std::span<const Number> example_of_row_;
  const Number* row_of_example_;
  std::size_t member_words_, words_;
  std::vector<Set> singles_;
  std::vector<std::vector<Word>> labels_;   // the members of each
  std::vector<std::vector<Word>> against_;  // of sets, for each class those that do not allow it
  std::vector<Lemma> lemmas_;
  std::vector<Choice> all_, taken_, own_;  // what a lemma cites, and what it keeps of that
  std::vector<Word> wanted_, left_, impure_;
  std::vector<Level> levels_;
};

}  // namespace dtfinder
