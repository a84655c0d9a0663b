// Counting engines on threads against one engine alone, in C++ alone: the program that `make
// sanitize` builds with the thread sanitizer. Messages are written and read while they run, and
// what they said is given to the next run.
//
//   front_together TABLES SEED    prints the number of comparisons; exits 1 at the first
//   disagreement.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "../../src/core/front/front_engine.hpp"

namespace {

using namespace dtfinder;
using namespace dtfinder::front;

struct RandomTable {
  std::vector<char> bits;
  std::vector<std::int64_t> weights;
  std::size_t rows = 0, columns = 0;
  RawWeights raw() const {
    return {reinterpret_cast<const bool*>(bits.data()), weights.data(), rows, columns, 2};
  }
};

// Distinct rows, and a class that follows four columns except for some noise.
RandomTable make_table(std::mt19937& random, std::size_t rows, std::size_t columns) {
  RandomTable table;
  table.columns = columns;
  std::set<std::string> seen;
  while (table.rows < rows) {
    std::string row;
    for (std::size_t f = 0; f < columns; ++f) row += random() % 2 ? '1' : '0';
    if (!seen.insert(row).second) continue;
    for (const char bit : row) table.bits.push_back(bit == '1');
    const bool noise = random() % 6 == 0;
    const std::size_t label =
        noise ? random() % 2 : static_cast<std::size_t>((row[0] ^ (row[1] & row[2]) ^ row[3]) & 1);
    table.weights.push_back(label == 0 ? 1 + random() % 2 : 0);
    table.weights.push_back(label == 1 ? 1 + random() % 2 : 0);
    ++table.rows;
  }
  return table;
}

// What a run proves: the errors by size, or the best tree's errors, size and cost.
std::vector<Value> answer(const Engine& engine) {
  const State& state = engine.state();
  std::vector<Value> out;
  for (const Point& point : state.points) {
    out.push_back(point.lower);
    out.push_back(point.upper);
  }
  if (state.points.empty())
    out = {state.lower.errors, state.best.errors, state.best.inner, state.best.cost};
  return out;
}

// Every engine runs until one is done; `threads` engines, each on its own.
std::vector<Value> ask(const RandomTable& table, const Goal& goal, int threads,
                       std::string& messages) {
  std::vector<std::unique_ptr<Engine>> engines;
  for (int i = 0; i < threads; ++i) {
    engines.push_back(make_engine(table.raw(), goal, Switches{}));
    if (i > 0) engines.back()->join(*engines.front());
  }
  engines.front()->share(0, 1);
  engines.front()->read_facts(messages);
  std::atomic<int> ended = -1;
  std::vector<std::thread> running;
  for (int i = 0; i < threads; ++i) {
    running.emplace_back([&ended, i, each = engines[static_cast<std::size_t>(i)].get()] {
      while (ended < 0 && !each->state().done) each->run(3000);
      int nobody = -1;
      if (each->state().done) ended.compare_exchange_strong(nobody, i);
    });
  }
  while (ended < 0) {
    const std::string message = engines.front()->write_facts(100);
    engines.front()->read_facts(message);
    messages += message;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  for (auto& thread : running) thread.join();
  return answer(*engines[static_cast<std::size_t>(ended)]);
}

}  // namespace

int main(int argc, char** argv) {
  const int tables = argc > 1 ? std::atoi(argv[1]) : 10;
  std::mt19937 random(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1);
  int compared = 0;
  std::size_t written = 0;
  for (int i = 0; i < tables; ++i) {
    const RandomTable table = make_table(random, 60 + random() % 60, 10 + random() % 6);
    Goal front, depth, cost;
    front.max_inner = 7;
    depth.kind = Goal::kErrors;
    depth.max_depth = 4;
    cost.kind = Goal::kCost;
    cost.leaf_price = 2;
    for (const Goal& goal : {front, depth, cost}) {
      std::string messages, none;
      auto alone = make_engine(table.raw(), goal, Switches{});
      while (!alone->state().done) alone->run(100000);
      const std::vector<Value> want = answer(*alone);
      for (const int threads : {2, 3}) {
        ++compared;
        if (ask(table, goal, threads, messages) == want) continue;
        std::fprintf(stderr, "table %d: %d threads disagree with one\n", i, threads);
        return 1;
      }
      written += messages.size();
    }
  }
  if (written == 0) {
    std::fprintf(stderr, "no message was ever written\n");
    return 1;
  }
  std::printf("%d comparisons, %zu characters of messages\n", compared, written);
}
