// Shortening a proof: citations that a lemma can do without, and lemmas that nobody cites then.
//
// The engine notes every core that said anything new while a bound was raised; in the end far fewer
// will do. From the last lemma back, each split (or cuts) chooses anew: first among the lemmas that
// are needed anyhow, those of large bounds first, it takes what says something new of a feature
// that is not yet refuted; and once more of these, the last first. Examples that are lost so are
// cited as rows, or brought back by a citation where they are many: the lemma's set stays what it
// was, so nothing that cites it changes. What is to be proven stays: lemmas that were not cited in
// the first place, and for every limit one of the best bound.
//
// The proof is checked on the way, as it must be for the sets of its lemmas.
#pragma once

#include <charconv>
#include <span>
#include <tuple>

#include "check/check_lemmas.hpp"

namespace dtfinder {

class LemmaTrimmer : public LemmaChecker {
 public:
  using LemmaChecker::LemmaChecker;

  // A proof of the same, usually shorter. `row_of_example` names a row for each example.
  std::string trimmed(std::string_view text, const Number* row_of_example) {
    check(text, [&](std::string_view line) { remember(line); });
    find_goals();
    for (std::size_t i = count(); i-- > 0;) {
      if (!needed_[i]) continue;
      if (lines_[i][0] != 'p') choose_citations(i, row_of_example);
      for (Number cited : numbers(i)) {
        if (cited < 0) needed_[place(i, cited)] = 1;
      }
    }
    return written();
  }

 private:
  static constexpr Number kExtraRows = 3;
  static constexpr Number kTimes = Number{1} << 60;  // added to what says how often a part counts

  struct Choice {
    Cited cited;
    bool needed;  // by others, or as a goal
  };

  static std::size_t place(std::size_t i, Number cited) {
    return static_cast<std::size_t>(static_cast<Number>(i) + cited);
  }

  void remember(std::string_view line) {
    lines_.push_back(line);
    from_.push_back({numbers_.size(), numbers_.size()});
    for (const Cited& one : cited_) {
      numbers_.push_back(one.number);
      if (one.times > 1) numbers_.push_back(kTimes + one.times);
    }
    from_.back().second = numbers_.size();
  }
  // The numbers of lemma i, which may be written anew at the end of all.
  std::span<const Number> numbers(std::size_t i) const {
    return {numbers_.data() + from_[i].first, from_[i].second - from_[i].first};
  }
  void find_goals() {
    needed_.assign(count(), 1);
    for (std::size_t i = 0; i < count(); ++i) {
      for (Number cited : numbers(i)) {
        if (cited < 0) needed_[place(i, cited)] = 0;
      }
    }
    // A bound under one limit may be a goal and also serve another.
    for (const auto& [limit, bound] : best()) {
      for (std::size_t i = 0; i < count(); ++i) {
        if (limits_[i] != limit || bounds_[i] != bound) continue;
        needed_[i] = 1;
        break;
      }
    }
  }

  void choose_citations(std::size_t i, const Number* row_of_example) {
    const Word* set = sets_.data() + i * stride_;
    std::copy(set, set + stride_, whole_.begin());
    bound_ = bounds_[i];
    limit_ = limits_[i];
    all_.clear();
    for (Number number : numbers(i)) {
      const Cited cited = number < 0 ? lemma(static_cast<Number>(i), number) : example(number);
      all_.push_back({cited, number < 0 && needed_[place(i, number)]});
    }
    auto rank = [](const Choice& one) {
      return std::tuple(!one.cited.row, !one.needed, -one.cited.bound);
    };
    std::stable_sort(all_.begin(), all_.end(),
                     [&](const Choice& a, const Choice& b) { return rank(a) < rank(b); });
    find_wanted(lines_[i][0] == 'c');
    take_what_refutes(all_);
    // What was taken last says what none before it did: seen from there, some of those may go.
    taken_.swap(own_);
    auto spare = [](const Choice& one) { return !one.cited.row && !one.needed; };
    std::reverse(std::find_if(taken_.begin(), taken_.end(), spare), taken_.end());
    take_what_refutes(taken_);
    bring_back_examples();
    from_[i].first = numbers_.size();
    for (const Choice& one : own_) numbers_.push_back(one.cited.number);
    for (std::size_t e : missing_) numbers_.push_back(row_of_example[e]);
    from_[i].second = numbers_.size();
  }

  // The features that must be refuted: those that split the set, but for singleton cuts.
  void find_wanted(bool cuts) {
    wanted_.assign(words_, 0);
    const Word *have = all_have(whole_.data()), *lack = all_lack(whole_.data());
    for (std::size_t w = 0; w < words_; ++w) wanted_[w] = ~(have[w] | lack[w]) & in_use(w);
    if (cuts) leave_singles_out();
  }
  void leave_singles_out() {
    once_.assign(2 * words_, 0);  // features that some member has, and that some lacks
    twice_.assign(2 * words_, 0);
    for (std::size_t w = 0; w < member_words_; ++w) {
      for (Word rest = whole_[w]; rest; rest &= rest - 1) {
        const std::size_t e = w * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        const Word* parts = all_have(singles_.data() + e * stride_);  // what it lacks comes next
        for (std::size_t i = 0; i < 2 * words_; ++i) {
          twice_[i] |= once_[i] & parts[i];
          once_[i] |= parts[i];
        }
      }
    }
    for (std::size_t i = 0; i < words_; ++i) wanted_[i] &= twice_[i] & twice_[words_ + i];
  }
  void take_what_refutes(const std::vector<Choice>& choices) {
    begin();
    own_.clear();
    std::size_t at = 0;
    for (; at < choices.size() && choices[at].cited.row; ++at) own_.push_back(choices[at]);
    for (bool more = open(); more && at < choices.size(); ++at) {
      if (!note(choices[at].cited)) continue;
      own_.push_back(choices[at]);
      more = open();
    }
  }

  // What is known of the sides of features: of how many inner nodes each is sure, up to `most_`,
  // which refutes a feature alone. Under infinite bounds only 'infinite' counts.
  int capped(Number bound) const {
    const Number below = limit_ == kInfinite ? kInfinite : limit_ - 1;
    const Number lifted = lift(bound, below);
    if (bound_ == kInfinite) return lifted >= kInfinite;
    return static_cast<int>(std::min(lifted, static_cast<Number>(most_)));
  }
  Word& one(int bound, std::size_t w) {
    return ones_[static_cast<std::size_t>(bound) * words_ + w];
  }
  Word& zero(int bound, std::size_t w) {
    return zeros_[static_cast<std::size_t>(bound) * words_ + w];
  }
  void begin() {
    most_ = bound_ == kInfinite ? 1 : static_cast<int>(bound_ - 1);
    ones_.assign(static_cast<std::size_t>(most_ + 1) * words_, 0);
    zeros_.assign(static_cast<std::size_t>(most_ + 1) * words_, 0);
    left_ = limit_ == 0 ? std::vector<Word>(words_, 0) : wanted_;
    impure_.one.assign(words_, 0);
    impure_.zero.assign(words_, 0);
    note_impure(impure_);
    learn(capped(1), impure_.one.data(), impure_.zero.data());
  }
  // Takes in that these features have such a bound on their side; says whether that is news.
  bool learn(int bound, const Word* have, const Word* lack) {
    bool news = false;
    for (std::size_t w = 0; w < words_; ++w) {
      news |= (left_[w] & ((have[w] & ~one(bound, w)) | (lack[w] & ~zero(bound, w)))) != 0;
    }
    for (int b = news ? bound : 0; b > 0; --b) {
      for (std::size_t w = 0; w < words_; ++w) {
        one(b, w) |= have[w];
        zero(b, w) |= lack[w];
      }
    }
    return news;
  }
  bool note(const Cited& cited) {
    if (limit_ != kInfinite && cited.limit < limit_ - 1) return false;
    const int bound = capped(cited.bound);
    return bound > 0 && learn(bound, all_have(cited.set), all_lack(cited.set));
  }
  // Whether something wanted is left.
  bool open() {
    Word any = 0;
    for (std::size_t w = 0; w < words_; ++w) {
      Word refuted = one(most_, w) | zero(most_, w);
      for (int b = 1; b < most_; ++b) refuted |= one(b, w) & zero(most_ - b, w);
      any |= left_[w] &= ~refuted;
    }
    return any != 0;
  }
  // The examples that are lost with what was not taken: few are cited as rows.
  void bring_back_examples() {
    lost_.assign(whole_.begin(), whole_.begin() + static_cast<long>(member_words_));
    for (const Choice& one : own_) take_from_lost(one);
    for (Number left = lost(lost_); left > kExtraRows; left = lost(lost_)) {
      const Choice* best = nullptr;
      Number most = 1;  // what is needed anyhow wins a tie
      for (const Choice& one : all_) {
        Number gain = 0;
        for (std::size_t w = 0; w < member_words_; ++w) {
          gain += std::popcount(lost_[w] & one.cited.set[w]);
        }
        gain = 2 * gain + one.needed;
        if (gain > most) most = gain, best = &one;
      }
      own_.push_back(*best);
      take_from_lost(*best);
    }
    missing_.clear();
    for (std::size_t w = 0; w < member_words_; ++w) {
      for (Word rest = lost_[w]; rest; rest &= rest - 1) {
        missing_.push_back(w * 64 + static_cast<std::size_t>(std::countr_zero(rest)));
      }
    }
  }
  void take_from_lost(const Choice& one) {
    for (std::size_t w = 0; w < member_words_; ++w) lost_[w] &= ~one.cited.set[w];
  }
  static Number lost(const std::vector<Word>& examples) {
    Number total = 0;
    for (Word word : examples) total += std::popcount(word);
    return total;
  }

  static void append(std::string& text, char before, Number number) {
    char digits[24];
    text += before;
    text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
  }
  std::string written() const {
    std::string out;
    std::vector<Number> now(count(), 0);
    Number next = 0;
    for (std::size_t i = 0; i < count(); ++i) {
      if (!needed_[i]) continue;
      out += lines_[i].substr(0, lines_[i].find(' ', 2));
      for (Number number : numbers(i)) {
        if (number >= kTimes) {
          append(out, '*', number - kTimes);
        } else {
          append(out, ' ', number < 0 ? now[place(i, number)] - next : number);
        }
      }
      out += '\n';
      now[i] = next++;
    }
    return out;
  }

  std::vector<std::string_view> lines_;
  std::vector<Number> numbers_;
  std::vector<std::pair<std::size_t, std::size_t>> from_;
  std::vector<Choice> all_, taken_, own_;  // what a lemma cites, and what it keeps of that
  std::vector<Word> wanted_, lost_, once_, twice_;
  int most_ = 0;
  std::vector<Word> ones_, zeros_;  // by bound: features whose side is sure of it
  Level impure_{};
  std::vector<char> needed_;
  std::vector<std::size_t> missing_;
};

}  // namespace dtfinder
