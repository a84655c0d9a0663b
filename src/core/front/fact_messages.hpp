// What the threads of a counting search share (shared/exchange.hpp): facts about sets of rows, also
// as text, for messages to engines in other processes.
//
// A message has a fact per line:
//
//   work - inner depth lower upper feature zero one zero_value rows
//
// `inner` is -1 in searches with a price; limits and bounds that are not there are '-'; rows are a
// bitmap of the caller's rows in hexadecimal digits, the first four first.
#pragma once

#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string>

#include "front/facts.hpp"
#include "front/table.hpp"
#include "shared/bitmap.hpp"
#include "shared/exchange.hpp"

namespace dtfinder::front {

struct SharedFact {
  std::vector<Word> rows;
  Budget budget;
  Bounds bounds;
  std::uint64_t work;
  std::size_t from = kOutside;
};

using FactExchange = Exchange<SharedFact>;
using Member = ExchangeMember<FactExchange>;

// The outside of an exchange; safe to use while engines run.
class FactMessages {
 public:
  FactMessages(const Table& table, std::size_t rows, const std::shared_ptr<FactExchange>& exchange)
      : table_(table), rows_(rows), exchange_(exchange) {
    exchange_->start_sending();
  }

  // What engines have shared since the last message: at most `most` facts, the costliest.
  std::string write(std::size_t most) {
    std::string text;
    for (const SharedFact& each : exchange_->outbox(most)) text += line(each);
    return text;
  }
  void read(const std::string& text) {
    std::istringstream lines(text);
    for (std::string each; std::getline(lines, each);) exchange_->share(parsed(each));
  }

 private:
  static std::string number(Value value, Value none) {
    return value >= none ? "-" : std::to_string(value);
  }
  std::string line(const SharedFact& shared) const {
    const Bounds& b = shared.bounds;
    // The second word is for whoever forwards facts, and numbers them; here they have no lemma.
    std::string text =
        std::to_string(shared.work) + " - " + std::to_string(shared.budget.inner) + ' ';
    text += number(shared.budget.depth, kUnlimited) + ' ' + std::to_string(b.lower) + ' ' +
            number(b.upper, kNever);
    for (const Value value : {Value{b.feature}, Value{b.zero}, Value{b.one}, b.zero_value}) {
      text += ' ' + std::to_string(value);
    }
    BitmapText bitmap(rows_);
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      if (shared.rows[r / 64] >> (r % 64) & 1) bitmap.add(table_.original(r));
    }
    return text + ' ' + bitmap.text() + '\n';
  }
  [[noreturn]] static void refuse(const std::string& line) {
    throw std::invalid_argument("not a fact about this table: " + line.substr(0, 100));
  }
  SharedFact parsed(const std::string& line) const {
    std::istringstream words(line);
    std::string word;
    auto number = [&](Value none, Value least, Value most) {
      words >> word;
      if (word == "-") return none;
      Value value = 0;
      const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
      if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) refuse(line);
      if (value < least || value > most) refuse(line);
      return value;
    };
    SharedFact shared{std::vector<Word>(table_.words()), {0, 0}, {}, 0};
    shared.work = static_cast<std::uint64_t>(number(0, 0, kNever));
    number(0, 0, kNever);
    shared.budget.inner = static_cast<int>(number(kUnlimited, kPriced, kUnlimited));
    shared.budget.depth = static_cast<int>(number(kUnlimited, 0, kUnlimited));
    shared.bounds.lower = number(0, 0, kNever);
    shared.bounds.upper = number(kNever, 0, kNever);
    shared.bounds.feature =
        static_cast<int>(number(-1, -1, static_cast<Value>(table_.features()) - 1));
    shared.bounds.zero = static_cast<int>(number(0, kPriced, kUnlimited));
    shared.bounds.one = static_cast<int>(number(0, kPriced, kUnlimited));
    shared.bounds.zero_value = number(0, 0, kNever);
    words >> word;
    std::vector<bool> named(rows_);
    auto add = [&](std::size_t row) { named[row] = true; };
    const bool read = words && BitmapText::read(word, rows_, add);
    if (!read || shared.bounds.lower > shared.bounds.upper) refuse(line);
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      if (named[table_.original(r)]) shared.rows[r / 64] |= Word{1} << (r % 64);
    }
    return shared;
  }

  const Table& table_;
  std::size_t rows_;
  std::shared_ptr<FactExchange> exchange_;
};

}  // namespace dtfinder::front
