// Facts as text: messages to engines in other processes and on other machines, and checkpoints.
//
// A fact is true wherever it is used, so a message needs no reply and may come late, twice or
// never. It names examples and features by the caller's numbers. Each line is a fact:
//
//   work lemma measure limit lower upper feature examples | bound limit measure examples
//
// `work` is the number of steps that the fact took, by which readers may choose. The part after the
// bar is the core that proves the lower bound. Limits and bounds that are not there are '-'.
// Examples are a bitmap in hexadecimal digits, the first four examples first.
//
// Lines with the word `spine` for the measure are about linear programs (spine_climb.hpp): the size
// and the class of the spine's leaf for which there is no tree.
//
// Where proofs are recorded, `lemma` is the core's lemma in the log of the sender. The lemmas
// themselves travel apart, to whoever puts the proof together (`write_lemmas`) and gives each a
// number of its own. Readers get messages with that number in its place, and where a proof rests on
// such a fact it cites '@' and the number. A fact without a number has no proof and is not used in
// one. Engines that record proofs must not run while a message is written.
#pragma once

#include <charconv>
#include <sstream>
#include <stdexcept>
#include <string>

#include "exact/fact_exchange.hpp"
#include "shared/bitmap.hpp"

namespace dtfinder {

// The outside of an exchange: shares with its engines what messages say, and writes messages of
// what they share. Where no proof is recorded it is safe to use while they run.
template <int W>
class FactMessages {
 public:
  FactMessages(const ExampleTable<W>& examples, const std::shared_ptr<FactExchange<W>>& exchange)
      : examples_(examples), exchange_(exchange), at_(examples.count()) {
    exchange_->start_sending();
    for (std::size_t e = 0; e < examples.count(); ++e) at_[examples.original(e)] = e;
  }

  // What engines have shared since the last message: at most `most` facts, the costliest.
  std::string write(std::size_t most) {
    std::string text;
    for (const SharedFact<W>& each : exchange_->outbox(most)) {
      if (!possible(each)) continue;
      text += line(each);
      cited_.push_back(each.fact.core.lemma);
    }
    return text;
  }

  // The lemmas that the messages and `goals` rest on, except those written before; the last line
  // has the goals. Engines must not run meanwhile.
  std::string write_lemmas(const std::vector<LemmaId>& goals) {
    cited_.insert(cited_.end(), goals.begin(), goals.end());
    std::string text = exchange_->lemmas().named_text(
        cited_, sent_, [&](std::size_t e) { return examples_.original(e); });
    cited_.clear();
    text += "goals";
    for (LemmaId id : goals) text += ' ' + exchange_->lemmas().name(id);
    return text + '\n';
  }

  void read(const std::string& text) {
    std::istringstream lines(text);
    const bool proof = exchange_->lemmas().on();
    for (std::string each; std::getline(lines, each);) {
      SharedFact<W> shared = parsed(each);
      if (proof) {
        Core<W>& core = shared.fact.core;
        if (core.lemma == kNoLemma) continue;
        core.lemma = exchange_->lemmas().add(LemmaKind::kElsewhere, core.measure, core.bound,
                                             core.limit, {}, {core.lemma});
      } else {
        shared.fact.core.lemma = kNoLemma;
      }
      exchange_->share(std::move(shared));
    }
  }

 private:
  static std::string number(int value, int none) {
    return value >= none ? "-" : std::to_string(value);
  }
  std::string digits(const Set<W>& set) const {
    BitmapText bitmap(examples_.count());
    set.each([&](std::size_t e) { bitmap.add(examples_.original(e)); });
    return bitmap.text();
  }
  std::string line(const SharedFact<W>& shared) const {
    const Fact<W>& fact = shared.fact;
    const Core<W>& core = fact.core;
    return std::to_string(shared.work) + ' ' + exchange_->lemmas().name(core.lemma) + ' ' +
           name(shared.measure) + ' ' + number(shared.limit, kNoLimit) + ' ' +
           number(fact.lower, kUnknown) + ' ' + number(fact.upper, kUnknown) + ' ' +
           std::to_string(fact.feature) + ' ' + digits(shared.examples) + " | " +
           std::to_string(core.bound) + ' ' + number(core.limit, kNoLimit) + ' ' +
           name(core.measure) + ' ' + digits(core.examples) + '\n';
  }
  static const char* name(Measure measure) { return measure == Measure::kSize ? "size" : "depth"; }

  [[noreturn]] static void refuse(const std::string& line) {
    throw std::invalid_argument("not a fact about this table: " + line.substr(0, 100));
  }
  Set<W> set_of(const std::string& text, const std::string& line) const {
    Set<W> set = examples_.none();
    auto add = [&](std::size_t row) { set.add(at_[row]); };
    if (!BitmapText::read(text, examples_.count(), add)) refuse(line);
    return set;
  }
  SharedFact<W> parsed(const std::string& line) const {
    std::istringstream words(line);
    std::string bar, examples, inside, word;
    auto number = [&](int none) {
      words >> word;
      if (word == "-") return none;
      int value = 0;
      const auto read = std::from_chars(word.data(), word.data() + word.size(), value);
      if (read.ec != std::errc{} || read.ptr != word.data() + word.size()) refuse(line);
      return value;
    };
    auto measure = [&] {
      words >> word;
      if (word != "size" && word != "depth") refuse(line);
      return word == "size" ? Measure::kSize : Measure::kDepth;
    };
    SharedFact<W> shared{examples_.none(), 0, Measure::kSize, {}, 0};
    words >> shared.work;
    const int lemma = number(-1);
    shared.fact.core.lemma = lemma < 0 ? kNoLemma : static_cast<LemmaId>(lemma);
    shared.measure = measure();
    shared.limit = number(kNoLimit);
    shared.fact.lower = number(kUnknown);
    shared.fact.upper = number(kUnknown);
    shared.fact.feature = number(-1);
    words >> examples >> bar;
    shared.fact.core.bound = number(0);
    shared.fact.core.limit = number(kNoLimit);
    shared.fact.core.measure = measure();
    words >> inside;
    if (!words || bar != "|") refuse(line);
    shared.examples = set_of(examples, line);
    shared.fact.core.examples = set_of(inside, line);
    if (!possible(shared)) refuse(line);
    return shared;
  }

  // Whether the numbers make sense: n examples have a tree of n - 1 inner nodes, unless it is too
  // deep. A bound out of this range would keep an engine busy for ever.
  bool possible(const SharedFact<W>& shared) const {
    const Fact<W>& fact = shared.fact;
    const Core<W>& core = fact.core;
    const bool features = fact.feature >= -1 &&
                          fact.feature < static_cast<int>(examples_.features()) &&
                          (fact.upper >= kUnknown || fact.feature >= 0);
    const bool limits = shared.limit >= 0 && core.limit >= 0;
    const int most = static_cast<int>(shared.examples.size());
    const bool bounds = core.bound >= 2 && core.bound < static_cast<int>(core.examples.size()) &&
                        (fact.lower < most || fact.lower == kUnknown) && fact.upper >= 0;
    return features && limits && bounds && core.examples.inside(shared.examples);
  }

  const ExampleTable<W>& examples_;
  std::shared_ptr<FactExchange<W>> exchange_;
  std::vector<LemmaId> cited_;   // by messages since lemmas were last written
  std::vector<bool> sent_;       // by lemma
  std::vector<std::size_t> at_;  // by the caller's number of an example: ours
};

}  // namespace dtfinder
