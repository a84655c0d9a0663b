// The proof log: every raised bound with its reason.
//
// A lemma says cost(C) >= bound (or depth(C) >= bound) for a set C of examples: the union of the
// cited lemmas' sets and the extra rows. Kinds, each with the rule that a checker applies:
//   split  C has two classes, and every feature that splits C leaves v + w >= bound - 1 (depth:
//          max), where v and w are the best of 0, 1 for a side with two classes, and b for a side
//          that holds all examples of a cited lemma of bound b.
//   cuts   as split, but a feature that isolates one example of C needs no refutation, provided the
//          counting condition of singleton_cuts.hpp holds.
//   parts  the extra rows are taken two by two, each pair of two classes and with bound 1. With q
//          the most cited sets and pairs that a feature splits, the bound is the sum of theirs
//          divided by q, rounded up.
// A size lemma may hold only for trees of depth <= `limit`; the sides of a split are then looked at
// under limit - 1: a cited size lemma must hold there, and a cited depth lemma of bound >= limit
// refutes a feature alone, as does an impure side where limit is 1, or a size bound that no tree of
// depth limit - 1 can meet (>= 2^(limit - 1)).
//
// Lemmas are appended and never changed, so citations point backwards. `trimmed` walks back from
// the last one and keeps what it needs.
#pragma once

#include <algorithm>
#include <atomic>
#include <charconv>
#include <mutex>
#include <string>

#include "exact/core_store.hpp"

namespace dtfinder {

// The last kind is the proof of somebody else, known by a number, its only row; see letters.hpp.
enum class LemmaKind : std::uint8_t { kSplit, kCuts, kParts, kElsewhere };

// Lemmas as flat arrays; lemma i cites citations[cite_from[i] .. cite_from[i + 1]). Among the rows
// of parts, kTimes + n says that the pair before it counts n times, as in linear programs.
inline constexpr std::uint32_t kTimes = std::uint32_t{1} << 31;
struct LemmaArrays {
  std::vector<std::uint8_t> kind, measure;
  std::vector<std::int32_t> bound, limit;  // limit: -1 for none
  std::vector<std::int64_t> cite_from{0}, row_from{0};
  std::vector<std::uint32_t> citations, rows;
};

// The lemmas one a line, as certificates have them: kind; bound, and limit after a slash; cited
// lemmas as distances back; rows, by the numbers that `row_of_example` gives them. 'Depth at least
// b' reads 'no tree within depth b - 1': bound inf, limit b - 1. Parts that come several times in a
// row, as those of a linear program do, are written once, with a star and their number.
inline std::string lemma_head(const LemmaArrays& lemmas, std::size_t i) {
  std::string text(1, "scp"[lemmas.kind[i]]);
  if (lemmas.measure[i] == static_cast<std::uint8_t>(Measure::kDepth)) {
    return text + " inf/" + std::to_string(lemmas.bound[i] - 1);
  }
  text += ' ' + std::to_string(lemmas.bound[i]);
  return lemmas.limit[i] >= 0 ? text + '/' + std::to_string(lemmas.limit[i]) : text;
}
inline void append_number(std::string& text, const char* before, std::uint64_t number) {
  char digits[24];
  text += before;
  text.append(digits, std::to_chars(digits, digits + sizeof digits, number).ptr);
}
inline std::string lemma_text(const LemmaArrays& lemmas, const std::int64_t* row_of_example) {
  std::string text;
  for (std::size_t i = 0; i < lemmas.bound.size(); ++i) {
    text += lemma_head(lemmas, i);
    for (auto j = lemmas.cite_from[i]; j < lemmas.cite_from[i + 1]; ++j) {
      append_number(text, " -", i - lemmas.citations[static_cast<std::size_t>(j)]);
    }
    for (auto j = lemmas.row_from[i]; j < lemmas.row_from[i + 1]; ++j) {
      const std::uint32_t row = lemmas.rows[static_cast<std::size_t>(j)];
      if (row & kTimes) {
        append_number(text, "*", row ^ kTimes);
      } else {
        append_number(text, " ", static_cast<std::uint64_t>(row_of_example[row]));
      }
    }
    text += '\n';
  }
  return text;
}

// Engines that share an exchange share its log, so `add` takes turns.
class LemmaLog {
 public:
  explicit LemmaLog(bool on) : on_(on) {}
  bool on() const { return on_ && !dropped_ && !paused_; }
  // Nothing that is found from now on is part of the proof.
  void pause() { paused_ = true; }
  std::size_t bytes() const {
    const std::lock_guard lock(mutex_);
    return log_.bound.size() * 26 + (log_.citations.size() + log_.rows.size()) * 4;
  }
  std::size_t size() const { return log_.bound.size(); }
  // With no memory left the proof goes before the answer does.
  void drop() {
    const std::lock_guard lock(mutex_);
    log_ = LemmaArrays{};
    dropped_ = true;
  }

  LemmaId add(LemmaKind kind, Measure measure, int bound, int limit,
              const std::vector<LemmaId>& cited, const std::vector<std::uint32_t>& rows) {
    const std::lock_guard lock(mutex_);
    if (!on()) return kNoLemma;
    log_.kind.push_back(static_cast<std::uint8_t>(kind));
    log_.measure.push_back(static_cast<std::uint8_t>(measure));
    log_.bound.push_back(bound);
    log_.limit.push_back(limit >= kNoLimit ? -1 : limit);
    for (LemmaId id : cited) {
      if (id != kNoLemma) log_.citations.push_back(id);
    }
    add_rows(kind, rows);
    log_.cite_from.push_back(static_cast<std::int64_t>(log_.citations.size()));
    log_.row_from.push_back(static_cast<std::int64_t>(log_.rows.size()));
    return static_cast<LemmaId>(log_.bound.size() - 1);
  }

  // Only the lemmas that `goals` rest on, renumbered, in order; rows as the caller numbers them.
  template <class Original>
  LemmaArrays trimmed(const std::vector<LemmaId>& goals, Original&& original) const {
    std::vector<std::uint32_t> place(size(), kNoLemma);
    for (LemmaId goal : goals) {
      if (goal < size()) place[goal] = 0;
    }
    for (std::size_t i = size(); i-- > 0;) {
      if (place[i] == kNoLemma) continue;
      for (auto j = log_.cite_from[i]; j < log_.cite_from[i + 1]; ++j) {
        place[log_.citations[static_cast<std::size_t>(j)]] = 0;
      }
    }
    LemmaArrays out;
    for (std::size_t i = 0; i < size(); ++i) {
      if (place[i] == kNoLemma) continue;
      place[i] = static_cast<std::uint32_t>(out.bound.size());
      copy(i, place, original, out);
    }
    return out;
  }

  // How letters call a lemma: by its number here, or by '@' and the one it has elsewhere.
  std::string name(LemmaId id) const {
    if (id >= size()) return "-";
    if (log_.kind[id] != static_cast<std::uint8_t>(LemmaKind::kElsewhere))
      return std::to_string(id);
    return '@' + std::to_string(log_.rows[static_cast<std::size_t>(log_.row_from[id])]);
  }
  // The lemmas that `goals` rest on, except what is `sent`, as text: name, kind, bound, the cited
  // lemmas by name, a bar, rows. What has its proof elsewhere is left out.
  template <class Original>
  std::string letter(const std::vector<LemmaId>& goals, std::vector<bool>& sent,
                     Original&& original) const {
    sent.resize(size(), false);
    std::vector<bool> needed(size(), false);
    for (LemmaId goal : goals) {
      if (goal < size()) needed[goal] = true;
    }
    for (std::size_t i = size(); i-- > 0;) {
      needed[i] = needed[i] && !sent[i];
      if (!needed[i]) continue;
      for (auto j = log_.cite_from[i]; j < log_.cite_from[i + 1]; ++j) {
        needed[log_.citations[static_cast<std::size_t>(j)]] = true;
      }
    }
    std::string text;
    for (std::size_t i = 0; i < size(); ++i) {
      if (!needed[i]) continue;
      sent[i] = true;
      if (log_.kind[i] == static_cast<std::uint8_t>(LemmaKind::kElsewhere)) continue;
      text += std::to_string(i) + ' ' + lemma_head(log_, i);
      for (auto j = log_.cite_from[i]; j < log_.cite_from[i + 1]; ++j) {
        text += ' ' + name(log_.citations[static_cast<std::size_t>(j)]);
      }
      text += " |";
      for (auto j = log_.row_from[i]; j < log_.row_from[i + 1]; ++j) {
        const std::uint32_t row = log_.rows[static_cast<std::size_t>(j)];
        append_number(text, row & kTimes ? "*" : " ", row & kTimes ? row ^ kTimes : original(row));
      }
      text += '\n';
    }
    return text;
  }

 private:
  // Pairs of parts that come several times in a row are kept once, with their number.
  void add_rows(LemmaKind kind, const std::vector<std::uint32_t>& rows) {
    if (kind != LemmaKind::kParts) {
      log_.rows.insert(log_.rows.end(), rows.begin(), rows.end());
      return;
    }
    for (std::size_t at = 0, next = 0; at < rows.size(); at = next) {
      for (next = at + 2; next < rows.size(); next += 2) {
        if (rows[next] != rows[at] || rows[next + 1] != rows[at + 1]) break;
      }
      log_.rows.insert(log_.rows.end(), {rows[at], rows[at + 1]});
      const auto times = static_cast<std::uint32_t>((next - at) / 2);
      if (times > 1) log_.rows.push_back(kTimes + times);
    }
  }
  template <class Original>
  void copy(std::size_t i, const std::vector<std::uint32_t>& place, Original& original,
            LemmaArrays& out) const {
    out.kind.push_back(log_.kind[i]);
    out.measure.push_back(log_.measure[i]);
    out.bound.push_back(log_.bound[i]);
    out.limit.push_back(log_.limit[i]);
    for (auto j = log_.cite_from[i]; j < log_.cite_from[i + 1]; ++j) {
      out.citations.push_back(place[log_.citations[static_cast<std::size_t>(j)]]);
    }
    for (auto j = log_.row_from[i]; j < log_.row_from[i + 1]; ++j) {
      const std::uint32_t row = log_.rows[static_cast<std::size_t>(j)];
      out.rows.push_back(row & kTimes ? row : static_cast<std::uint32_t>(original(row)));
    }
    out.cite_from.push_back(static_cast<std::int64_t>(out.citations.size()));
    out.row_from.push_back(static_cast<std::int64_t>(out.rows.size()));
  }

  bool on_;
  std::atomic<bool> dropped_ = false, paused_ = false;
  mutable std::mutex mutex_;
  LemmaArrays log_;
};

}  // namespace dtfinder
