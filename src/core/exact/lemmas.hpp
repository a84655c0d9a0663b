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
//   path   with v the values that most of C have, each class that some of C allow has `bound`
//          examples of C against it of which no two differ from v in the same feature
//          (long_path.hpp).
//   apart  the first rows, one more than the bound, are apart in pairs (apart.hpp); the others are
//          their witnesses.
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
#include <span>
#include <string>

#include "exact/core_store.hpp"

namespace dtfinder {

// The last kind is proven in another process, which knows it by its only row; see
// fact_messages.hpp.
enum class LemmaKind : std::uint8_t { kSplit, kCuts, kParts, kPath, kApart, kElsewhere };

// Lemmas as flat arrays; lemma i cites citations[cite_from[i] .. cite_from[i + 1]). Among the rows
// of parts, kTimes + n says that the pair before it counts n times, as in linear programs.
inline constexpr std::uint32_t kTimes = std::uint32_t{1} << 31;
struct LemmaArrays {
  std::vector<LemmaKind> kind;
  std::vector<Measure> measure;
  std::vector<std::int32_t> bound, limit;  // limit: -1 for none
  std::vector<std::size_t> cite_from{0}, row_from{0};
  std::vector<std::uint32_t> citations, rows;

  std::size_t size() const { return bound.size(); }
  std::span<const LemmaId> cited_by(std::size_t i) const {
    assert(i < size());
    return {citations.data() + cite_from[i], cite_from[i + 1] - cite_from[i]};
  }
  std::span<const std::uint32_t> rows_of(std::size_t i) const {
    assert(i < size());
    return {rows.data() + row_from[i], row_from[i + 1] - row_from[i]};
  }
  // Ends a lemma whose citations and rows have been appended.
  void end(LemmaKind its_kind, Measure its_measure, std::int32_t its_bound,
           std::int32_t its_limit) {
    kind.push_back(its_kind);
    measure.push_back(its_measure);
    bound.push_back(its_bound);
    limit.push_back(its_limit);
    cite_from.push_back(citations.size());
    row_from.push_back(rows.size());
  }
};

// Lemmas as certificates have them, each on a line: kind; bound, and limit after a slash; cited
// lemmas as distances back; rows, by the numbers that `row_of_example` gives them. 'Depth at least
// b' reads 'no tree within depth b - 1': bound inf, limit b - 1. A pair that counts several times,
// as those of a linear program do, is followed by a star and its number.
inline std::string lemma_head(const LemmaArrays& lemmas, std::size_t i) {
  std::string text(1, "scpla"[static_cast<int>(lemmas.kind[i])]);
  if (lemmas.measure[i] == Measure::kDepth) {
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
// Appends the rows of a lemma, as `name(example)` calls them.
template <class Name>
void append_rows(std::string& text, const LemmaArrays& lemmas, std::size_t i, Name&& name) {
  for (std::uint32_t row : lemmas.rows_of(i)) {
    if (row & kTimes) {
      append_number(text, "*", row ^ kTimes);
    } else {
      append_number(text, " ", static_cast<std::uint64_t>(name(row)));
    }
  }
  text += '\n';
}
inline std::string lemma_text(const LemmaArrays& lemmas, const std::int64_t* row_of_example) {
  std::string text;
  for (std::size_t i = 0; i < lemmas.size(); ++i) {
    text += lemma_head(lemmas, i);
    for (LemmaId cited : lemmas.cited_by(i)) append_number(text, " -", i - cited);
    append_rows(text, lemmas, i, [&](std::uint32_t row) { return row_of_example[row]; });
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
    return log_.size() * 26 + (log_.citations.size() + log_.rows.size()) * 4;
  }
  // With no memory left the proof goes before the answer does.
  void drop() {
    const std::lock_guard lock(mutex_);
    log_ = LemmaArrays{};
    dropped_ = true;
  }

  // What is cited must be in the log, or be kNoLemma.
  LemmaId add(LemmaKind kind, Measure measure, int bound, int limit,
              const std::vector<LemmaId>& cited, const std::vector<std::uint32_t>& rows) {
    const std::lock_guard lock(mutex_);
    if (!on()) return kNoLemma;
    for (LemmaId id : cited) {
      assert(id == kNoLemma || id < log_.size());
      if (id != kNoLemma) log_.citations.push_back(id);
    }
    add_rows(kind, rows);
    log_.end(kind, measure, bound, limit >= kNoLimit ? -1 : limit);
    return static_cast<LemmaId>(log_.size() - 1);
  }

  // Only the lemmas that `goals` rest on, renumbered, in order; rows as the caller numbers them.
  // `places` gets the new numbers of the goals.
  template <class Original>
  LemmaArrays trimmed(const std::vector<LemmaId>& goals, Original&& original,
                      std::vector<LemmaId>* places = nullptr) const {
    const std::vector<bool> keep = needed(goals, {});
    std::vector<LemmaId> place(log_.size());
    LemmaArrays out;
    for (std::size_t i = 0; i < log_.size(); ++i) {
      if (!keep[i]) continue;
      place[i] = static_cast<LemmaId>(out.size());
      for (LemmaId cited : log_.cited_by(i)) out.citations.push_back(place[cited]);
      for (std::uint32_t row : log_.rows_of(i)) {
        out.rows.push_back(row & kTimes ? row : static_cast<std::uint32_t>(original(row)));
      }
      out.end(log_.kind[i], log_.measure[i], log_.bound[i], log_.limit[i]);
    }
    if (places) {
      for (const LemmaId goal : goals) places->push_back(place.at(goal));
    }
    return out;
  }

  // How messages name a lemma: by its number here, or by '@' and the number it has elsewhere.
  std::string name(LemmaId id) const {
    if (id >= log_.size()) return "-";
    return is_elsewhere(id) ? '@' + std::to_string(log_.rows_of(id)[0]) : std::to_string(id);
  }
  // The lemmas that `goals` rest on, except what is `sent`, as text: name, kind, bound, the cited
  // lemmas by name, a bar, rows. What has its proof elsewhere is left out.
  template <class Original>
  std::string named_text(const std::vector<LemmaId>& goals, std::vector<bool>& sent,
                         Original&& original) const {
    sent.resize(log_.size(), false);
    const std::vector<bool> keep = needed(goals, sent);
    std::string text;
    for (std::size_t i = 0; i < log_.size(); ++i) {
      if (!keep[i]) continue;
      sent[i] = true;
      if (is_elsewhere(i)) continue;
      text += std::to_string(i) + ' ' + lemma_head(log_, i);
      for (LemmaId cited : log_.cited_by(i)) text += ' ' + name(cited);
      text += " |";
      append_rows(text, log_, i, original);
    }
    return text;
  }

 private:
  bool is_elsewhere(std::size_t i) const { return log_.kind[i] == LemmaKind::kElsewhere; }
  // The lemmas that `goals` rest on, but none of those `without` and what they rest on.
  std::vector<bool> needed(const std::vector<LemmaId>& goals,
                           const std::vector<bool>& without) const {
    std::vector<bool> needed(log_.size(), false);
    for (LemmaId goal : goals) {
      if (goal < log_.size()) needed[goal] = true;
    }
    for (std::size_t i = log_.size(); i-- > 0;) {
      if (!without.empty() && without[i]) needed[i] = false;
      if (!needed[i]) continue;
      for (LemmaId cited : log_.cited_by(i)) needed[cited] = true;
    }
    return needed;
  }
  // A pair of parts that comes several times in a row is kept once, with its number.
  void add_rows(LemmaKind kind, const std::vector<std::uint32_t>& rows) {
    if (kind != LemmaKind::kParts) {
      log_.rows.insert(log_.rows.end(), rows.begin(), rows.end());
      return;
    }
    assert(rows.size() % 2 == 0);
    for (std::size_t at = 0, next = 0; at < rows.size(); at = next) {
      for (next = at + 2; next < rows.size(); next += 2) {
        if (rows[next] != rows[at] || rows[next + 1] != rows[at + 1]) break;
      }
      log_.rows.insert(log_.rows.end(), {rows[at], rows[at + 1]});
      const auto times = static_cast<std::uint32_t>((next - at) / 2);
      if (times > 1) log_.rows.push_back(kTimes + times);
    }
  }

  bool on_;
  std::atomic<bool> dropped_ = false, paused_ = false;
  mutable std::mutex mutex_;
  LemmaArrays log_;
};

}  // namespace dtfinder
