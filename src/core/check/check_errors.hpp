// A compiled checker for proofs about trees that err: docs/certificates.md, 'Proofs about errors'.
//
// It does what the class Lemmas in certify/check_errors.py does, which has the argument for every
// rule, and includes nothing of the engine. A set of examples is a row of words. Net weights are
// kept as planes: for each class and binary digit the examples whose weight has it.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace dtfinder {

class ErrorChecker {
 public:
  using Number = std::int64_t;
  static constexpr Number kInfinite = Number{1} << 50;  // inner nodes, or depth, without limit
  static constexpr Number kMost = 4'000'000'000'000'000'000;       // no sum is larger
  static constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // of all sets
  // inner nodes (kInfinite for a cost), depth, whether it is a cost
  using Budget = std::tuple<Number, Number, bool>;

  // `bits` has a row of features and `weights` a row of net weights by class for each example; rows
  // of the table that were dropped have the example -1. `error` and `inner` are prices; both are 0
  // if there are none.
  ErrorChecker(const bool* bits, const Number* weights, std::size_t examples, std::size_t features,
               std::size_t classes, const Number* example_of_row, std::size_t rows, Number error,
               Number inner)
      : examples_(examples),
        words_(std::max<std::size_t>(1, (examples + 63) / 64)),
        error_(error),
        inner_(inner),
        rows_(example_of_row, example_of_row + rows),
        all_(words_, 0) {
    for (std::size_t f = 0; f < features; ++f) {
      masks_.emplace_back(words_, 0);
      for (std::size_t e = 0; e < examples; ++e) {
        if (bits[e * features + f]) masks_[f][e / 64] |= Word{1} << (e % 64);
      }
    }
    std::vector<Number> column(examples), sum(examples, 0);
    for (std::size_t c = 0; c < classes; ++c) {
      for (std::size_t e = 0; e < examples; ++e) {
        column[e] = weights[e * classes + c];
        if (column[e] < 0) throw std::invalid_argument("a weight is negative");
        sum[e] += column[e];
      }
      classes_.push_back(planes_of(column));
    }
    sums_ = planes_of(sum);
    for (const Set& plane : sums_) {  // all that have weight; on the others no tree errs
      for (std::size_t i = 0; i < words_; ++i) all_[i] |= plane[i];
    }
  }

  void check(std::string_view text) {
    std::size_t number = 0;
    for (std::size_t at = 0; at < text.size(); ++number) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      const std::string_view line = text.substr(at, end - at);
      try {
        text_ = line, at_ = 0;
        if (!line.empty() && line[0] == 'r') {
          read_set();
        } else {
          read_lemma();
        }
      } catch (const std::invalid_argument& error) {
        throw std::invalid_argument("line " + std::to_string(number) + " of the proof (" +
                                    std::string(line.substr(0, 60)) + "): " + error.what());
      }
      at = end + 1;
    }
  }
  // The best bound for each budget; all sets are parts of all examples.
  const std::map<Budget, Number>& best() const { return best_; }
  std::size_t lemmas() const { return known_.size(); }
  std::size_t sets() const { return sets_.size(); }

 private:
  using Word = std::uint64_t;
  using Set = std::vector<Word>;
  using Planes = std::vector<Set>;
  struct Hash {
    std::size_t operator()(const Set& set) const {
      Word hash = 0;
      for (const Word word : set) {
        hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
        hash ^= hash >> 29;
      }
      return static_cast<std::size_t>(hash);
    }
  };
  struct Lemma {
    std::size_t set;  // 0 for all, else 1 more than its place in sets_
    Number inner, depth, bound;
    bool priced;
  };
  struct Part {
    Lemma lemma;
    Number times;
  };
  struct Bound {
    Number inner, bound;
  };
  static constexpr Number kCounted = 3;                           // inner nodes, or depth
  static constexpr std::size_t kMostKept = std::size_t{1} << 26;  // bytes of what was counted

  static void need(bool holds, const char* otherwise) {
    if (!holds) throw std::invalid_argument(otherwise);
  }

  // ------------------------------------------------------------------------------------- weights
  Planes planes_of(const std::vector<Number>& weights) const {
    Planes planes;
    for (std::size_t e = 0; e < weights.size(); ++e) {
      for (std::size_t digit = 0; weights[e] >> digit; ++digit) {
        if (digit >= planes.size()) planes.emplace_back(words_, 0);
        if (weights[e] >> digit & 1) planes[digit][e / 64] |= Word{1} << (e % 64);
      }
    }
    return planes;
  }
  Number weight(const Planes& planes, const Set& set) const {
    Number sum = 0;
    for (std::size_t digit = 0; digit < planes.size(); ++digit) {
      Number count = 0;
      for (std::size_t i = 0; i < words_; ++i) count += std::popcount(set[i] & planes[digit][i]);
      sum += count << digit;
    }
    return sum;
  }
  Number leaf(const Set& set) const {
    Number sum = 0, most = 0;
    for (const Planes& planes : classes_) {
      const Number here = weight(planes, set);
      sum += here;
      most = std::max(most, here);
    }
    return sum - most;
  }
  // The weight of what `a` has beside `b`.
  Number outside(const Set& a, const Set& b) {
    rest_.resize(words_);
    for (std::size_t i = 0; i < words_; ++i) rest_[i] = a[i] & ~b[i];
    return weight(sums_, rest_);
  }
  Number size(const Set& set) const {
    Number count = 0;
    for (const Word word : set) count += std::popcount(word);
    return count;
  }

  // -------------------------------------------------------------------------------------- counts
  // The different ways in which masks split a set, each by the side without its first example.
  std::vector<Set> cuts(const Set& inside, const std::vector<Set>& among) const {
    std::size_t first = 0;
    while (first < words_ && !inside[first]) ++first;
    std::vector<Set> found;
    if (first == words_) return found;
    const Word lowest = inside[first] & -inside[first];
    Set side(words_);
    for (const Set& mask : among) {
      const bool flip = mask[first] & lowest;
      bool some = false;
      for (std::size_t i = 0; i < words_; ++i) {
        side[i] = inside[i] & (flip ? ~mask[i] : mask[i]);
        some |= side[i] != 0;
      }
      if (some) found.push_back(side);
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }
  static Set without(const Set& a, const Set& b) {
    Set made(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) made[i] = a[i] & ~b[i];
    return made;
  }
  // The least errors with one inner node. Only words with examples are looked at, and only one side
  // of a mask is weighed: the other has the rest.
  Number one_split(const Set& inside, const std::vector<Set>& among) const {
    std::vector<std::size_t> used;
    for (std::size_t i = 0; i < words_; ++i) {
      if (inside[i]) used.push_back(i);
    }
    std::vector<Number> total(classes_.size());
    Number all = 0;
    for (std::size_t c = 0; c < classes_.size(); ++c) all += total[c] = weight(classes_[c], inside);
    Number best = all - *std::max_element(total.begin(), total.end());
    for (const Set& mask : among) {
      Number most_one = 0, most_zero = 0;
      for (std::size_t c = 0; c < classes_.size(); ++c) {
        Number one = 0;
        for (std::size_t digit = 0; digit < classes_[c].size(); ++digit) {
          const Set& plane = classes_[c][digit];
          Number count = 0;
          for (const std::size_t i : used) {
            count += std::popcount(inside[i] & mask[i] & plane[i]);
          }
          one += count << digit;
        }
        most_one = std::max(most_one, one);
        most_zero = std::max(most_zero, total[c] - one);
      }
      best = std::min(best, all - most_one - most_zero);
    }
    return best;
  }
  // E(inside, n, d) if that is less than `enough`, else a number that is not. What is exact is
  // kept: most sets are met again, by another order of features.
  Number least(const Set& inside, const std::vector<Set>& among, Number n, Number d,
               Number enough) {
    if (n == 0 || d == 0 || enough <= 0) return std::min(leaf(inside), enough);
    n = std::min(n, full(d));
    d = std::min(d, n);
    Set key = inside;
    key.push_back(static_cast<Word>(n) << 32 | static_cast<Word>(d));
    if (const auto found = counted_.find(key); found != counted_.end()) {
      return std::min(found->second, enough);
    }
    const Number value =
        n == 1 ? one_split(inside, among) : several_splits(inside, among, n, d, enough);
    if (n == 1 || value < enough) {
      if (counted_.size() * (examples_ / 8 + 128) > kMostKept) counted_.clear();
      counted_.emplace(std::move(key), value);
    }
    return std::min(value, enough);
  }
  Number several_splits(const Set& inside, const std::vector<Set>& among, Number n, Number d,
                        Number enough) {
    Number best = std::min(leaf(inside), enough);
    if (best <= 0) return best;
    const Number most = std::min(n - 1, full(d - 1));  // of one side
    const std::vector<Set> ways = cuts(inside, among);
    for (const Set& one : ways) {
      const Set zero = without(inside, one);
      for (Number a = n - 1 - most; a <= most; ++a) {
        const Number b = n - 1 - a;
        const Set& small = a <= b ? one : zero;  // the side with fewer inner nodes first
        const Set& large = a <= b ? zero : one;
        const Number first = least(small, ways, std::min(a, b), d - 1, best);
        if (first >= best) continue;
        best = std::min(best, first + least(large, ways, std::max(a, b), d - 1, best - first));
      }
    }
    return best;
  }
  // The inner nodes of a full tree.
  static Number full(Number depth) {
    return depth < 49 ? (Number{1} << std::max<Number>(depth, 0)) - 1 : kInfinite;
  }
  // The least inner nodes and depth that allow for as much.
  void fit(const Set& set, Number& inner, Number& depth) const {
    inner = std::min({inner, std::max<Number>(size(set) - 1, 0), full(depth)});
    depth = std::min(depth, inner);
  }
  static Number up(Number number, Number by) {
    return number >= 0 ? (number + by - 1) / by : -(-number / by);
  }

  // --------------------------------------------------------------------------------------- lines
  bool next(char wanted) {
    if (at_ >= text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  Number digits(std::size_t most) {
    const std::size_t start = at_;
    Number value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      need(at_ - start < most, "a number is too long");
      value = value * 10 + (text_[at_] - '0');
    }
    need(at_ > start, "a number is missing");
    return value;
  }
  // What is so many places before the end of a list.
  std::size_t back(std::size_t length) {
    need(next('-') && at_ < text_.size() && text_[at_] != '0', "nothing is cited");
    const Number distance = digits(9);
    need(static_cast<std::size_t>(distance) <= length, "it cites what is before the first");
    return length - static_cast<std::size_t>(distance);
  }
  std::size_t set_name() {
    need(next(' '), "a blank is missing");
    if (next('0')) return 0;
    return 1 + back(sets_.size());
  }
  const Set& set(std::size_t name) const { return name == 0 ? all_ : sets_[name - 1]; }

  void read_set() {
    need(next('r'), "this is not a set");
    if (sets_.size() * (examples_ / 8 + 64) > kMostBytes) throw std::bad_alloc();
    Set made;
    if (text_.substr(at_, 2) == " =") {
      at_ += 2;
      made = rows();
    } else {
      made = set(set_name());
      if (text_.substr(at_, 2) == " x") {
        at_ += 2;
        made = without(made, rows());
      } else {
        do {
          need(next(' '), "a blank is missing");
          const bool one = next('+');
          need(one || next('-'), "a side is missing");
          const auto f = static_cast<std::size_t>(digits(9));
          need(f < masks_.size(), "there is no such feature");
          for (std::size_t i = 0; i < words_; ++i) made[i] &= one ? masks_[f][i] : ~masks_[f][i];
        } while (at_ < text_.size());
      }
    }
    sets_.push_back(std::move(made));
  }
  Set rows() {
    Set made(words_, 0);
    do {
      need(next(' '), "a blank is missing");
      const auto row = static_cast<std::size_t>(digits(9));
      need(row < rows_.size() && rows_[row] >= 0, "the table has no such row");
      const auto e = static_cast<std::size_t>(rows_[row]);
      need(e < examples_, "the table has no such row");
      made[e / 64] |= all_[e / 64] & Word{1} << (e % 64);
    } while (at_ < text_.size());
    return made;
  }

  void read_lemma() {
    need(text_.size() > 2, "this is not a lemma");
    const char kind = text_[at_++];
    need(kind == 'c' || kind == 's' || kind == 'p' || kind == 'k', "this is not a lemma");
    Lemma made{set_name(), kInfinite, kInfinite, 0, false};
    need(next(' '), "a blank is missing");
    if (next('$')) {
      made.priced = true;
      need(error_ > 0, "there are no prices");
    } else if (!next('*')) {
      made.inner = digits(9);
    }
    if (next('/')) made.depth = digits(9);
    need(next(' '), "a blank is missing");
    made.bound = digits(18);
    std::vector<Part> cited;
    while (at_ < text_.size()) {
      need(next(' '), "a blank is missing");
      cited.push_back({known_[back_lemma()], 1});
      if (!next('*')) continue;
      need(kind == 'p', "only parts count several times");
      need(at_ < text_.size() && text_[at_] != '0', "a part counts a strange number of times");
      cited.back().times = digits(9);
    }
    if (kind == 'c') {
      need(cited.empty(), "counted lemmas cite nothing");
      check_counted(made);
    } else if (kind == 's') {
      check_split(made, cited);
    } else if (kind == 'p') {
      check_parts(made, cited);
    } else {
      need(made.priced, "sizes are for prices only");
      check_sizes(made, cited);
    }
    known_.push_back(made);
    Number& best = best_[{made.inner, made.depth, made.priced}];
    best = std::max(best, made.bound);
  }
  std::size_t back_lemma() { return back(known_.size()); }

  // --------------------------------------------------------------------------------------- rules
  void check_counted(const Lemma& made) {
    const Set& inside = set(made.set);
    Number inner = made.inner, depth = made.depth;
    fit(inside, inner, depth);
    const bool few = inner <= kCounted || depth <= kCounted;
    const Number most = few ? inner : kCounted;
    if (!made.priced) {
      need(few, "it has too many inner nodes, and too much depth, to be counted");
      need(least(inside, masks_, most, depth, made.bound) >= made.bound, "fewer errors are needed");
      return;
    }
    need(few || inner_ * (kCounted + 1) >= made.bound, "more inner nodes may pay");
    for (Number k = 0; k <= most; ++k) {
      const Number enough = up(made.bound - inner_ * k, error_);
      need(least(inside, masks_, k, depth, enough) >= enough, "some inner nodes cost less");
    }
  }

  void check_split(const Lemma& made, const std::vector<Part>& cited) {
    const Set& inside = set(made.set);
    Number n = made.inner, depth = made.depth;
    fit(inside, n, depth);
    const Number below = depth - 1;
    const Number rate = made.priced ? error_ : 1;
    need(rate * leaf(inside) >= made.bound, "a leaf has less");
    if (n == 0) return;
    const std::vector<Set> ways = cuts(inside, masks_);
    for (const Set& one : ways) {
      const Set sides[2] = {one, without(inside, one)};
      std::vector<Bound> bounds[2];
      for (int side = 0; side < 2; ++side) {
        for (const Part& each : cited) {
          if (each.lemma.priced != made.priced || each.lemma.depth < below) continue;
          const Number bound = each.lemma.bound - rate * outside(set(each.lemma.set), sides[side]);
          if (bound > 0) bounds[side].push_back({each.lemma.inner, bound});
        }
      }
      if (made.priced) {
        const Number shown = inner_ + cost_of_side(sides[0], bounds[0], ways, below) +
                             cost_of_side(sides[1], bounds[1], ways, below);
        need(shown >= made.bound, "a feature is not refuted");
        continue;
      }
      const Number most = std::min(n - 1, full(below));
      for (Number a = n - 1 - most; a <= most; ++a) {
        const Number shares[2] = {a, n - 1 - a};
        need(reach(sides, bounds, shares, ways, below, made.bound), "a feature is not refuted");
      }
    }
  }
  // Whether two sides together reach the bound, by what is cited or else by counting.
  bool reach(const Set sides[2], const std::vector<Bound> bounds[2], const Number shares[2],
             const std::vector<Set>& ways, Number below, Number bound) {
    Number low[2], inner[2], depth[2];
    for (int side = 0; side < 2; ++side) {
      inner[side] = shares[side], depth[side] = below;
      fit(sides[side], inner[side], depth[side]);
      low[side] = inner[side] == 0 ? leaf(sides[side]) : 0;
      for (const Bound& each : bounds[side]) {
        if (each.inner >= inner[side]) low[side] = std::max(low[side], each.bound);
      }
    }
    for (int side = 0; side < 2; ++side) {
      if (low[0] + low[1] >= bound) return true;
      if (inner[side] == 0 || inner[side] >= kCounted) continue;
      const Number enough = bound - low[1 - side];
      low[side] = std::max(low[side], least(sides[side], ways, inner[side], depth[side], enough));
    }
    return low[0] + low[1] >= bound;
  }
  Number cost_of_side(const Set& side, const std::vector<Bound>& bounds,
                      const std::vector<Set>& ways, Number below) {
    Number inner = kCounted - 1, depth = below;
    fit(side, inner, depth);
    Number room = kInfinite, room_depth = below;
    fit(side, room, room_depth);
    Number low = error_ * leaf(side);
    if (room > inner) low = std::min(low, inner_ * kCounted);
    for (Number k = 1; k <= inner; ++k) {
      const Number enough = up(low - inner_ * k, error_);
      low = std::min(low, error_ * least(side, ways, k, depth, enough) + inner_ * k);
    }
    for (const Bound& each : bounds) low = std::max(low, each.bound);
    return low;
  }

  void check_parts(const Lemma& made, const std::vector<Part>& cited) {
    need(!cited.empty(), "it has no parts");
    const Set& inside = set(made.set);
    const Number rate = made.priced ? error_ : 1;
    need(!made.priced || (cited.size() == 1 && cited[0].times == 1), "costs do not add up");
    Number inner = made.inner, depth = made.depth;
    fit(inside, inner, depth);
    Number total = 0, often = 0, most = 1;
    std::vector<Number> counts(examples_, 0);
    for (const Part& each : cited) {
      const Lemma& part = each.lemma;
      need(part.priced == made.priced, "a cost is not a number of errors");
      need(part.inner >= inner && part.depth >= depth, "a part has less room");
      const Number bound = part.bound - rate * outside(set(part.set), inside);
      often += each.times;
      need(often < Number{1} << 32, "its parts count too often");
      if (bound <= 0) continue;
      need(bound <= (kMost - total) / each.times, "its parts count too often");
      total += each.times * bound;
      for (std::size_t i = 0; i < words_; ++i) {
        for (Word left = set(part.set)[i] & inside[i]; left; left &= left - 1) {
          const std::size_t e = i * 64 + static_cast<std::size_t>(std::countr_zero(left));
          most = std::max(most, counts[e] += each.times);
        }
      }
    }
    need(up(total, most) >= made.bound, "its parts do not add up to it");
  }

  void check_sizes(const Lemma& made, const std::vector<Part>& cited) {
    need(inner_ > 0, "inner nodes cost nothing");
    const Set& inside = set(made.set);
    Number inner = kInfinite, depth = made.depth;
    fit(inside, inner, depth);
    std::vector<Bound> bounds;
    std::vector<Number> sizes{0};
    for (const Part& each : cited) {
      need(!each.lemma.priced, "a cost is not a number of errors");
      if (each.lemma.depth < depth) continue;
      bounds.push_back({each.lemma.inner, each.lemma.bound - outside(set(each.lemma.set), inside)});
      if (each.lemma.inner < inner) sizes.push_back(each.lemma.inner + 1);
    }
    for (const Number k : sizes) {
      Number low = k == 0 ? leaf(inside) : 0;
      for (const Bound& each : bounds) {
        if (each.inner >= k) low = std::max(low, each.bound);
      }
      need(error_ * low + inner_ * k >= made.bound, "some inner nodes cost less");
    }
  }

  std::size_t examples_, words_;
  Number error_, inner_;
  std::vector<Number> rows_;
  Set all_, rest_;
  std::vector<Set> masks_, sets_;
  std::vector<Planes> classes_;
  Planes sums_;
  std::vector<Lemma> known_;
  std::map<Budget, Number> best_;
  std::unordered_map<Set, Number, Hash> counted_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace dtfinder
