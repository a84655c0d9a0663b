// The proof of what is claimed: of the log, only what is needed, as certificates have it.
//
// From the claimed lemmas back, what is cited is kept. Sets that were reached on several paths are
// one set, and a lemma that an earlier one about the same set implies gives way to it; then what
// only it cited is not needed either.
#pragma once

#include <string>
#include <unordered_map>

#include "front/error_lemmas.hpp"
#include "front/table.hpp"

namespace dtfinder::front {

class ErrorProof {
 public:
  // A claim about all rows: trees within the budget have at least so many errors, or that cost.
  struct Claim {
    Budget budget;
    Value bound;
  };

  ErrorProof(const ErrorLemmas& log, const Table& table)
      : log_(log), table_(table), stands_for_(log.size()) {
    for (std::size_t i = 0; i < log.size(); ++i) stands_for_[i] = static_cast<LemmaId>(i);
  }

  // The lines of a proof; claims that need no lemma, or have none, are passed over.
  std::string text(std::span<const Claim> claims) {
    for (const Claim& claim : claims) {
      auto shows = [&](LemmaId i) {
        const auto& lemma = log_.lemma(i);
        return lemma.path == 0 && lemma.bound >= claim.bound && lemma.budget.covers(claim.budget);
      };
      if (std::any_of(goals_.begin(), goals_.end(), shows)) continue;
      for (LemmaId i = 0; i < log_.size(); ++i) {
        if (!shows(i)) continue;
        goals_.push_back(i);
        break;
      }
    }
    mark();
    merge();
    mark();
    return written();
  }

 private:
  using Hash = std::array<std::uint64_t, 2>;
  struct HashOfHash {
    std::size_t operator()(const Hash& hash) const { return static_cast<std::size_t>(hash[0]); }
  };

  void mark() {
    needed_.assign(log_.size(), false);
    for (const LemmaId goal : goals_) needed_[stands_for_[goal]] = true;
    for (std::size_t i = log_.size(); i-- > 0;) {
      if (!needed_[i]) continue;
      for (const LemmaId cited : log_.cites(i)) needed_[stands_for_[cited]] = true;
    }
  }
  // Two hashes of the rows of a path: equal sets are taken for equal, and a checker would see it if
  // they were not.
  Hash hash_of_path(PathId path) {
    rows_.assign(table_.words(), ~Word{0});
    for (; path != 0; path = log_.step(path).from) {
      const Word* column = table_.column(log_.step(path).side / 2);
      const Word flip = log_.step(path).side % 2 ? 0 : ~Word{0};
      for (std::size_t w = 0; w < rows_.size(); ++w) rows_[w] &= column[w] ^ flip;
    }
    const std::size_t last = table_.rows() % 64;
    if (last) rows_.back() &= (Word{1} << last) - 1;
    const std::uint64_t hash = hash_of(rows_.data(), rows_.size());
    for (Word& word : rows_) word = word * 0xD6E8FEB86659FD93u + 1;
    return {hash, hash_of(rows_.data(), rows_.size())};
  }
  std::uint32_t set_of(PathId path) {
    const auto known = set_of_path_.find(path);
    if (known != set_of_path_.end()) return known->second;
    const auto next = static_cast<std::uint32_t>(sets_.size());
    const std::uint32_t set = sets_.try_emplace(hash_of_path(path), next).first->second;
    if (set == next) path_of_set_.push_back(path);
    set_of_path_[path] = set;
    return set;
  }
  void merge() {
    set_of(0);
    std::unordered_map<std::uint32_t, std::vector<LemmaId>> about;  // by set
    for (std::size_t i = 0; i < log_.size(); ++i) {
      if (!needed_[i]) continue;
      const auto& lemma = log_.lemma(i);
      auto& others = about[set_of(lemma.path)];
      const auto same = std::find_if(others.begin(), others.end(), [&](LemmaId other) {
        return log_.lemma(other).bound >= lemma.bound &&
               log_.lemma(other).budget.covers(lemma.budget);
      });
      if (same != others.end()) {
        stands_for_[i] = *same;
      } else {
        others.push_back(static_cast<LemmaId>(i));
      }
    }
  }

  std::string written() {
    constexpr std::uint32_t kUnwritten = ~std::uint32_t{0};
    std::vector<std::uint32_t> place(sets_.size(), kUnwritten);  // of a set among lines `r`
    std::vector<LemmaId> number(log_.size());
    std::uint32_t sets = 0;
    LemmaId lemmas = 0;
    std::string text;
    auto name = [&](std::uint32_t set) {
      return set == 0 ? std::string("0") : "-" + std::to_string(sets - place[set]);
    };
    for (std::size_t i = 0; i < log_.size(); ++i) {
      if (!needed_[i]) continue;
      const auto& lemma = log_.lemma(i);
      const std::uint32_t set = set_of(lemma.path);
      if (set != 0 && place[set] == kUnwritten) {
        std::string sides;
        PathId at = path_of_set_[set];
        std::uint32_t from = set;
        while (from != 0 && place[from] == kUnwritten) {
          const auto& step = log_.step(at);
          sides += (step.side % 2 ? " +" : " -") + std::to_string(step.side / 2);
          at = step.from;
          const auto known = set_of_path_.find(at);
          from = at == 0 ? 0 : known == set_of_path_.end() ? set : known->second;
        }
        text += "r " + name(from) + sides + '\n';
        place[set] = sets++;
      }
      text += std::string(lemma.split ? "s " : "c ") + name(set) + ' ' + words(lemma.budget) + ' ' +
              std::to_string(lemma.bound);
      cited_.clear();
      for (const LemmaId id : log_.cites(i)) cited_.push_back(number[stands_for_[id]]);
      std::sort(cited_.begin(), cited_.end());
      cited_.erase(std::unique(cited_.begin(), cited_.end()), cited_.end());
      for (const LemmaId id : cited_) text += " -" + std::to_string(lemmas - id);
      text += '\n';
      number[i] = lemmas++;
    }
    return text;
  }
  static std::string words(const Budget& budget) {
    std::string text = budget.inner == kPriced      ? "$"
                       : budget.inner >= kUnlimited ? "*"
                                                    : std::to_string(budget.inner);
    if (budget.depth < kUnlimited) text += '/' + std::to_string(budget.depth);
    return text;
  }

  const ErrorLemmas& log_;
  const Table& table_;
  std::vector<LemmaId> stands_for_, goals_, cited_;
  std::vector<bool> needed_;
  std::vector<Word> rows_;  // scratch
  std::unordered_map<PathId, std::uint32_t> set_of_path_;
  std::unordered_map<Hash, std::uint32_t, HashOfHash> sets_;
  std::vector<PathId> path_of_set_;
};

}  // namespace dtfinder::front
