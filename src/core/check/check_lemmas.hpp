// A compiled checker for the lemmas of a certificate: docs/certificates.md, 'Proofs by lemmas'.
//
// It does what the class Lemmas in certify/check.py does, line by line, and includes nothing of the
// engine, nor of what shortens proofs. Examples of the same label allow the same classes: one class
// each, which is the label, or those of a row of `allowed`. A set of examples is a row of words:
// its members, then for every label the features that some member has and those that some member
// lacks; unions are ORs. Beside each set the features that all members have, and lack, are kept.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace dtfinder {

class LemmaChecker {
 public:
  using Number = std::int64_t;
  static constexpr Number kInfinite = Number{1} << 50;  // a bound, or a limit that is none
  static constexpr Number kMost = Number{1} << 30;      // no number that is read is larger

  // `bits` has a row of 0/1 features for each example; rows of the table that were dropped have
  // the example -1. `allowed` has a row of classes for each label, or there is none.
  LemmaChecker(const bool* bits, const Number* labels, std::size_t examples, std::size_t features,
               const Number* example_of_row, std::size_t rows, const bool* allowed = nullptr,
               std::size_t allowed_rows = 0, std::size_t allowed_classes = 0)
      : examples_(examples),
        features_(features),
        rows_(example_of_row, example_of_row + rows),
        labels_(labels, labels + examples),
        member_words_(words(examples)),
        words_(words(features)) {
    for (std::size_t e = 0; e < examples; ++e) {
      if (labels[e] < 0) throw std::invalid_argument("a label is negative");
      kinds_ = std::max(kinds_, static_cast<std::size_t>(labels[e]) + 1);
    }
    if (allowed && kinds_ > allowed_rows) throw std::invalid_argument("a label has no classes");
    classes_ = allowed ? allowed_classes : kinds_;
    against_.resize(classes_);
    for (std::size_t c = 0; c < classes_; ++c) {
      for (std::size_t k = 0; k < kinds_; ++k) {
        if (allowed ? !allowed[k * classes_ + c] : k != c) against_[c].push_back(k);
      }
    }
    sets_of_classes_ = allowed != nullptr;
    stride_ = member_words_ + (2 * kinds_ + 2) * words_;
    singles_.assign(examples * stride_, 0);
    whole_.resize(stride_);
    for (std::size_t e = 0; e < examples; ++e) {
      add_single(e, bits + e * features, static_cast<std::size_t>(labels[e]));
    }
  }

  // Checks all lines, which may cite lines checked before; throws std::invalid_argument with the
  // first that fails.
  void check(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      try {
        check_line(line);
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("lemma " + std::to_string(bounds_.size()) + " (" +
                                    std::string(line.substr(0, 60)) + "): " + error.what());
      }
      at = end + 1;
    }
  }
  // Checks one line.
  void follow(std::string_view line) { check_line(line); }
  // A lemma that was checked: 64 examples in each word of `members`.
  struct Known {
    Number bound, limit;
    const std::uint64_t* members;
  };
  std::size_t size() const { return bounds_.size(); }
  Known known(std::size_t i) const { return {bounds_[i], limits_[i], sets_.data() + i * stride_}; }
  // The best bound proven under each limit that occurs; kInfinite stands for infinity, or none.
  const std::map<Number, Number>& best() const { return best_; }

 private:
  using Word = std::uint64_t;
  struct Cited {
    const Word* set;
    Number bound, limit;
    bool row;
    Number times = 1;  // how often a part counts; that of a pair is with its second row
  };
  struct Level {
    Number bound;
    std::vector<Word> one, zero;  // features whose side has that bound
  };

  static std::size_t words(std::size_t bits) { return std::max<std::size_t>(1, (bits + 63) / 64); }
  static void need(bool holds, const char* otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
  }
  static Number lift(Number bound, Number limit) {
    return limit < 49 && bound >= Number{1} << limit ? kInfinite : std::min(bound, kInfinite);
  }
  // Where the parts of a set are.
  const Word* has(const Word* set, std::size_t label) const {
    return set + member_words_ + 2 * label * words_;
  }
  const Word* lacks(const Word* set, std::size_t label) const { return has(set, label) + words_; }
  const Word* all_have(const Word* set) const { return has(set, kinds_); }
  const Word* all_lack(const Word* set) const { return all_have(set) + words_; }

  void add_single(std::size_t e, const bool* row, std::size_t label) {
    Word* set = singles_.data() + e * stride_;
    set[e / 64] |= Word{1} << (e % 64);
    for (std::size_t f = 0; f < features_; ++f) {
      const Word bit = Word{1} << (f % 64);
      const_cast<Word*>(row[f] ? has(set, label) : lacks(set, label))[f / 64] |= bit;
    }
    finish(set);
  }
  // Fills in what all members have, and lack: features of which no member is on the other side.
  void finish(Word* set) const {
    for (std::size_t i = 0; i < words_; ++i) {
      Word some = 0, lack = 0;
      for (std::size_t k = 0; k < kinds_; ++k) some |= has(set, k)[i], lack |= lacks(set, k)[i];
      const_cast<Word*>(all_have(set))[i] = some & ~lack;
      const_cast<Word*>(all_lack(set))[i] = lack & ~some;
    }
  }

  void check_line(std::string_view line) {
    need(line.size() > 3 && line[1] == ' ', "it is not a lemma");
    read_numbers(line.substr(2), line[0] == 'p');
    need(!cited_.empty(), "it has no examples");
    std::fill(whole_.begin(), whole_.end(), 0);
    for (const Cited& one : cited_) unite(one);
    finish(whole_.data());
    if (line[0] == 'p') {
      need(parts() >= bound_, "its parts do not add up to it");
    } else if (line[0] == 'l') {
      need(impure(), "its examples have a class in common");
      need(long_path() >= bound_, "the path is not so long");
    } else if (line[0] == 'a') {
      need(impure(), "its examples have a class in common");
      check_apart();
    } else {
      need(line[0] == 's' || line[0] == 'c', "it is of an unknown kind");
      need(impure(), "its examples have a class in common");
      find_left();
      if (line[0] == 'c') leave_out_cuts();
      for (Word word : left_) need(word == 0, "a feature is not refuted");
    }
    sets_.insert(sets_.end(), whole_.begin(), whole_.end());
    bounds_.push_back(bound_);
    limits_.push_back(limit_);
    best_[limit_] = std::max(best_[limit_], bound_);
  }

  // Adds what is cited to whole_; of a row only the words that are not 0 by its label.
  void unite(const Cited& one) {
    std::size_t begin = 0, end = member_words_ + 2 * kinds_ * words_;
    if (one.row) {
      for (std::size_t i = 0; i < member_words_; ++i) whole_[i] |= one.set[i];
      begin = member_words_ + 2 * static_cast<std::size_t>(label_of(one.set)) * words_;
      end = begin + 2 * words_;
    }
    for (std::size_t i = begin; i < end; ++i) whole_[i] |= one.set[i];
  }

  // Reads bound, limit and what is cited. A pointer into sets_ is good until a set is added.
  void read_numbers(std::string_view text, bool parts) {
    cited_.clear();
    std::size_t at = 0;
    bound_ = text.starts_with("inf") ? kInfinite : read(text, at);
    if (bound_ == kInfinite) at = 3;
    need(bound_ >= 0, "its bound is negative");
    limit_ = kInfinite;
    if (at < text.size() && text[at] == '/') limit_ = read(text, ++at);
    need(limit_ >= 0, "its limit is negative");
    while (at < text.size()) {
      need(text[at] == ' ', "it is not a lemma");
      const Number number = read(text, ++at);
      cited_.push_back(number < 0 ? lemma(number) : example(number));
      if (at == text.size() || text[at] != '*') continue;
      Number& times = cited_.back().times = read(text, ++at);
      need(parts && times > 0, "only parts count several times");
    }
  }
  // What the next lemma cites by a negative number.
  Cited lemma(Number number) const {
    need(static_cast<Number>(bounds_.size()) >= -number, "it cites a lemma before the first");
    const std::size_t at = bounds_.size() - static_cast<std::size_t>(-number);
    return {sets_.data() + at * stride_, bounds_[at], limits_[at], false};
  }
  Cited example(Number row) const {
    need(static_cast<std::size_t>(row) < rows_.size(),
         "it cites a row that the table does not have");
    const Number e = rows_[static_cast<std::size_t>(row)];
    need(e >= 0 && static_cast<std::size_t>(e) < examples_, "it cites a row that was dropped");
    return {singles_.data() + static_cast<std::size_t>(e) * stride_, 0, kInfinite, true};
  }
  static Number read(std::string_view text, std::size_t& at) {
    const bool negative = at < text.size() && text[at] == '-';
    at += negative;
    const std::size_t start = at;
    Number value = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
      value = value * 10 + (text[at] - '0');
      need(at - start < 9, "a number is too large");
    }
    need(at > start && (value > 0 || !negative), "a number is missing");
    return negative ? -value : value;
  }

  // Whether the members of whole_ have no class in common: for each one, some do not allow it.
  bool impure() const {
    std::set<Number> met;
    each_member([&](const Word* single) { met.insert(label_of(single)); });
    return no_common_class(met);
  }
  bool no_common_class(const std::set<Number>& labels) const {
    return std::all_of(against_.begin(), against_.end(), [&](const auto& against) {
      return std::any_of(against.begin(), against.end(),
                         [&](std::size_t k) { return labels.contains(static_cast<Number>(k)); });
    });
  }
  bool opposite(Number one, Number other) const {
    return sets_of_classes_ ? no_common_class({one, other}) : one != other;
  }
  // The level of a bound; it stays where it is until another one is made.
  Level& level(Number bound) {
    for (Level& made : levels_) {
      if (made.bound == bound) return made;
    }
    levels_.push_back({bound, std::vector<Word>(words_), std::vector<Word>(words_)});
    return levels_.back();
  }

  // The features that split the set and are not refuted.
  void find_left() {
    left_.assign(words_, 0);
    if (limit_ == 0) return;
    const Number below = limit_ == kInfinite ? kInfinite : limit_ - 1;
    levels_.clear();
    Level& nothing = level(0);
    std::fill(nothing.one.begin(), nothing.one.end(), ~Word{0});
    std::fill(nothing.zero.begin(), nothing.zero.end(), ~Word{0});
    note_impure(level(lift(1, below)));
    for (const Cited& one : cited_) {
      if (one.row || one.limit < below) continue;
      Level& at = level(lift(one.bound, below));
      for (std::size_t i = 0; i < words_; ++i) {
        at.one[i] |= all_have(one.set)[i];
        at.zero[i] |= all_lack(one.set)[i];
      }
    }
    const Word* have = all_have(whole_.data());
    const Word* lack = all_lack(whole_.data());
    for (std::size_t i = 0; i < words_; ++i) left_[i] = ~(have[i] | lack[i]) & in_use(i);
    const Number needed = bound_ == kInfinite ? kInfinite : bound_ - 1;
    for (const Level& v : levels_) {
      for (const Level& w : levels_) {
        if (v.bound + w.bound < needed) continue;
        for (std::size_t i = 0; i < words_; ++i) left_[i] &= ~(v.one[i] & w.zero[i]);
      }
    }
  }
  // The sides that are impure.
  void note_impure(Level& at) const {
    for (std::size_t i = 0; i < words_ && sets_of_classes_; ++i) {
      Word one = ~Word{0}, zero = ~Word{0};
      for (const auto& against : against_) {
        Word some_one = 0, some_zero = 0;
        for (std::size_t k : against) {
          some_one |= has(whole_.data(), k)[i];
          some_zero |= lacks(whole_.data(), k)[i];
        }
        one &= some_one;
        zero &= some_zero;
      }
      at.one[i] |= one;
      at.zero[i] |= zero;
    }
    for (std::size_t i = 0; i < words_ && !sets_of_classes_; ++i) {
      Word one = 0, zero = 0;
      for (std::size_t c = 0; c < kinds_; ++c) {
        const Word has_one = has(whole_.data(), c)[i], has_zero = lacks(whole_.data(), c)[i];
        at.one[i] |= one & has_one;
        at.zero[i] |= zero & has_zero;
        one |= has_one;
        zero |= has_zero;
      }
    }
  }
  Word in_use(std::size_t i) const {
    return i + 1 < words_ || features_ % 64 == 0 ? (features_ ? ~Word{0} : 0)
                                                 : (Word{1} << (features_ % 64)) - 1;
  }

  Number parts() {
    loads_.assign(features_, 0);
    Number total = 0, often = 0;
    bool endless = false;
    const Cited* first = nullptr;  // of a pair of rows
    for (const Cited& one : cited_) {
      often += one.times;
      if (one.row && !first) {
        need(one.times == 1, "a pair counts as often as its second row says");
        first = &one, --often;
      } else if (one.row) {
        need(opposite(label_of(first->set), label_of(one.set)), "a pair has a class in common");
        const Word *has = all_have(first->set), *has_too = all_have(one.set);
        load([&](std::size_t i) { return has[i] ^ has_too[i]; }, one.times);
        total += one.times;
        first = nullptr;
      } else {
        const Word *have = all_have(one.set), *lack = all_lack(one.set);
        load([&](std::size_t i) { return ~(have[i] | lack[i]) & in_use(i); }, one.times);
        if (one.limit >= limit_ && one.bound >= kInfinite) {
          endless = true;
        } else if (one.limit >= limit_) {
          total += one.times * one.bound;
        }
      }
      need(often < Number{1} << 32 && total < kMost * kMost, "its parts count too many times");
    }
    need(!first, "its rows are not pairs");
    Number most = 1;  // parts that one feature splits
    for (const Number load : loads_) most = std::max(most, load);
    return lift(endless ? kInfinite : (total + most - 1) / most, limit_);
  }
  // The bound by the path of the values that most of the rows have: for every class that a row
  // allows, the rows that do not, by the most of them that one feature tells from the values.
  Number long_path() {
    std::vector<Word> values(words_);
    loads_.assign(features_, 0);
    for (const Cited& one : cited_) {
      need(one.row, "only rows are on a path");
      load([&](std::size_t i) { return all_have(one.set)[i]; }, 1);
    }
    for (std::size_t f = 0; f < features_; ++f) {
      const bool most = 2 * loads_[f] > static_cast<Number>(cited_.size());
      values[f / 64] |= Word{most} << (f % 64);
    }
    Number shown = kInfinite;
    for (const auto& against : against_) {
      Number others = 0;
      bool equal = false;
      loads_.assign(features_, 0);
      for (const Cited& one : cited_) {
        const auto label = static_cast<std::size_t>(label_of(one.set));
        if (!std::binary_search(against.begin(), against.end(), label)) continue;
        ++others;
        equal |= std::equal(values.begin(), values.end(), all_have(one.set));
        load([&](std::size_t i) { return all_have(one.set)[i] ^ values[i]; }, 1);
      }
      if (equal || others == static_cast<Number>(cited_.size())) continue;
      Number most = 1;
      for (const Number load : loads_) most = std::max(most, load);
      shown = std::min(shown, (others + most - 1) / most);
    }
    return lift(shown > limit_ ? kInfinite : shown, limit_);
  }
  // The first rows, one more than the bound, are opposite in pairs, or have a witness among the
  // rows between them: one that has their value in every feature in which they agree, such that no
  // class is right for all three.
  void check_apart() const {
    need(bound_ < static_cast<Number>(examples_), "it has fewer examples than its bound needs");
    const bool rows = std::all_of(cited_.begin(), cited_.end(), [](auto& one) { return one.row; });
    const auto first = static_cast<std::size_t>(bound_) + 1;
    need(rows && cited_.size() >= first, "its rows are not one more than its bound");
    for (std::size_t i = 0; i < first; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        need(are_apart(cited_[i].set, cited_[j].set), "two of its rows may share a leaf");
      }
    }
  }
  bool are_apart(const Word* one, const Word* other) const {
    if (opposite(label_of(one), label_of(other))) return true;
    bool found = false;
    each_member([&](const Word* single) {
      if (found) return;
      for (std::size_t i = 0; i < words_; ++i) {
        const Word a = all_have(one)[i], b = all_have(other)[i], z = all_have(single)[i];
        if ((a & b & ~z) | (z & ~(a | b))) return;
      }
      const Number label = label_of(single);
      found = sets_of_classes_ ? no_common_class({label_of(one), label_of(other), label})
                               : label != label_of(one);
    });
    return found;
  }

  // Counts a part for the features that split it, given word by word.
  template <class Split>
  void load(Split&& split, Number times) {
    for (std::size_t i = 0; i < words_; ++i) {
      for (Word left = split(i); left; left &= left - 1) {
        loads_[i * 64 + static_cast<std::size_t>(std::countr_zero(left))] += times;
      }
    }
  }
  Number label_of(const Word* single) const {
    return labels_[static_cast<std::size_t>(single - singles_.data()) / stride_];
  }

  // Takes the features that isolate one member out of left_, if the condition holds: whatever class
  // a leaf has, the members that do not allow it are `bound_` or more, or one of them is never
  // isolated.
  void leave_out_cuts() {
    need(limit_ == kInfinite && bound_ < kInfinite, "singleton cuts hold without a limit only");
    const std::size_t sides = 2 * words_;  // one sides, then zero sides, as all_have of a single
    std::vector<Word> some(sides), more(sides), alone(sides);  // sides with members, with several
    each_member([&](const Word* single) {
      for (std::size_t i = 0; i < sides; ++i) {
        more[i] |= some[i] & all_have(single)[i];
        some[i] |= all_have(single)[i];
      }
    });
    for (std::size_t i = 0; i < sides; ++i) {
      alone[i] = some[i] & ~more[i] & some[(i + words_) % sides];
      left_[i % words_] &= ~alone[i];
    }
    for (std::size_t c = 0; c < classes_; ++c) {
      Number others = 0;
      bool stays = false;
      each_member([&](const Word* single) {
        const auto label = static_cast<std::size_t>(label_of(single));
        if (!std::binary_search(against_[c].begin(), against_[c].end(), label)) return;
        Word isolated = 0;
        for (std::size_t i = 0; i < sides; ++i) isolated |= alone[i] & all_have(single)[i];
        ++others;
        stays |= isolated == 0;
      });
      need(others >= bound_ || stays, "singleton cuts alone could do it");
    }
  }
  // Calls `see` with the set of each single member of whole_.
  template <class See>
  void each_member(See&& see) const {
    for (std::size_t i = 0; i < member_words_; ++i) {
      for (Word rest = whole_[i]; rest; rest &= rest - 1) {
        const std::size_t e = i * 64 + static_cast<std::size_t>(std::countr_zero(rest));
        see(singles_.data() + e * stride_);
      }
    }
  }

  std::size_t examples_, features_, kinds_ = 1, classes_ = 1;
  bool sets_of_classes_ = false;
  std::vector<std::vector<std::size_t>> against_;  // for each class the labels that do not allow it
  std::vector<Number> rows_, labels_;
  std::size_t member_words_, words_, stride_ = 0;
  Number bound_ = 0, limit_ = 0;
  std::vector<Word> singles_, whole_, sets_, left_;
  std::vector<Number> bounds_, limits_, loads_;
  std::vector<Cited> cited_;
  std::vector<Level> levels_;
  std::map<Number, Number> best_;
};

}  // namespace dtfinder
