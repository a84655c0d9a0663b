// Shortening the proof of a SAT solver: the clauses that the empty one needs, and no others.
//
// CaDiCaL writes a line for every clause that it learns while it searches, in binary LRAT: 'a', the
// number of the clause, its literals, 0, the numbers of the clauses from which it follows, 0; or
// 'd', the numbers of clauses that it forgets, 0. A number n is 2n, and 2n + 1 if it is negative,
// in groups of seven bits, the lowest first, each but the last with its top bit set. Clauses of the
// formula and learnt ones are numbered together, as they come, so the formula's clauses have the
// numbers 1, 2, ... that no learnt clause has.
//
// From the empty clause back, whatever a needed clause follows from is needed; often that is about
// half of all. What is left is written as text in the usual form of LRAT: the formula's clauses are
// 1..n, learnt ones come after them, and each is deleted soon after its last use.
#pragma once

#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace dtfinder {

class LratTrimmer {
 public:
  // Calls `take(text)` with what is left, piece by piece, so that it is never all in memory.
  // `inputs` is the number of clauses that were loaded. Throws std::invalid_argument if the proof
  // does not reach the empty clause, or not by unit propagation alone.
  template <class TakeText>
  void trim(std::string_view proof, std::uint64_t inputs, TakeText take) {
    proof_ = proof;
    find_steps();
    number_inputs(inputs);
    find_needed();
    write(inputs, take);
  }

 private:
  using Number = std::uint32_t;
  static constexpr Number kNone = std::numeric_limits<Number>::max();
  static constexpr std::size_t kDeletedAtOnce = 64;
  static constexpr std::size_t kPiece = 1 << 16;  // bytes of text that are handed on at once

  // A number and a blank, as text. Most are written many times, so they are made once.
  struct Word {
    char text[15] = {};
    std::uint8_t length = 0;

    void set(Number number) {
      char* end = std::to_chars(text, text + 14, number).ptr;
      *end++ = ' ';
      length = static_cast<std::uint8_t>(end - text);
    }
  };
  // Text that grows word by word: whole words are copied, and the next one overwrites the excess.
  template <class TakeText>
  class Writer {
   public:
    explicit Writer(TakeText& take) : take_(take), buffer_(kPiece) {}
    void put(const Word& word) {
      if (at_ + sizeof(word.text) > kPiece) flush();
      std::memcpy(buffer_.data() + at_, word.text, sizeof(word.text));
      at_ += word.length;
    }
    void put(std::string_view text) {
      if (at_ + text.size() > kPiece) flush();
      std::memcpy(buffer_.data() + at_, text.data(), text.size());
      at_ += text.size();
    }
    void flush() {
      take_(std::string_view(buffer_.data(), at_));
      at_ = 0;
    }

   private:
    TakeText& take_;
    std::vector<char> buffer_;
    std::size_t at_ = 0;
  };
  // A learnt clause: where its literals start, its last use, and its number in what is written.
  struct Step {
    std::size_t literals;
    Number last_use = kNone;
    Word name;
  };

  std::uint64_t read(std::size_t& at) const {
    if (at < proof_.size() && !(proof_[at] & 0x80)) return static_cast<unsigned char>(proof_[at++]);
    std::uint64_t value = 0;
    for (unsigned shift = 0; at < proof_.size() && shift < 63; shift += 7) {
      const auto byte = static_cast<unsigned char>(proof_[at++]);
      value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw std::invalid_argument("the proof breaks off in a number");
  }
  std::uint64_t read_clause(std::size_t& at) const {
    const std::uint64_t value = read(at);
    if (value & 1) throw std::invalid_argument("a step needs more than unit propagation");
    if (value / 2 >= kNone) throw std::invalid_argument("the proof is too long");
    return value / 2;
  }
  // Skips the numbers up to a 0 and tells whether there were any.
  bool skip(std::size_t& at) const {
    const std::size_t from = at;
    // A zero byte is the number 0: no number ends in a group of zeros.
    at = proof_.find('\0', at);
    if (at == std::string_view::npos) throw std::invalid_argument("the proof breaks off");
    return at++ > from;
  }

  void find_steps() {
    for (std::size_t at = 0; at < proof_.size();) {
      const char kind = proof_[at++];
      if (kind == 'd') {
        skip(at);
        continue;
      }
      if (kind != 'a') throw std::invalid_argument("the proof has a step of an unknown kind");
      const std::uint64_t id = read_clause(at);
      if (id >= step_of_.size()) step_of_.resize(id + 1, kNone);
      step_of_[id] = static_cast<Number>(steps_.size());
      steps_.push_back({at});
      const bool empty = !skip(at);
      skip(at);
      if (empty) return;
    }
    throw std::invalid_argument("the proof does not reach the empty clause");
  }

  // An input's number is where it stands among the numbers that no step has.
  void number_inputs(std::uint64_t inputs) {
    place_.assign(step_of_.size(), 0);
    Number next = 0;
    for (std::size_t id = 1; id < step_of_.size() && next < inputs; ++id) {
      if (step_of_[id] == kNone) place_[id] = ++next;
    }
  }

  // Calls `take(step)` for each learnt clause, `take_input(number)` for each of the formula.
  template <class Take, class TakeInput>
  void each_hint(const Step& step, Take take, TakeInput take_input) const {
    std::size_t at = step.literals;
    skip(at);
    while (const std::uint64_t id = read_clause(at)) {
      if (id < step_of_.size() && step_of_[id] != kNone) {
        take(step_of_[id]);
      } else if (id < place_.size() && place_[id]) {
        take_input(place_[id]);
      } else {
        throw std::invalid_argument("a step follows from a clause that does not exist");
      }
    }
  }

  void find_needed() {
    const Number last = static_cast<Number>(steps_.size() - 1);
    steps_[last].last_use = last;
    for (Number i = last + 1; i-- > 0;) {
      if (steps_[i].last_use == kNone) continue;
      const auto take = [&](Number cited) {
        if (cited >= i) throw std::invalid_argument("a step follows from a later one");
        if (steps_[cited].last_use == kNone) steps_[cited].last_use = i;
      };
      each_hint(steps_[i], take, [](Number) {});
    }
  }

  template <class TakeText>
  void write(std::uint64_t inputs, TakeText take_text) {
    Writer out(take_text);
    std::vector<Word> words(inputs + 1);
    for (Number n = 1; n <= inputs; ++n) words[n].set(n);
    std::vector<const Word*> gone;
    Word literal_word;
    Number last = static_cast<Number>(inputs);
    for (Number i = 0; i < steps_.size(); ++i) {
      Step& step = steps_[i];
      if (step.last_use == kNone) continue;
      step.name.set(++last);
      out.put(step.name);
      std::size_t at = step.literals;
      while (const std::uint64_t literal = read(at)) {
        if (literal & 1) out.put("-");
        literal_word.set(static_cast<Number>(literal / 2));
        out.put(literal_word);
      }
      out.put("0 ");
      const auto take = [&](Number cited) {
        Step& other = steps_[cited];
        out.put(other.name);
        if (other.last_use != i) return;
        gone.push_back(&other.name);
        other.last_use = kNone;  // once is enough
      };
      each_hint(step, take, [&](Number number) { out.put(words[number]); });
      out.put("0\n");
      if (gone.size() < kDeletedAtOnce) continue;
      out.put(step.name);
      out.put("d ");
      for (const Word* name : gone) out.put(*name);
      out.put("0\n");
      gone.clear();
    }
    out.flush();
  }

  std::string_view proof_;
  std::vector<Step> steps_;
  std::vector<Number> step_of_;  // by the clause's number
  std::vector<Number> place_;    // of the formula's clauses, by number
};

}  // namespace dtfinder
