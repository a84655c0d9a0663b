// The counting engine against brute force on random tables, for every goal, with every switch on
// and off, on every kernel, in C++ alone: the program that `make sanitize` builds with the address
// and undefined-behaviour sanitizers. Brute force shares nothing with the engine: it tries every
// feature at every set of rows and remembers the answers.
//
//   front_agree TABLES SEED    prints the number of comparisons; exits 1 at the first disagreement.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <string>

#include "../../src/core/front/front_engine.hpp"

namespace {

using namespace dtfinder;
using namespace dtfinder::front;

struct RandomTable {
  std::vector<std::string> rows;  // of '0' and '1'
  std::vector<std::vector<std::int64_t>> weights;
  std::size_t columns = 0, classes = 2;
};

class BruteForce {
 public:
  explicit BruteForce(const RandomTable& table) : table_(table), all_(table.rows.size(), '1') {}

  Value errors(int inner, int depth) { return errors(all_, inner, depth); }
  Value cost(Value unit, Value leaf, int depth) {
    costs_.clear();
    return cost(all_, unit, leaf, depth);
  }

 private:
  Value leaf(const std::string& set) const {
    std::vector<Value> sums(table_.classes);
    Value all = 0, top = 0;
    for (std::size_t e = 0; e < set.size(); ++e) {
      for (std::size_t c = 0; c < table_.classes && set[e] == '1'; ++c) {
        sums[c] += table_.weights[e][c];
        all += table_.weights[e][c];
      }
    }
    for (const Value sum : sums) top = std::max(top, sum);
    return all - top;
  }
  bool split(const std::string& set, std::size_t f, std::string& none, std::string& one) const {
    none = one = set;
    bool any_none = false, any_one = false;
    for (std::size_t e = 0; e < set.size(); ++e) {
      if (set[e] == '0') continue;
      const bool bit = table_.rows[e][f] == '1';
      (bit ? none : one)[e] = '0';
      (bit ? any_one : any_none) = true;
    }
    return any_none && any_one;
  }
  Value errors(const std::string& set, int inner, int depth) {
    if (depth > inner) depth = inner;
    const auto key = std::tuple(set, inner, depth);
    if (const auto known = errors_.find(key); known != errors_.end()) return known->second;
    Value best = leaf(set);
    std::string none, one;
    for (std::size_t f = 0; depth > 0 && best > 0 && f < table_.columns; ++f) {
      if (!split(set, f, none, one)) continue;
      for (int a = 0; a < inner; ++a) {
        best = std::min(best, errors(none, a, depth - 1) + errors(one, inner - 1 - a, depth - 1));
      }
    }
    return errors_[key] = best;
  }
  Value cost(const std::string& set, Value unit, Value leaf_price, int depth) {
    const auto key = std::pair(set, depth);
    if (const auto known = costs_.find(key); known != costs_.end()) return known->second;
    Value best = unit * leaf(set) + leaf_price;
    std::string none, one;
    for (std::size_t f = 0; depth > 0 && f < table_.columns; ++f) {
      if (!split(set, f, none, one)) continue;
      best = std::min(
          best, cost(none, unit, leaf_price, depth - 1) + cost(one, unit, leaf_price, depth - 1));
    }
    return costs_[key] = best;
  }

  const RandomTable& table_;
  std::string all_;
  std::map<std::tuple<std::string, int, int>, Value> errors_;
  std::map<std::pair<std::string, int>, Value> costs_;
};

int failures = 0, compared = 0;
void expect(bool good, const char* what, const RandomTable& table) {
  ++compared;
  if (good) return;
  ++failures;
  std::fprintf(stderr, "wrong: %s\n", what);
  for (std::size_t e = 0; e < table.rows.size(); ++e) {
    for (const auto weight : table.weights[e])
      std::fprintf(stderr, "%d ", static_cast<int>(weight));
    std::fprintf(stderr, "%s\n", table.rows[e].c_str());
  }
  std::exit(1);
}

std::unique_ptr<Engine> make(const RandomTable& table, const Goal& goal, const Switches& switches) {
  std::vector<char> bits;
  std::vector<std::int64_t> weights;
  for (std::size_t e = 0; e < table.rows.size(); ++e) {
    for (const char bit : table.rows[e]) bits.push_back(bit == '1');
    weights.insert(weights.end(), table.weights[e].begin(), table.weights[e].end());
  }
  return make_engine({reinterpret_cast<const bool*>(bits.data()), weights.data(), table.rows.size(),
                      table.columns, table.classes},
                     goal, switches);
}

Value errors_of(const RandomTable& table, const TreeNodes& tree) {
  Value errors = 0;
  for (std::size_t e = 0; e < table.rows.size(); ++e) {
    std::size_t at = 0;
    while (tree[at].feature >= 0) {
      const bool one = table.rows[e][static_cast<std::size_t>(tree[at].feature)] == '1';
      at = static_cast<std::size_t>(one ? tree[at].one : tree[at].zero);
    }
    for (std::size_t c = 0; c < table.classes; ++c) {
      if (static_cast<std::int32_t>(c) != tree[at].label) errors += table.weights[e][c];
    }
  }
  return errors;
}

std::string dump(const Engine& engine) {
  std::string text = std::to_string(engine.steps());
  const State& state = engine.state();
  auto add = [&](const TreeNodes& tree) {
    for (const auto& n : tree) {
      text += ' ' + std::to_string(n.feature) + ',' + std::to_string(n.zero) + ',' +
              std::to_string(n.label);
    }
  };
  for (const Point& point : state.points) {
    text += " | " + std::to_string(point.lower) + ' ' + std::to_string(point.upper);
    add(engine.tree(point.inner));
  }
  add(state.tree);
  return text;
}

// Runs to the end; every state on the way must be sound for what brute force says in the end.
void finish(Engine& engine, std::uint64_t slice) {
  while (!engine.state().done) engine.run(slice);
}

std::vector<Switches> all_switches() {
  std::vector<Switches> all(17);
  all[1].cache = false;
  all[2].similar = false;
  all[3].siblings = false;
  all[4].parents = false;
  all[5].triples = false;
  all[6].improve = false;
  all[7].order = false;
  all[8].cache = all[8].similar = all[8].siblings = all[8].parents = false;
  all[9].memory = 1;
  all[10].kept = 2;
  all[12].chains = false;
  all[13].counts = 0;
  all[14].patience = 1;
  all[15].counts = 2000;
  all[16].dense = 0;
  all[11].triples = all[11].cache = all[11].improve = false;
  for (const Machine machine : {Machine::kPortable, Machine::kAvx2, Machine::kAvx512}) {
    if (!supported(machine)) continue;
    for (const std::size_t dense : {Switches{}.dense, std::size_t{0}}) {
      all.emplace_back();
      all.back().kernel = static_cast<int>(machine);
      all.back().dense = dense;
    }
  }
  return all;
}

void check_front(const RandomTable& table, BruteForce& brute, int inner, int depth,
                 const Switches& switches, std::mt19937& random) {
  Goal goal;
  goal.max_inner = inner;
  goal.max_depth = depth;
  auto engine = make(table, goal, switches);
  const std::uint64_t slice = random() % 2 ? 100000 : 1 + random() % 50;
  while (!engine->state().done) {
    engine->run(slice);
    for (const Point& point : engine->state().points) {
      const Value best = brute.errors(point.inner, depth);
      expect(point.lower <= best && best <= point.upper, "bounds of a front on the way", table);
    }
  }
  const auto& points = engine->state().points;
  for (const Point& point : points) {
    const Value best = brute.errors(point.inner, depth);
    expect(point.lower == best && point.upper == best, "errors of a front", table);
    const TreeNodes tree = engine->tree(point.inner);
    expect(errors_of(table, tree) == best, "errors of a tree of a front", table);
    expect(inner_nodes(tree) <= point.inner && depth_of(tree) <= depth, "limits of a front", table);
  }
  const int last = points.back().inner;
  expect(last == inner || points.back().upper == brute.errors(inner, depth), "the end of a front",
         table);
}

void check_goal(const RandomTable& table, BruteForce& brute, const Goal& goal, int most,
                const Switches& switches, std::mt19937& random) {
  auto engine = make(table, goal, switches);
  finish(*engine, random() % 2 ? 100000 : 1 + random() % 50);
  const State& state = engine->state();
  if (goal.kind == Goal::kCost) {
    const Value want = brute.cost(goal.error_price, goal.leaf_price, std::min(goal.max_depth, 12));
    const Value got = goal.error_price * errors_of(table, state.tree) +
                      goal.leaf_price * (inner_nodes(state.tree) + 1);
    expect(got == want && state.best.cost == want && state.lower.cost == want, "cost", table);
    expect(depth_of(state.tree) <= goal.max_depth, "depth of the tree of least cost", table);
    return;
  }
  const int max_inner = std::min(goal.max_inner, most), max_depth = std::min(goal.max_depth, most);
  const Value target =
      goal.kind == Goal::kErrors ? brute.errors(max_inner, max_depth) : goal.max_errors;
  if (brute.errors(max_inner, max_depth) > target) {
    expect(state.infeasible, "a tree where there is none", table);
    return;
  }
  if (!goal.smallest) {
    expect(errors_of(table, state.tree) == target && state.lower.errors == target,
           "fewest errors alone", table);
    expect(inner_nodes(state.tree) <= goal.max_inner && depth_of(state.tree) <= goal.max_depth,
           "limits", table);
    return;
  }
  int depth = max_depth, inner = 0;
  if (goal.depth_first) {
    depth = 0;
    while (brute.errors(max_inner, depth) > target) ++depth;
  }
  while (brute.errors(inner, depth) > target) ++inner;
  expect(!state.infeasible && !state.tree.empty(), "no tree where there is one", table);
  expect(
      inner_nodes(state.tree) == inner && state.best.inner == inner && state.lower.inner == inner,
      "size", table);
  expect(!goal.depth_first || (depth_of(state.tree) == depth && state.lower.depth == depth),
         "depth", table);
  expect(depth_of(state.tree) <= goal.max_depth && depth_of(state.tree) == state.best.depth,
         "depth limit", table);
  const Value errors = errors_of(table, state.tree);
  expect(errors <= target && errors == state.best.errors, "errors", table);
  expect(goal.kind != Goal::kErrors || (errors == target && state.lower.errors == target),
         "fewest errors", table);
}

RandomTable make_table(std::mt19937& random, std::size_t rows, std::size_t columns,
                       std::size_t classes, int kind) {
  RandomTable table;
  table.columns = columns;
  table.classes = classes;
  std::set<std::string> seen;
  const bool skewed = random() % 3 == 0, chained = random() % 4 == 0;
  while (table.rows.size() < rows) {
    std::string row;
    const std::size_t level = random() % (columns + 1);
    for (std::size_t f = 0; f < columns; ++f) {
      const bool one = chained && f < 4 ? f < level : random() % (skewed ? 4 : 2) == 0;
      row += one ? '1' : '0';
    }
    if (!seen.insert(row).second) {
      if (random() % 64 == 0 && (skewed || chained)) break;
      continue;
    }
    table.rows.push_back(row);
    std::vector<std::int64_t> weights(classes, 0);
    const std::size_t rule = static_cast<std::size_t>((row[0] ^ (row[1] & row[columns - 1])) & 1);
    const std::size_t label = random() % 4 == 0 ? random() % classes : rule;
    if (kind == 0) {
      weights[label] = 1;
    } else if (kind == 1) {
      for (auto& weight : weights) weight = random() % 3 == 0 ? random() % 4 : 0;
      weights[label] += 1 + random() % 3;
    } else {
      for (auto& weight : weights) weight = random() % 40000;
      if (kind == 3) weights[label] += std::int64_t{1} << 33;
    }
    table.weights.push_back(weights);
  }
  return table;
}

void compare(std::mt19937& random, const std::vector<Switches>& switches, std::size_t number) {
  static const std::size_t kRows[] = {63, 64, 65, 127, 128, 129};
  const bool large = number % 4 == 0;
  const std::size_t columns = large ? 7 + random() % 3 : 2 + random() % 5;
  const std::size_t fit = std::size_t{1} << columns;
  const std::size_t rows =
      large ? std::min(fit, kRows[random() % 6]) : 1 + random() % std::min<std::size_t>(fit, 24);
  const int kind = random() % 8 == 0 ? 3 : static_cast<int>(random() % 3);
  const RandomTable table = make_table(random, rows, columns, 2 + random() % 3, kind);
  BruteForce brute(table);
  const int most = large ? 5 : 4 + static_cast<int>(random() % 8);
  const Switches& one = switches[number % switches.size()];
  check_front(table, brute, most, kUnlimited, one, random);
  check_front(table, brute, most, 1 + static_cast<int>(random() % 5), one, random);
  if (!large && rows < 14)
    check_front(table, brute, static_cast<int>(rows), kUnlimited, one, random);
  for (const bool depth_first : {false, true}) {
    Goal goal;
    goal.kind = Goal::kErrors;
    goal.depth_first = depth_first;
    goal.max_depth = static_cast<int>(random() % 4);
    if (random() % 2) goal.max_inner = static_cast<int>(random() % 6);
    check_goal(table, brute, goal, 7, one, random);
    goal.smallest = false;
    check_goal(table, brute, goal, 7, one, random);
    goal.smallest = true;
    if (!large && rows < 12) {
      goal.max_depth = kUnlimited;
      check_goal(table, brute, goal, static_cast<int>(rows), one, random);
    }
    goal.kind = Goal::kSize;
    goal.max_depth = static_cast<int>(random() % 4);
    const Value most_errors = brute.errors(0, 0);
    goal.max_errors = static_cast<Value>(random() % static_cast<std::uint64_t>(most_errors + 1));
    check_goal(table, brute, goal, 7, one, random);
  }
  Goal cost;
  cost.kind = Goal::kCost;
  cost.error_price = 1 + random() % 5;
  cost.leaf_price = static_cast<Value>(random() % 12) * (kind >= 2 ? 5000 : 1);
  if (random() % 2 || large) cost.max_depth = static_cast<int>(random() % 6);
  check_goal(table, brute, cost, 12, one, random);

  // Slices of different lengths compute the same, byte for byte.
  for (Goal goal : {Goal{}, cost}) {
    if (goal.kind == Goal::kFront) goal.max_inner = most;
    auto a = make(table, goal, one), b = make(table, goal, one);
    finish(*a, 1000000);
    finish(*b, 1 + random() % 300);
    expect(dump(*a) == dump(*b), "slices of different lengths", table);
  }

  // Bounds and trees from outside, at any moment.
  Goal front;
  front.max_inner = most;
  auto engine = make(table, front, one);
  auto other = make(table, front, one);
  finish(*other, 1000000);
  while (!engine->state().done) {
    engine->run(1 + random() % 500);
    const int inner = static_cast<int>(random() % static_cast<std::uint64_t>(most + 1));
    if (random() % 2) engine->raise_lower(inner, brute.errors(inner, inner));
    if (random() % 2) engine->offer(other->tree(inner));
  }
  for (const Point& point : engine->state().points) {
    const Value best = brute.errors(point.inner, point.inner);
    expect(point.lower == best && point.upper == best, "a front with help", table);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int tables = argc > 1 ? std::atoi(argv[1]) : 100;
  std::mt19937 random(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1);
  const auto switches = all_switches();
  for (int i = 0; i < tables; ++i) compare(random, switches, static_cast<std::size_t>(i));
  std::printf("%d tables, %d comparisons\n", tables, compared);
}
