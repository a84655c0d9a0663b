// Engines on threads against one engine alone, in C++ alone: the program that `make sanitize`
// builds with the thread sanitizer. Tables are hard enough that engines share facts and meet each
// other's claims. Where no proof is recorded, messages are written and read while they run, and
// what they said is given to the next run, too. Every other table has columns of many values, one
// feature each, so that engines also share the cases of linear programs.
//
//   together TABLES SEED    prints the number of comparisons; exits 1 at the first disagreement.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "exact/engine.hpp"

namespace {

using namespace dtfinder;

struct RandomTable {
  std::vector<char> bits;
  std::vector<std::int64_t> labels;
  std::size_t columns = 0;
  RawTable raw() const {
    return {reinterpret_cast<const bool*>(bits.data()), labels.data(), labels.size(), columns};
  }
};

// Distinct rows, and a class that follows three columns except for some noise.
RandomTable make_table(std::mt19937& random, std::size_t rows, std::size_t columns) {
  RandomTable table;
  table.columns = columns;
  std::set<std::string> seen;
  while (table.labels.size() < rows) {
    std::string row;
    for (std::size_t f = 0; f < columns; ++f) row += random() % 2 ? '1' : '0';
    if (!seen.insert(row).second) continue;
    for (char bit : row) table.bits.push_back(bit == '1');
    const bool noise = random() % 8 == 0;
    table.labels.push_back(noise ? random() % 2 : (row[0] ^ (row[1] & row[2])) & 1);
  }
  table.labels[0] = 0;
  table.labels[1] = 1;
  return table;
}

// Distinct rows of `columns` values each, a feature for every value, and any classes.
RandomTable make_rare_table(std::mt19937& random, std::size_t rows, std::size_t columns,
                            unsigned values) {
  RandomTable table;
  table.columns = columns * values;
  std::set<std::vector<unsigned>> seen;
  while (table.labels.size() < rows) {
    std::vector<unsigned> row;
    for (std::size_t c = 0; c < columns; ++c) row.push_back(random() % values);
    if (!seen.insert(row).second) continue;
    for (unsigned cell : row) {
      for (unsigned value = 0; value < values; ++value) table.bits.push_back(cell == value);
    }
    table.labels.push_back(random() % 2);
  }
  table.labels[0] = 0;
  table.labels[1] = 1;
  return table;
}

struct Outcome {
  int size, depth;
  bool proven;
  std::uint64_t steps;
};

int spines = 0;  // runs in which linear programs had the proof

// Every engine runs until one is done; `threads` engines, each on its own.
Outcome ask(const RandomTable& table, const Goal& goal, EngineSwitches switches, int threads,
            std::string& facts) {
  std::vector<std::unique_ptr<Engine>> engines;
  for (int i = 0; i < threads; ++i) {
    switches.improve = i == 0;
    engines.push_back(make_engine(table.raw(), goal, switches));
    if (i > 0) engines.back()->join(*engines.front());
  }
  engines.front()->share(0, 1);
  if (!switches.proof) engines.front()->read_facts(facts);
  std::atomic<bool> ended = false;
  std::vector<std::thread> running;
  for (auto& engine : engines) {
    running.emplace_back([&ended, each = engine.get()] {
      while (!ended && !each->state().done) each->run(3000);
      ended = true;
    });
  }
  while (!switches.proof && !ended) {
    const std::string message = engines.front()->write_facts(100);
    engines.front()->read_facts(message);
    facts += message;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (auto& thread : running) thread.join();
  for (auto& engine : engines) {
    const State& state = engine->state();
    if (!state.done) continue;
    const LemmaArrays lemmas = engine->lemmas();
    const int size = inner_nodes(state.tree);
    std::vector<std::int64_t> rows(table.labels.size());
    std::iota(rows.begin(), rows.end(), 0);
    const bool by_spines = engine->spine_proof(rows.data()).size() > 0;
    spines += by_spines;
    const bool by_cores = !lemmas.bound.empty() && lemmas.bound.back() >= size;
    const bool proof = !switches.proof || by_spines || by_cores;
    return {size, depth_of(state.tree), state.lower == size && proof, engine->steps()};
  }
  return {};
}

}  // namespace

int main(int count, char** words) {
  const int tables = count > 1 ? std::atoi(words[1]) : 20;
  std::mt19937 random(count > 2 ? static_cast<unsigned>(std::atoi(words[2])) : 1u);
  int compared = 0;
  std::uint64_t alone = 0;
  for (int i = 0; i < tables; ++i) {
    const bool rare = i % 4 > 1;
    const RandomTable table = rare ? make_rare_table(random, 42 + random() % 6, 4, 12)
                                   : make_table(random, 60 + random() % 30, 9 + random() % 5);
    Goal goal;
    goal.depth_first = i % 3 == 2;
    EngineSwitches switches;
    switches.proof = i % 2 == 0;
    switches.any_width = i % 5 == 4;
    if (i % 3 == 0) switches.ground_after = 0;
    if (rare) switches.spine_after = 0;
    if (i % 7 == 6) switches.memory = 1 << 20;
    std::string facts;
    const Outcome one = ask(table, goal, switches, 1, facts);
    alone += one.steps;
    for (int threads = 2; threads < 5; ++threads) {
      const Outcome many = ask(table, goal, switches, threads, facts);
      ++compared;
      const bool deep = goal.depth_first && many.depth != one.depth;
      const bool dropped = switches.memory > 0;  // and with it the proof
      if (many.size != one.size || deep || !(many.proven || dropped)) {
        std::fprintf(stderr, "wrong: table %d with %d threads\n", i, threads);
        return 1;
      }
    }
  }
  std::printf("%d comparisons, %llu steps alone, %d proofs by linear programs\n", compared,
              static_cast<unsigned long long>(alone), spines);
  return 0;
}
