// The trimmer of lemmas against the checker, on random proofs about random tables: what was valid
// stays valid and proves the same, and damaged text is refused or trimmed, never a crash. `make
// sanitize` builds it with assertions and the address and undefined-behaviour sanitizers.
//
//   trim TEXTS SEED    prints the number of valid texts; exits 1 at the first that is spoilt.
#include <cstdio>
#include <cstdlib>
#include <random>

#include "check/check_lemmas.hpp"
#include "check/trim_lemmas.hpp"

namespace {

using namespace dtfinder;
using Number = std::int64_t;

struct RandomTable {
  std::size_t examples, features;
  std::vector<char> bits;
  std::vector<Number> labels, example_of_row, row_of_example;

  LemmaChecker checker() const {
    return {reinterpret_cast<const bool*>(bits.data()),
            labels.data(),
            examples,
            features,
            example_of_row.data(),
            example_of_row.size()};
  }
  std::string trimmed(const std::string& text) const {
    return LemmaTrimmer(reinterpret_cast<const bool*>(bits.data()), labels.data(), examples,
                        features, example_of_row, row_of_example.data())
        .trimmed(text);
  }
  // The best bounds that a text proves; false if it is not valid.
  bool proves(const std::string& text, std::map<Number, Number>& best) const {
    LemmaChecker judge = checker();
    try {
      judge.check(text);
    } catch (const std::invalid_argument&) {
      return false;
    }
    best = judge.best();
    return true;
  }
};

class Fuzzer {
 public:
  explicit Fuzzer(unsigned seed) : random_(seed) {}

  // A few examples, some rows that stand for the same one, and one row that was dropped.
  RandomTable make_table() {
    RandomTable table{draw(2, 9), draw(0, 6), {}, {}, {}, {}};
    if (draw(0, 30) == 0) table.features = draw(60, 70);
    if (draw(0, 30) == 0) table.examples = draw(60, 70);
    const std::size_t classes = draw(1, 4);
    for (std::size_t i = 0; i < table.examples * table.features; ++i) {
      table.bits.push_back(static_cast<char>(draw(0, 1)));
    }
    for (std::size_t e = 0; e < table.examples; ++e) {
      table.labels.push_back(static_cast<Number>(draw(0, classes - 1)));
      if (draw(0, 5) == 0 && e > 0) {
        table.example_of_row.push_back(static_cast<Number>(draw(0, e - 1)));
      }
      if (draw(0, 8) == 0) table.example_of_row.push_back(-1);
      table.row_of_example.push_back(static_cast<Number>(table.example_of_row.size()));
      table.example_of_row.push_back(static_cast<Number>(e));
    }
    return table;
  }

  // Random lemmas, each with the largest of a few bounds that holds.
  std::string make_proof(const RandomTable& table) {
    LemmaChecker judge = table.checker();
    std::string text;
    Number lines = 0;
    for (std::size_t tries = draw(1, 14); tries > 0; --tries) {
      const char kind = "sssscplla"[draw(0, 8)];
      const std::string limit = draw(0, 2) ? "" : "/" + std::to_string(draw(0, 4));
      std::string rest;
      for (std::size_t i = draw(0, 4); lines > 0 && i > 0 && kind != 'l'; --i) {
        rest +=
            " -" + std::to_string(draw(1, static_cast<std::size_t>(std::min<Number>(lines, 5))));
        if (kind == 'p' && draw(0, 3) == 0) rest += '*' + std::to_string(draw(1, 3));
      }
      const bool all = draw(0, 3) == 0;
      for (std::size_t i = all ? table.row_of_example.size() : draw(0, 6); i > 0; --i) {
        const std::size_t row = all ? i - 1 : draw(0, table.example_of_row.size() - 1);
        rest += ' ' + std::to_string(all ? table.row_of_example[row] : static_cast<Number>(row));
        if (kind == 'p' && i % 2 && draw(0, 3) == 0) rest += '*' + std::to_string(draw(1, 9));
      }
      for (const char* bound : {"inf", "999999999", "9", "5", "4", "3", "2", "1", "0"}) {
        if (draw(0, 2) > 0) continue;
        const std::string line = kind + (' ' + (bound + limit)) + rest + '\n';
        try {
          judge.check(line);
        } catch (const std::invalid_argument&) {
          continue;
        }
        text += line;
        ++lines;
        break;
      }
    }
    return text;
  }

  std::string damaged(std::string text) {
    for (std::size_t i = draw(1, 3); i > 0 && !text.empty(); --i) {
      const std::size_t at = draw(0, text.size() - 1);
      switch (draw(0, 2)) {
        case 0:
          text[at] = "0123456789 -*/\nscplinf\0x"[draw(0, 23)];
          break;
        case 1:
          text.erase(at, draw(1, 3));
          break;
        default:
          text.insert(at, text.substr(draw(0, text.size() - 1), draw(1, 9)));
      }
    }
    return text;
  }

 private:
  std::size_t draw(std::size_t low, std::size_t high) { return low + random_() % (high - low + 1); }
  std::mt19937 random_;
};

}  // namespace

int main(int count, char** words) {
  const long texts = count > 1 ? std::atol(words[1]) : 1000;
  Fuzzer fuzzer(count > 2 ? static_cast<unsigned>(std::atoi(words[2])) : 1u);
  long valid = 0, refused = 0;
  for (long i = 0; i < texts; ++i) {
    const RandomTable table = fuzzer.make_table();
    std::string text = fuzzer.make_proof(table);
    if (i % 4 == 3) text = fuzzer.damaged(text);
    std::map<Number, Number> before, after;
    const bool good = table.proves(text, before);
    std::string made;
    try {
      made = table.trimmed(text);
    } catch (const std::invalid_argument&) {
      ++refused;
      if (good) made = "refused";
    }
    if (!good) continue;
    ++valid;
    if (!table.proves(made, after) || before != after) {
      std::fprintf(stderr, "spoilt text %ld:\n%sbecame\n%s", i, text.c_str(), made.c_str());
      return 1;
    }
  }
  std::printf("%ld texts, %ld valid, %ld refused\n", texts, valid, refused);
  return 0;
}
