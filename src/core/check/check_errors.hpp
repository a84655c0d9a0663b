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
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "check/check_lemmas.hpp"
#include "check/small_trees.hpp"

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
  // if there are none. `kernel` is the best kind of loops that may be used, for tests.
  ErrorChecker(const bool* bits, const Number* weights, std::size_t examples, std::size_t features,
               std::size_t classes, const Number* example_of_row, std::size_t rows, Number error,
               Number inner, int kernel = 2)
      : kernels_(small_trees::kernels_up_to(kernel)),
        bits_(bits),
        weights_(weights),
        features_(features),
        examples_(examples),
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
        } else if (!line.empty() && line[0] == 'x') {
          need(line.size() > 1 && line[1] == ' ', "this is not an exact lemma");
          exact().follow(line.substr(2));
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
  struct Lemma {
    std::size_t set;  // 0 for all, else 1 more than its place in sets_
    Number inner, depth, bound;
    bool priced;
  };
  struct Part {
    Lemma lemma;
    Number times;
  };
  struct ExactPart {
    std::size_t place;
    Number times;
  };
  struct Bound {
    Number inner, bound;
  };
  static constexpr Number kCounted = 3;  // inner nodes, or depth

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
      sum += common(set, planes[digit]) << digit;
    }
    return sum;
  }
  // The weight of what two sets have in common.
  Number joint_weight(const Set& a, const Set& b) {
    joint_.resize(words_);
    for (std::size_t i = 0; i < words_; ++i) joint_[i] = a[i] & b[i];
    return weight(sums_, joint_);
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
  Number size(const Set& set) const { return common(set, set); }
  Number common(const Set& a, const Set& b) const {
    return kernels_.common(a.data(), b.data(), words_);
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
  // Makes `trees_` those of the set; `ways` are its splits, if they are known.
  void turn_to(const Set& inside, const std::vector<Set>* ways) {
    if (inside == current_) return;
    current_ = inside;
    trees_.begin(inside, ways ? *ways : cuts(inside, masks_), classes_);
  }
  // E(inside, n, d) if that is less than `enough`, else a number that is not, for few inner nodes
  // or little depth.
  Number least(const Set& inside, Number n, Number d, Number enough) {
    if (n == 0 || enough <= 0) return std::min(leaf(inside), enough);
    turn_to(inside, nullptr);
    const auto splits = static_cast<std::size_t>(n);
    const auto depth = static_cast<std::size_t>(std::min<Number>(d, kCounted));
    trees_.count_pairs();
    if (n > 2 && d > 2) {
      if (n == 3) {
        if (const auto found = trees_.three_splits(enough)) return std::min(*found, enough);
      }
      trees_.count_triples();
    }
    return std::min(trees_.whole(splits, depth), enough);
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
    if (text_.substr(at_, 3) == " e ") {
      at_ += 3;
      const std::uint64_t* members = exact_lemma().members;
      made.assign(members, members + words_);
      need(at_ == text_.size(), "a set of more than one lemma");
    } else if (text_.substr(at_, 2) == " =") {
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
  // The checker of exact lemmas: of each example it sees the class that has most weight.
  LemmaChecker& exact() {
    if (exact_) return *exact_;
    if (examples_ * (examples_ / 8) > kMostBytes) throw std::bad_alloc();  // it keeps a set of each
    const std::size_t classes = classes_.size();
    std::vector<Number> labels(examples_), of_row(rows_);
    for (std::size_t e = 0; e < examples_; ++e) {
      const Number* of = weights_ + e * classes;
      labels[e] = std::max_element(of, of + classes) - of;
    }
    for (Number& e : of_row) {
      if (e >= 0 && !(all_[static_cast<std::size_t>(e) / 64] >> (e % 64) & 1)) e = -1;
    }
    exact_.emplace(bits_, labels.data(), examples_, features_, of_row.data(), of_row.size());
    return *exact_;
  }
  std::size_t exact_lemmas() const { return exact_ ? exact_->size() : 0; }
  LemmaChecker::Known exact_lemma() { return exact().known(back(exact_lemmas())); }
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
    need(std::string_view("cspke").find(kind) < 5, "this is not a lemma");
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
    std::vector<ExactPart> exact_ones;
    while (at_ < text_.size()) {
      need(next(' '), "a blank is missing");
      Number times = 1;
      const std::size_t place = back(kind == 'e' ? exact_lemmas() : known_.size());
      if (next('*')) {
        need(kind == 'p' || kind == 'e', "only parts and exact lemmas count several times");
        need(at_ < text_.size() && text_[at_] != '0', "a part counts a strange number of times");
        times = digits(9);
      }
      if (kind == 'e') {
        exact_ones.push_back({place, times});
      } else {
        cited.push_back({known_[place], times});
      }
    }
    if (kind == 'c') {
      need(cited.empty(), "counted lemmas cite nothing");
      check_counted(made);
    } else if (kind == 's') {
      check_split(made, cited);
    } else if (kind == 'p') {
      check_parts(made, cited);
    } else if (kind == 'e') {
      need(!made.priced, "it is about errors");
      check_exact(made, exact_ones);
    } else if (kind == 'k') {
      need(made.priced, "sizes are for prices only");
      check_sizes(made, cited);
    }
    known_.push_back(made);
    Number& best = best_[{made.inner, made.depth, made.priced}];
    best = std::max(best, made.bound);
  }

  // --------------------------------------------------------------------------------------- rules
  void check_counted(const Lemma& made) {
    const Set& inside = set(made.set);
    Number inner = made.inner, depth = made.depth;
    fit(inside, inner, depth);
    const bool few = inner <= kCounted || depth <= kCounted;
    const Number most = few ? inner : kCounted;
    if (!made.priced) {
      need(few, "it has too many inner nodes, and too much depth, to be counted");
      need(least(inside, most, depth, made.bound) >= made.bound, "fewer errors are needed");
      return;
    }
    need(few || inner_ * (kCounted + 1) >= made.bound, "more inner nodes may pay");
    for (Number k = most; k >= 0; --k) {  // what the largest counts serves the others
      const Number enough = up(made.bound - inner_ * k, error_);
      need(least(inside, k, depth, enough) >= enough, "some inner nodes cost less");
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
    struct Cited {
      const Lemma* lemma;
      Number within, beside;  // its weight inside, and outside
    };
    std::vector<Cited> useful;
    for (const Part& each : cited) {
      if (each.lemma.priced != made.priced || each.lemma.depth < below) continue;
      const Number all = weight(sums_, set(each.lemma.set));
      const Number beside = outside(set(each.lemma.set), inside);
      useful.push_back({&each.lemma, all - beside, beside});
    }
    Side sides[2] = {{inside, ways, 0, 0, {}, {}}, {inside, ways, 0, 1, {}, {}}};
    for (std::size_t f = 0; f < ways.size(); ++f) {
      sides[0].members.resize(words_);
      for (std::size_t i = 0; i < words_; ++i) sides[0].members[i] = inside[i] & ~ways[f][i];
      sides[1].members = ways[f];
      for (Side& side : sides) side.way = f, side.bounds.clear();
      for (const Cited& each : useful) {
        const Number ones = joint_weight(set(each.lemma->set), ways[f]);
        const Number lost[2] = {each.beside + ones, each.beside + each.within - ones};
        for (std::size_t side = 0; side < 2; ++side) {
          const Number bound = each.lemma->bound - rate * lost[side];
          if (bound > 0) sides[side].bounds.push_back({each.lemma->inner, bound});
        }
      }
      if (made.priced) {
        const Number shown = inner_ + cost_of_side(sides[0], below) + cost_of_side(sides[1], below);
        need(shown >= made.bound, "a feature is not refuted");
        continue;
      }
      const Number most = std::min(n - 1, full(below));
      for (Number a = n - 1 - most; a <= most; ++a) {
        const Number shares[2] = {a, n - 1 - a};
        need(reach(sides, shares, below, made.bound), "a feature is not refuted");
      }
    }
  }
  // One side of a split of a set.
  struct Side {
    const Set& of;
    const std::vector<Set>& ways;
    std::size_t way, number;
    Set members;
    std::vector<Bound> bounds;  // by what is cited
  };
  // E of a side with one or two inner nodes if that is less than `enough`, else a number that is
  // not.
  Number counted_side(const Side& side, Number inner, Number enough) {
    turn_to(side.of, &side.ways);
    trees_.count_pairs();
    if (inner == 1) return trees_.child(side.number, 1, side.way);
    return trees_.two_splits(side.number, side.way, enough);
  }
  // Whether two sides together reach the bound, by what is cited or else by counting.
  bool reach(const Side sides[2], const Number shares[2], Number below, Number bound) {
    Number low[2], inner[2];
    for (int side = 0; side < 2; ++side) {
      Number depth = below;
      inner[side] = shares[side];
      fit(sides[side].members, inner[side], depth);
      low[side] = inner[side] == 0 ? leaf(sides[side].members) : 0;
      for (const Bound& each : sides[side].bounds) {
        if (each.inner >= inner[side]) low[side] = std::max(low[side], each.bound);
      }
    }
    for (int side = 0; side < 2; ++side) {
      if (low[0] + low[1] >= bound) return true;
      if (inner[side] == 0 || inner[side] >= kCounted) continue;
      const Number enough = bound - low[1 - side];
      low[side] = std::max(low[side], counted_side(sides[side], inner[side], enough));
    }
    return low[0] + low[1] >= bound;
  }
  Number cost_of_side(const Side& side, Number below) {
    Number inner = kCounted - 1, depth = below;
    fit(side.members, inner, depth);
    Number room = kInfinite, room_depth = below;
    fit(side.members, room, room_depth);
    Number low = error_ * leaf(side.members);
    if (room > inner) low = std::min(low, inner_ * kCounted);
    for (Number k = 1; k <= inner; ++k) {
      const Number enough = up(low - inner_ * k, error_);
      if (enough > 0) low = std::min(low, error_ * counted_side(side, k, enough) + inner_ * k);
    }
    for (const Bound& each : side.bounds) low = std::max(low, each.bound);
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

  void check_exact(const Lemma& made, const std::vector<ExactPart>& cited) {
    need(!cited.empty(), "it cites no exact lemma");
    const Set& inside = set(made.set);
    Number inner = made.inner, depth = made.depth;
    fit(inside, inner, depth);
    Number total = 0;
    std::vector<Number> counts(examples_, 0);
    for (const ExactPart& each : cited) {
      const LemmaChecker::Known known = exact().known(each.place);
      need(known.limit >= depth, "it is about less depth");
      need(known.bound > inner, "so many inner nodes may be enough");
      total += each.times;
      need(total < Number{1} << 32, "its lemmas count too often");
      for (std::size_t i = 0; i < words_; ++i) {
        need(!(known.members[i] & ~inside[i]), "it is about other examples");
        for (Word left = known.members[i]; left; left &= left - 1)
          counts[i * 64 + static_cast<std::size_t>(std::countr_zero(left))] += each.times;
      }
    }
    // What no tree can avoid; and what the sets show beyond, or as much as the bound where they
    // show more.
    Number least = made.bound;
    for (std::size_t e = 0; e < examples_; ++e) {
      const Heaviest each = heaviest(inside, e);
      if (counts[e] > 0)
        least = std::min(least, share(total, each.first - each.second, counts[e], least));
    }
    need(floor(inside) + least >= made.bound, "fewer errors are shown");
  }
  // The weights of an example, if it is inside: the two heaviest classes, and all.
  struct Heaviest {
    Number first = 0, second = 0, sum = 0;
  };
  Heaviest heaviest(const Set& inside, std::size_t e) const {
    Heaviest found;
    if (!(inside[e / 64] >> (e % 64) & 1)) return found;
    for (std::size_t c = 0; c < classes_.size(); ++c) {
      const Number here = weights_[e * classes_.size() + c];
      found.second = std::max(found.second, std::min(found.first, here));
      found.first = std::max(found.first, here);
      found.sum += here;
    }
    return found;
  }
  // What no tree can avoid.
  Number floor(const Set& inside) const {
    Number sum = 0;
    for (std::size_t e = 0; e < examples_; ++e) {
      const Heaviest each = heaviest(inside, e);
      sum += each.sum - each.first;
    }
    return sum;
  }
  // total * cost / often, rounded up, or `enough` if that is not more. Divided as on paper, in
  // digits of 32 bits: `total` and `often` have one, `cost` two.
  static Number share(Number total, Number cost, Number often, Number enough) {
    constexpr Word kLow = 0xFFFFFFFF;
    const Word one = static_cast<Word>(total), by = static_cast<Word>(often);
    const Word low = one * (static_cast<Word>(cost) & kLow);
    const Word high = one * (static_cast<Word>(cost) >> 32) + (low >> 32);
    const Word first = high / by, rest = (high % by) << 32 | (low & kLow);
    if (first >> 29) return enough;  // bounds are below 2^60
    const Word shown = (first << 32) + rest / by + (rest % by > 0);
    return std::min(enough, static_cast<Number>(shown));
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
    const Number least = floor(inside);
    for (const Number k : sizes) {
      Number low = k == 0 ? leaf(inside) : least;
      for (const Bound& each : bounds) {
        if (each.inner >= k) low = std::max(low, each.bound);
      }
      need(error_ * low + inner_ * k >= made.bound, "some inner nodes cost less");
    }
  }

  const small_trees::Kernels& kernels_;
  const bool* bits_;
  const Number* weights_;
  std::size_t features_, examples_, words_;
  Number error_, inner_;
  std::vector<Number> rows_;
  Set all_, rest_;
  std::vector<Set> masks_, sets_;
  std::vector<Planes> classes_;
  Planes sums_;
  std::vector<Lemma> known_;
  std::map<Budget, Number> best_;
  Set current_, joint_;
  SmallTrees trees_{kernels_};
  std::optional<LemmaChecker> exact_;
  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace dtfinder
