// Shortening a proof: citations that a lemma can do without, and lemmas that nobody cites then.
//
// The engine notes every core that said anything new while a bound was raised; in the end fewer
// will do. From the last lemma back, each split (or cuts) tries to do without citations that nobody
// else needs so far. A citation may go if all features are refuted by the others, and if at most a
// few examples are lost with it, which are then cited as rows: the lemma's set stays what it was,
// so nothing that cites it changes. What is to be proven stays: lemmas that were not cited in the
// first place, and for every limit one of the best bound.
//
// The proof is checked on the way, as it must be for the sets of its lemmas.
#pragma once

#include <span>

#include "check_lemmas.hpp"

namespace dtfinder {

class LemmaTrimmer : public LemmaChecker {
 public:
  using LemmaChecker::LemmaChecker;

  // A proof of the same, usually shorter. `row_of_example` names a row for each example.
  std::string trimmed(std::string_view text, const Number* row_of_example) {
    check(text);
    split_lines(text);
    find_goals();
    for (std::size_t i = count(); i-- > 0;) {
      if (!needed_[i]) continue;
      if (lines_[i][0] != 'p') drop_citations(i, row_of_example);
      for (Number cited : numbers(i)) {
        if (cited < 0) needed_[place(i, cited)] = 1;
      }
    }
    return written();
  }

 private:
  static constexpr Number kExtraRows = 3;
  static constexpr Number kTimes = Number{1} << 60;  // added to what says how often a part counts

  static std::size_t place(std::size_t i, Number cited) {
    return static_cast<std::size_t>(static_cast<Number>(i) + cited);
  }

  void split_lines(std::string_view text) {
    lines_.reserve(count());
    from_.reserve(count());
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      lines_.push_back(line);
      from_.push_back({numbers_.size(), numbers_.size()});
      for (std::size_t from = line.find(' ', 2); from < line.size();) {
        numbers_.push_back(read(line, ++from));
        if (from < line.size() && line[from] == '*') {
          numbers_.push_back(kTimes + read(line, ++from));
        }
      }
      from_.back().second = numbers_.size();
      at = end + 1;
    }
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

  void drop_citations(std::size_t i, const Number* row_of_example) {
    const Word* set = sets_.data() + i * stride_;
    std::copy(set, set + stride_, whole_.begin());
    bound_ = bounds_[i];
    limit_ = limits_[i];
    own_.assign(numbers(i).begin(), numbers(i).end());
    all_.clear();
    for (Number number : own_) {
      all_.push_back(number < 0 ? lemma(static_cast<Number>(i) + number) : example(number));
    }
    bool changed = false;
    for (std::size_t k = 0; k < own_.size();) {
      if (own_[k] >= 0 || needed_[place(i, own_[k])] || !can_do_without(k, lines_[i][0] == 'c')) {
        ++k;
        continue;
      }
      changed = true;
      own_.erase(own_.begin() + static_cast<long>(k));
      all_.erase(all_.begin() + static_cast<long>(k));
      for (std::size_t e : missing_) {
        own_.push_back(row_of_example[e]);
        all_.push_back(example(row_of_example[e]));
      }
    }
    if (!changed) return;
    from_[i].first = numbers_.size();
    numbers_.insert(numbers_.end(), own_.begin(), own_.end());
    from_[i].second = numbers_.size();
  }

  // Whether the lemma can do without its k-th citation, and which examples are then missing.
  bool can_do_without(std::size_t k, bool cuts) {
    missing_.clear();
    Number lost = 0;
    for (std::size_t w = 0; w < member_words_; ++w) {
      Word uncovered = whole_[w];
      for (std::size_t other = 0; other < all_.size() && uncovered; ++other) {
        if (other != k) uncovered &= ~all_[other].set[w];
      }
      lost += std::popcount(uncovered);
      if (lost > kExtraRows) return false;
      for (; uncovered; uncovered &= uncovered - 1) {
        missing_.push_back(w * 64 + static_cast<std::size_t>(std::countr_zero(uncovered)));
      }
    }
    cited_ = all_;
    cited_.erase(cited_.begin() + static_cast<long>(k));
    find_left();
    if (cuts) leave_out_cuts();
    return std::all_of(left_.begin(), left_.end(), [](Word word) { return word == 0; });
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
          out += '*' + std::to_string(number - kTimes);
          continue;
        }
        out += ' ';
        out += std::to_string(number < 0 ? now[place(i, number)] - next : number);
      }
      out += '\n';
      now[i] = next++;
    }
    return out;
  }

  std::vector<std::string_view> lines_;
  std::vector<Number> numbers_, own_;
  std::vector<std::pair<std::size_t, std::size_t>> from_;
  std::vector<Cited> all_;
  std::vector<char> needed_;
  std::vector<std::size_t> missing_;
};

}  // namespace dtfinder
