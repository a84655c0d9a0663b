// The engine against brute force on random tables, with every switch on and off, in C++ alone: the
// program that `make sanitize` builds with assertions and the address and undefined-behaviour
// sanitizers. Brute force shares nothing with the engine: it tries every feature at every set of
// examples and remembers the answers.
//
//   agree TABLES SEED    prints the number of comparisons; exits 1 at the first disagreement.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>

#include "exact/engine.hpp"
#include "spine/spine.hpp"

namespace {

using namespace dtfinder;
constexpr int kNever = 1 << 28;

struct RandomTable {
  std::vector<std::string> rows;  // of '0' and '1'
  std::vector<std::int64_t> labels;
  std::size_t columns = 0;
};

class BruteForce {
 public:
  explicit BruteForce(const RandomTable& table) : table_(table) {}

  // The least size (inner nodes) of a tree of at most `depth` levels; kNever if there is none.
  int size(const std::string& set, int depth) {
    bool pure = true;
    std::int64_t label = -1;
    int examples = 0;
    for (std::size_t e = 0; e < set.size(); ++e) {
      if (set[e] == '0') continue;
      ++examples;
      if (label >= 0 && table_.labels[e] != label) pure = false;
      label = table_.labels[e];
    }
    if (pure) return 0;
    if (depth == 0) return kNever;
    depth = std::min(depth, examples);
    const auto key = std::pair(set, depth);
    if (const auto known = sizes_.find(key); known != sizes_.end()) return known->second;
    int best = kNever;
    for (std::size_t f = 0; f < table_.columns; ++f) {
      std::string one = set, zero = set;
      for (std::size_t e = 0; e < set.size(); ++e) {
        std::string& without = table_.rows[e][f] == '1' ? zero : one;
        without[e] = '0';
      }
      if (one == set || zero == set) continue;
      best = std::min(best, 1 + size(one, depth - 1) + size(zero, depth - 1));
    }
    return sizes_[key] = std::min(best, kNever);
  }
  int size(int depth = 1000) { return size(std::string(table_.rows.size(), '1'), depth); }
  int depth() {
    int depth = 0;
    while (size(depth) >= kNever) ++depth;
    return depth;
  }

 private:
  const RandomTable& table_;
  std::map<std::pair<std::string, int>, int> sizes_;
};

// Whether every lemma follows by its rule, and is true by brute force.
class LemmaCheck {
 public:
  LemmaCheck(const RandomTable& table, BruteForce& brute) : table_(table), brute_(brute) {}

  bool holds(const LemmaArrays& lemmas) {
    sets_.clear();
    for (std::size_t i = 0; i < lemmas.bound.size(); ++i) {
      std::string set(table_.rows.size(), '0');
      cited_.clear();
      for (auto j = lemmas.cite_from[i]; j < lemmas.cite_from[i + 1]; ++j) {
        const std::size_t cited = lemmas.citations[static_cast<std::size_t>(j)];
        if (cited >= i) return false;
        cited_.push_back(cited);
        for (std::size_t e = 0; e < set.size(); ++e) {
          if (sets_[cited][e] == '1') set[e] = '1';
        }
      }
      for (auto j = lemmas.row_from[i]; j < lemmas.row_from[i + 1]; ++j) {
        const std::uint32_t row = lemmas.rows[static_cast<std::size_t>(j)];
        if (!(row & kTimes)) set[row] = '1';
      }
      sets_.push_back(set);
      if (!follows(lemmas, i) || !is_true(lemmas, i)) return false;
    }
    return true;
  }

 private:
  bool is_true(const LemmaArrays& lemmas, std::size_t i) {
    if (lemmas.measure[i] == Measure::kDepth)
      return brute_.size(sets_[i], lemmas.bound[i] - 1) >= kNever;
    return brute_.size(sets_[i], lemmas.limit[i] < 0 ? 1000 : lemmas.limit[i]) >= lemmas.bound[i];
  }

  bool follows(const LemmaArrays& lemmas, std::size_t i) const {
    const std::string& set = sets_[i];
    if (classes(set) < 2) return false;
    const auto kind = lemmas.kind[i];
    if (kind == LemmaKind::kParts) return parts(lemmas, i);
    if (kind == LemmaKind::kPath) return path(lemmas, i);
    if (kind == LemmaKind::kApart) return apart(lemmas, i);
    std::set<std::size_t> isolated;
    bool skipped = false;
    for (std::size_t f = 0; f < table_.columns; ++f) {
      const std::string one = side(set, f, '1'), zero = side(set, f, '0');
      if (one == set || zero == set) continue;
      const bool alone = ones(one) == 1 || ones(zero) == 1;
      if (ones(one) == 1) isolated.insert(one.find('1'));
      if (ones(zero) == 1) isolated.insert(zero.find('1'));
      const int v = best(lemmas, i, one), w = best(lemmas, i, zero);
      const int both = lemmas.measure[i] == Measure::kDepth ? std::max(v, w) : v + w;
      if (both >= lemmas.bound[i] - 1) continue;
      if (kind != LemmaKind::kCuts || !alone) return false;
      skipped = true;
    }
    return !skipped || counting(set, isolated, lemmas.bound[i], lemmas.limit[i]);
  }

  bool counting(const std::string& set, const std::set<std::size_t>& isolated, int bound,
                int limit) const {
    if (limit >= 0) return false;
    int lasting = 0;
    for (std::int64_t label : std::set(table_.labels.begin(), table_.labels.end())) {
      int here = 0;
      bool free = false;
      for (std::size_t e = 0; e < set.size(); ++e) {
        if (set[e] == '0' || table_.labels[e] != label) continue;
        ++here;
        free |= !isolated.count(e);
      }
      lasting += here >= bound || free;
    }
    return lasting >= 2;
  }

  bool parts(const LemmaArrays& lemmas, std::size_t i) const {
    int sum = 0;
    std::vector<std::string> sets;
    for (std::size_t cited : cited_) {
      if (lemmas.measure[cited] != lemmas.measure[i]) return false;
      if (!valid_under(lemmas.limit[cited], lemmas.limit[i])) return false;
      sum += lemmas.bound[cited];
      sets.push_back(sets_[cited]);
    }
    for (auto j = lemmas.row_from[i]; j < lemmas.row_from[i + 1]; j += 2) {
      std::string pair(table_.rows.size(), '0');
      const std::uint32_t* rows = lemmas.rows.data() + j;
      pair[rows[0]] = pair[rows[1]] = '1';
      if (classes(pair) < 2) return false;
      const bool often = j + 2 < lemmas.row_from[i + 1] && (rows[2] & kTimes);
      const std::uint32_t times = often ? rows[2] ^ kTimes : 1;
      sum += static_cast<int>(times);
      sets.insert(sets.end(), times, pair);
      j += often;
    }
    std::vector<int> splits(table_.columns, 0);
    for (const std::string& part : sets) {
      for (std::size_t f = 0; f < table_.columns; ++f) {
        const std::string one = side(part, f, '1');
        if (one != part && ones(one) > 0) ++splits[f];
      }
    }
    const int most = *std::max_element(splits.begin(), splits.end());
    return sum > (lemmas.bound[i] - 1) * most;
  }

  // For every class of the rows, those of others are enough and differ from what most rows have in
  // features of their own.
  bool path(const LemmaArrays& lemmas, std::size_t i) const {
    const std::string& set = sets_[i];
    const int size = ones(set);
    std::set<std::int64_t> labels;
    for (std::size_t e = 0; e < set.size(); ++e) {
      if (set[e] == '1') labels.insert(table_.labels[e]);
    }
    for (std::int64_t label : labels) {
      int others = 0;
      bool equal = false;
      std::vector<int> apart(table_.columns, 0);
      for (std::size_t e = 0; e < set.size(); ++e) {
        if (set[e] == '0' || table_.labels[e] == label) continue;
        ++others;
        int features = 0;
        for (std::size_t f = 0; f < table_.columns; ++f) {
          const char value = 2 * ones(side(set, f, '1')) > size ? '1' : '0';
          apart[f] += table_.rows[e][f] != value;
          features += table_.rows[e][f] != value;
        }
        equal |= features == 0;
      }
      const int most = *std::max_element(apart.begin(), apart.end());
      if (!equal && (most > 1 || others < lemmas.bound[i])) return false;
    }
    return lemmas.measure[i] == Measure::kDepth;
  }

  // Whether the first rows of a lemma, one more than its bound, are apart in pairs.
  bool apart(const LemmaArrays& lemmas, std::size_t i) const {
    const std::uint32_t* rows = lemmas.rows.data() + lemmas.row_from[i];
    const auto last = static_cast<std::size_t>(lemmas.bound[i]);
    if (!cited_.empty() || lemmas.row_from[i + 1] - lemmas.row_from[i] <= last) return false;
    for (std::size_t a = 0; a <= last; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        if (!are_apart(rows[a], rows[b], sets_[i])) return false;
      }
    }
    return true;
  }
  bool are_apart(std::size_t a, std::size_t b, const std::string& set) const {
    for (std::size_t z = 0; z < set.size(); ++z) {
      if (set[z] == '0') continue;
      bool between = true;
      for (std::size_t f = 0; f < table_.columns; ++f) {
        const char one = table_.rows[a][f];
        between &= one != table_.rows[b][f] || one == table_.rows[z][f];
      }
      const std::set labels{table_.labels[a], table_.labels[b], table_.labels[z]};
      if (between && labels.size() > 1) return true;
    }
    return false;
  }

  static bool valid_under(int limit, int wanted) {
    return limit < 0 || (wanted >= 0 && limit >= wanted);
  }
  int best(const LemmaArrays& lemmas, std::size_t i, const std::string& side) const {
    const int limit = lemmas.limit[i] < 0 ? -1 : lemmas.limit[i] - 1;
    int bound = classes(side) > 1 ? 1 : 0;
    for (std::size_t cited : cited_) {
      bool inside = true;
      for (std::size_t e = 0; e < side.size(); ++e) inside &= sets_[cited][e] <= side[e];
      if (!inside) continue;
      if (lemmas.measure[cited] == lemmas.measure[i]) {
        if (valid_under(lemmas.limit[cited], limit)) bound = std::max(bound, lemmas.bound[cited]);
      } else if (lemmas.measure[cited] == Measure::kDepth && limit >= 0 &&
                 lemmas.bound[cited] > limit) {
        return kNever;
      }
    }
    return lemmas.measure[i] == Measure::kSize && limit >= 0 && limit < 28 && bound >= 1 << limit
               ? kNever
               : bound;
  }
  std::string side(const std::string& set, std::size_t f, char value) const {
    std::string out = set;
    for (std::size_t e = 0; e < set.size(); ++e) {
      if (table_.rows[e][f] != value) out[e] = '0';
    }
    return out;
  }
  static int ones(const std::string& set) {
    return static_cast<int>(std::count(set.begin(), set.end(), '1'));
  }
  int classes(const std::string& set) const {
    std::set<std::int64_t> met;
    for (std::size_t e = 0; e < set.size(); ++e) {
      if (set[e] == '1') met.insert(table_.labels[e]);
    }
    return static_cast<int>(met.size());
  }

  const RandomTable& table_;
  BruteForce& brute_;
  std::vector<std::string> sets_;
  std::vector<std::size_t> cited_;
};

// A table of distinct rows; labels follow a few features, with noise, so that sizes vary.
RandomTable make_table(std::mt19937& random) {
  auto draw = [&](int low, int high) { return std::uniform_int_distribution(low, high)(random); };
  RandomTable table;
  std::size_t rows = 0;
  switch (draw(0, 5)) {
    case 0: {  // many examples over few features
      const int around[] = {63, 64, 65, 127, 128, 129};
      table.columns = 8;
      rows = static_cast<std::size_t>(around[draw(0, 5)]);
      break;
    }
    case 1: {  // many features over few examples
      const int around[] = {63, 64, 65, 127, 128, 129};
      table.columns = static_cast<std::size_t>(around[draw(0, 5)]);
      rows = static_cast<std::size_t>(draw(4, 9));
      break;
    }
    default:
      table.columns = static_cast<std::size_t>(draw(2, 9));
      rows = static_cast<std::size_t>(draw(1, 14));
  }
  const int classes = draw(2, 4), noise = rows > 20 ? draw(0, 3) : draw(0, 100);
  const int density = draw(1, 3);
  std::vector<std::size_t> used;
  for (int i = 0; i < 3; ++i) {
    used.push_back(static_cast<std::size_t>(draw(0, static_cast<int>(table.columns) - 1)));
  }
  std::set<std::string> seen;
  for (std::size_t tries = 0; table.rows.size() < rows && tries < 20 * rows; ++tries) {
    std::string row;
    for (std::size_t f = 0; f < table.columns; ++f) row += draw(0, 3) < density ? '1' : '0';
    if (!seen.insert(row).second) continue;
    std::int64_t label = 0;
    for (std::size_t f : used) label = 2 * label + (row[f] - '0');
    if (draw(0, 99) < noise) label = draw(0, 100);
    table.rows.push_back(row);
    table.labels.push_back(label % classes);
  }
  std::map<std::int64_t, std::int64_t> number;  // classes that occur, numbered from 0
  for (std::int64_t& label : table.labels) {
    label = number.try_emplace(label, static_cast<std::int64_t>(number.size())).first->second;
  }
  return table;
}

struct Outcome {
  bool infeasible;
  int size, depth, lower, depth_lower;
  bool classifies, proven;
};

Outcome ask(const RandomTable& table, const Goal& goal, const EngineSwitches& switches,
            std::uint64_t slice, LemmaArrays* lemmas = nullptr) {
  std::vector<char> bits;
  for (const std::string& row : table.rows) {
    for (char bit : row) bits.push_back(bit == '1');
  }
  const RawTable raw{reinterpret_cast<const bool*>(bits.data()), table.labels.data(),
                     table.rows.size(), table.columns};
  const auto engine = make_engine(raw, goal, switches);
  while (!engine->state().done) engine->run(slice);
  const State& state = engine->state();
  if (lemmas) *lemmas = engine->lemmas();
  if (state.infeasible) return {true, 0, 0, state.lower, state.depth_lower, true, true};
  Outcome answer{false,
                 inner_nodes(state.tree),
                 depth_of(state.tree),
                 state.lower,
                 state.depth_lower,
                 true,
                 state.lower == inner_nodes(state.tree)};
  for (std::size_t e = 0; e < table.rows.size(); ++e) {
    std::size_t at = 0;
    while (state.tree[at].feature >= 0) {
      const bool one = table.rows[e][static_cast<std::size_t>(state.tree[at].feature)] == '1';
      at = static_cast<std::size_t>(one ? state.tree[at].one : state.tree[at].zero);
    }
    answer.classifies &= state.tree[at].label == table.labels[e];
  }
  return answer;
}

std::vector<EngineSwitches> all_switches() {
  std::vector<EngineSwitches> all(24);
  all[1].cache = false;
  all[2].store = false;
  all[3].parts = false;
  all[4].cuts = false;
  all[5].gain_order = false;
  all[6].improve = false;
  all[7].shrink_up_to = 0;
  all[8].shrink_up_to = 9;
  all[9].any_width = true;
  all[10].slots = 64;
  all[10].memory = 1;
  all[11].cache = all[11].store = all[11].parts = all[11].cuts = false;
  all[12].folds = false;
  all[13].folds_after = all[13].least_fold = 0;
  all[14].spine = false;
  all[15].ground_after = 0;
  all[16].ground_after = 0;
  all[16].cache = all[16].store = all[16].parts = false;
  all[17].shallow = 2;
  all[18].shallow = 0;
  all[19].least_path = 2;
  all[20].least_path = 2;
  all[20].shallow = 0;
  all[21].paths = false;
  all[22].apart = false;
  all[23].apart_after = 0;
  return all;
}

// The least size by linear programs alone; -1 where they give up.
int least_by_spine(const RandomTable& table, int largest, std::uint64_t slice) {
  SpineTable given = SpineTable::of(
      table.rows.size(), table.columns,
      [&](std::size_t e) { return static_cast<int>(table.labels[e]); },
      [&](std::size_t e, std::size_t f) { return table.rows[e][f] == '1'; });
  Spine spine(std::move(given), Spine::make_cases(true), largest);
  for (int most = 0;; ++most) {
    spine.ask(most);
    Spine::Status status = Spine::Status::kOpen;
    while (status == Spine::Status::kOpen) status = spine.run(slice);
    if (status == Spine::Status::kGaveUp) return -1;
    if (status == Spine::Status::kTree) return inner_nodes(spine.tree());
  }
}

int failures = 0;
void expect(bool good, const char* what, const RandomTable& table) {
  if (good) return;
  ++failures;
  std::fprintf(stderr, "wrong: %s\n", what);
  for (std::size_t e = 0; e < table.rows.size(); ++e) {
    std::fprintf(stderr, "%d %s\n", static_cast<int>(table.labels[e]), table.rows[e].c_str());
  }
}

int compare(const RandomTable& table, std::mt19937& random) {
  BruteForce brute(table);
  const int size = brute.size();
  if (size > 7) return 0;  // brute force's own limit
  const int depth = brute.depth();
  int compared = 0;
  if (size > 0 && table.rows.size() <= 20) {
    const int largest = 1 + static_cast<int>(random() % 5);
    const int found = least_by_spine(table, largest, 1 + random() % 5000);
    expect(found == size || found == -1, "least size by linear programs", table);
    ++compared;
  }
  auto check = [&](const Goal& goal, const EngineSwitches& switches, int want, int want_depth,
                   const char* what) {
    ++compared;
    const std::uint64_t slice = random() % 2 ? 100000 : 1 + random() % 50;
    LemmaArrays lemmas;
    const Outcome got = ask(table, goal, switches, slice, &lemmas);
    if (want >= kNever) {
      expect(got.infeasible, what, table);
      return;
    }
    expect(!got.infeasible && got.size == want && got.classifies && got.proven, what, table);
    if (want_depth >= 0) expect(got.depth == want_depth, what, table);
    expect(got.depth_lower <= got.depth, what, table);
    if (!switches.proof) return;
    LemmaCheck judge(table, brute);
    expect(judge.holds(lemmas), "a lemma does not hold", table);
    expect(want < 2 || goal.max_depth < kNoLimit ||
               (!lemmas.bound.empty() && lemmas.bound.back() >= want),
           "the last lemma proves too little", table);
  };
  int number = 0;
  for (EngineSwitches switches : all_switches()) {
    switches.proof = switches.memory == 0 && number % 2 == 0;
    check(Goal{}, switches, size, -1, "least size");
    if (number++ % 4 == 0 || switches.shallow != EngineSwitches{}.shallow) {
      check(Goal{true}, switches, brute.size(depth), depth, "least depth, then size");
    }
  }
  EngineSwitches proof;
  proof.proof = true;
  proof.apart_after = 0;
  for (int limit = std::max(0, depth - 1); limit <= depth + 1; ++limit) {
    check(Goal{false, limit}, proof, brute.size(limit), -1, "least size under a depth limit");
  }
  for (int most = std::max(0, size - 1); most <= size + 1; ++most) {
    check(Goal{false, kNoLimit, most}, proof, most < size ? kNever : size, -1,
          "least size under a limit on nodes");
    int deep = depth;
    while (deep < 12 && brute.size(deep) > most) ++deep;
    const int want = brute.size(deep);
    check(Goal{true, kNoLimit, most}, EngineSwitches{}, want > most ? kNever : want,
          want > most ? -1 : deep, "least depth under a limit on nodes");
  }
  return compared;
}

}  // namespace

int main(int count, char** words) {
  const int tables = count > 1 ? std::atoi(words[1]) : 1000;
  std::mt19937 random(count > 2 ? static_cast<unsigned>(std::atoi(words[2])) : 1u);
  int compared = 0, used = 0;
  for (int i = 0; used < tables && failures == 0; ++i) {
    const RandomTable table = make_table(random);
    const int here = compare(table, random);
    compared += here;
    used += here > 0;
  }
  std::printf("%d tables, %d comparisons, %d failures\n", used, compared, failures);
  return failures != 0;
}
