// Counting cubes against brute force on random tables, in C++ alone: the program that
// `make sanitize` builds with the address and undefined-behaviour sanitizers. Brute force tries
// every question at every set of rows. Cubes are counted in groups of a random size.
//
//   cubes_agree TABLES SEED    prints the number of comparisons; exits 1 at the first disagreement.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>
#include <tuple>

#include "../../src/core/cubes/count.hpp"
#include "../../src/core/cubes/search.hpp"

namespace {

using namespace dtfinder;
using namespace dtfinder::cubes;

struct RandomTable {
  std::vector<Column> columns;
  std::vector<std::uint8_t> codes;  // columns × rows
  std::vector<std::uint16_t> labels;
  std::vector<Count> weights;
  int classes = 2;
  std::size_t rows() const { return labels.size(); }
};

class BruteForce {
 public:
  explicit BruteForce(const RandomTable& table) : table_(table) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      for (int k = 0; k < table.columns[c].questions; ++k) {
        const int level = table.columns[c].first + k;
        std::uint32_t held = 0;
        for (std::size_t r = 0; r < table.rows(); ++r) {
          const int code = table.codes[c * table.rows() + r];
          if (table.columns[c].ordered ? code <= level : code == level) held |= 1u << r;
        }
        held_.push_back(held);
      }
    }
  }
  Count errors(int depth, int inner) {
    return errors(static_cast<std::uint32_t>((std::uint64_t{1} << table_.rows()) - 1), depth,
                  inner);
  }

 private:
  Count leaf(std::uint32_t set) const {
    std::vector<Count> sums(static_cast<std::size_t>(table_.classes));
    Count all = 0, top = 0;
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      if (!(set >> r & 1)) continue;
      all += table_.weights[r];
      top = std::max(top, sums[table_.labels[r]] += table_.weights[r]);
    }
    return all - top;
  }
  Count errors(std::uint32_t set, int depth, int inner) {
    if (depth == 0 || inner == 0) return leaf(set);
    const auto key = std::make_tuple(set, depth, inner);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    Count best = leaf(set);
    for (const std::uint32_t held : held_) {
      for (int a = 0; a < inner && best > 0; ++a) {
        best = std::min(
            best, errors(set & held, depth - 1, a) + errors(set & ~held, depth - 1, inner - 1 - a));
      }
    }
    return known_[key] = best;
  }

  const RandomTable& table_;
  std::vector<std::uint32_t> held_;
  std::map<std::tuple<std::uint32_t, int, int>, Count> known_;
};

RandomTable make_table(std::mt19937& random) {
  const auto upto = [&](int most) { return static_cast<int>(random() % (most + 1u)); };
  RandomTable table;
  table.classes = 1 + upto(3);
  table.labels.resize(static_cast<std::size_t>(upto(18)));
  table.columns.resize(static_cast<std::size_t>(upto(4)));
  for (Column& c : table.columns) {
    c.levels = 1 + upto(4);
    c.ordered = upto(1) == 0;
    const int most = c.ordered ? c.levels - 1 : c.levels;
    c.first = upto(std::min(1, most));
    c.questions = upto(most - c.first);
    for (std::size_t r = 0; r < table.rows(); ++r)
      table.codes.push_back(static_cast<std::uint8_t>(upto(c.levels - 1)));
  }
  for (auto& label : table.labels) {
    label = static_cast<std::uint16_t>(upto(table.classes - 1));
    table.weights.push_back(upto(5));
  }
  return table;
}

}  // namespace

int main(int argc, char** argv) {
  const int tables = argc > 1 ? std::atoi(argv[1]) : 100;
  std::mt19937 random(argc > 2 ? static_cast<unsigned>(std::atoi(argv[2])) : 1);
  int compared = 0;
  for (int number = 0; number < tables; ++number) {
    const RandomTable table = make_table(random);
    BruteForce judge(table);
    for (int depth = 0; depth <= 3; ++depth) {
      const Layout layout(table.columns, table.classes, depth);
      Pairs pairs(layout);
      const std::size_t most = random() % 500;
      for (std::size_t begin = 0; begin < layout.triples.size();) {
        const std::size_t end = layout.fitting(begin, most);
        Counts counts(layout, begin, end);
        counts.add(Block<std::uint8_t>{table.codes.data(), table.labels.data(),
                                       table.weights.data(), table.rows()});
        for (std::size_t t = begin; t < end; ++t) pairs.take(counts.cube(t), layout.triples[t]);
        begin = end;
      }
      const Trees trees(pairs);
      for (int d = 0; d <= depth; ++d) {
        for (int inner = 0; inner <= kMostInner; ++inner, ++compared) {
          const TreeNodes tree = trees.tree(d, inner);
          if (trees.errors(d, inner) == judge.errors(d, inner) && depth_of(tree) <= d &&
              inner_nodes(tree) <= inner)
            continue;
          std::printf("table %d, depth %d, %d inner nodes: %lld instead of %lld\n", number, d,
                      inner, static_cast<long long>(trees.errors(d, inner)),
                      static_cast<long long>(judge.errors(d, inner)));
          return 1;
        }
      }
    }
  }
  std::printf("%d comparisons of cubes with brute force agree\n", compared);
  return 0;
}
