// The exchange: engines on the threads of one run tell each other what they have proven.
//
// A fact about a set of rows is true wherever it is used, so engines for the same table use each
// other's. Each keeps its own store, which no lock slows down, tells the exchange of every fact
// that took some work, and reads between two turns what the others told. Dropping news is always
// sound.
//
// Splitting the work needs no plan: where an engine starts to solve a child, it claims it, and
// another that comes to the same child puts it off and takes the next one (ABDADA, Weill 1996).
// When it returns to it, the fact is mostly there. Engines in other processes get facts by messages
// and cannot see claims; there each part of the search has an owner, by its hash, and is taken for
// claimed by everybody else. Claims are hints; a lost or wrong one costs time and nothing else.
//
// A message has a fact per line:
//
//   work - inner depth lower upper feature zero one zero_value rows
//
// `inner` is -1 in searches with a price; limits and bounds that are not there are '-'; rows are a
// bitmap of the caller's rows in hexadecimal digits, the first four first.
#pragma once

#include <atomic>
#include <charconv>
#include <deque>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unordered_set>

#include "facts.hpp"
#include "table.hpp"

namespace dtfinder::front {

struct News {
  std::vector<Word> rows;
  Budget budget;
  Bounds bounds;
  std::size_t from;
  std::uint64_t work;  // steps that it took
};

class Exchange {
 public:
  static constexpr std::size_t kOutside = ~std::size_t{0};  // the member that messages are from

  std::size_t join() {
    const std::lock_guard lock(mutex_);
    read_.emplace_back(told_.load());
    return read_.size() - 1;
  }
  void tell(News&& news) {
    const std::lock_guard lock(mutex_);
    if (writing_ && news.from != kOutside && news.work >= kWorthWriting) keep_to_write(news);
    news_.push_back(std::move(news));
    if (news_.size() > kMost) news_.pop_front();
    told_.fetch_add(1, std::memory_order_release);
  }
  bool any(std::size_t member) const {
    return told_.load(std::memory_order_acquire) != read_[member].load(std::memory_order_relaxed);
  }
  // Moves what others told since the last time to `out`.
  void read(std::size_t member, std::vector<News>& out) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t first = told_ - news_.size();
    for (std::uint64_t i = std::max<std::uint64_t>(read_[member], first); i < told_; ++i) {
      const News& news = news_[static_cast<std::size_t>(i - first)];
      if (news.from != member) out.push_back(news);
    }
    read_[member] = told_.load();
    std::uint64_t all = told_;
    for (const auto& each : read_) all = std::min<std::uint64_t>(all, each);
    for (std::uint64_t i = first; i < all; ++i) news_.pop_front();
  }
  void start_writing() {
    const std::lock_guard lock(mutex_);
    writing_ = true;
  }
  std::vector<News> outbox() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outbox_, {});
  }
  // Claims a part of the search; false if it is claimed.
  bool claim(std::uint64_t part) {
    const std::lock_guard lock(claims_mutex_);
    return claims_.insert(part).second;
  }
  void give_back(std::uint64_t part) {
    const std::lock_guard lock(claims_mutex_);
    claims_.erase(part);
  }

 private:
  static constexpr std::size_t kMost = 10000;
  static constexpr std::uint64_t kWorthWriting = 2000;

  // Of too many, the costlier half stays.
  void keep_to_write(const News& news) {
    outbox_.push_back(news);
    if (outbox_.size() <= kMost) return;
    const auto half = outbox_.begin() + kMost / 2;
    std::nth_element(outbox_.begin(), half, outbox_.end(),
                     [](const News& a, const News& b) { return a.work > b.work; });
    outbox_.erase(half, outbox_.end());
  }

  std::mutex mutex_, claims_mutex_;
  bool writing_ = false;
  std::vector<News> outbox_;
  std::deque<News> news_;
  std::atomic<std::uint64_t> told_ = 0;
  std::deque<std::atomic<std::uint64_t>> read_;  // by member: news that it has read
  std::unordered_set<std::uint64_t> claims_;
};

// One engine's end of an exchange; without one it does nothing.
class Membership {
 public:
  void join(std::shared_ptr<Exchange> exchange) {
    exchange_ = std::move(exchange);
    me_ = exchange_->join();
  }
  explicit operator bool() const { return exchange_ != nullptr; }
  const std::shared_ptr<Exchange>& exchange() const { return exchange_; }
  void own(std::size_t owner, std::size_t owners) {
    if (owner >= owners) throw std::invalid_argument("owners are numbered from 0");
    owner_ = owner;
    owners_ = owners;
  }
  void tell(const std::vector<Word>& rows, const Budget& budget, const Bounds& bounds,
            std::uint64_t work) {
    exchange_->tell({rows, budget, bounds, me_, work});
  }
  template <class Take>
  void read(Take&& take) {
    if (!exchange_ || !exchange_->any(me_)) return;
    inbox_.clear();
    exchange_->read(me_, inbox_);
    for (const News& news : inbox_) take(news);
  }

  // A claim that ends with its scope.
  class Claim {
   public:
    Claim() = default;
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() {
      if (exchange_) exchange_->give_back(part_);
    }
    // Whether the part is free, and this engine's if parts have owners; then it is taken.
    bool take(Membership& member, std::uint64_t part) {
      if (part % member.owners_ != member.owner_ || !member.exchange_->claim(part)) return false;
      exchange_ = member.exchange_.get();
      part_ = part;
      return true;
    }

   private:
    Exchange* exchange_ = nullptr;
    std::uint64_t part_ = 0;
  };

 private:
  std::shared_ptr<Exchange> exchange_;
  std::size_t me_ = 0, owner_ = 0, owners_ = 1;
  std::vector<News> inbox_;
};

// The outside of an exchange; safe to use while engines run.
class FactMessages {
 public:
  FactMessages(const Table& table, std::size_t rows, const std::shared_ptr<Exchange>& exchange)
      : table_(table), rows_(rows), exchange_(exchange) {
    exchange_->start_writing();
  }

  // What engines told since the last message; at most `most` facts, the costliest.
  std::string write(std::size_t most) {
    std::vector<News> all = exchange_->outbox();
    std::stable_sort(all.begin(), all.end(),
                     [](const News& a, const News& b) { return a.work > b.work; });
    if (all.size() > most) all.resize(most);
    std::string text;
    for (const News& each : all) text += line(each);
    return text;
  }
  void read(const std::string& text) {
    std::istringstream lines(text);
    for (std::string each; std::getline(lines, each);) exchange_->tell(parsed(each));
  }

 private:
  static std::string number(Value value, Value none) {
    return value >= none ? "-" : std::to_string(value);
  }
  std::string line(const News& news) const {
    const Bounds& b = news.bounds;
    // The second word is for whoever forwards facts, and numbers them; here they have no lemma.
    std::string text = std::to_string(news.work) + " - " + std::to_string(news.budget.inner) + ' ';
    text += number(news.budget.depth, kUnlimited) + ' ' + std::to_string(b.lower) + ' ' +
            number(b.upper, kNever);
    for (const Value value : {Value{b.feature}, Value{b.zero}, Value{b.one}, b.zero_value}) {
      text += ' ' + std::to_string(value);
    }
    std::vector<std::uint8_t> four((rows_ + 3) / 4);
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      const std::size_t row = table_.original(r);
      if (news.rows[r / 64] >> (r % 64) & 1)
        four[row / 4] |= static_cast<std::uint8_t>(1 << (row % 4));
    }
    text += ' ';
    for (const std::uint8_t digit : four) text += "0123456789abcdef"[digit];
    return text + '\n';
  }
  [[noreturn]] static void refuse(const std::string& line) {
    throw std::invalid_argument("not a fact about this table: " + line.substr(0, 100));
  }
  News parsed(const std::string& line) const {
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
    News news{std::vector<Word>(table_.words()), {0, 0}, {}, Exchange::kOutside, 0};
    news.work = static_cast<std::uint64_t>(number(0, 0, kNever));
    number(0, 0, kNever);
    news.budget.inner = static_cast<int>(number(kUnlimited, kPriced, kUnlimited));
    news.budget.depth = static_cast<int>(number(kUnlimited, 0, kUnlimited));
    news.bounds.lower = number(0, 0, kNever);
    news.bounds.upper = number(kNever, 0, kNever);
    news.bounds.feature =
        static_cast<int>(number(-1, -1, static_cast<Value>(table_.features()) - 1));
    news.bounds.zero = static_cast<int>(number(0, kPriced, kUnlimited));
    news.bounds.one = static_cast<int>(number(0, kPriced, kUnlimited));
    news.bounds.zero_value = number(0, 0, kNever);
    words >> word;
    if (!words || word.size() != (rows_ + 3) / 4 || news.bounds.lower > news.bounds.upper)
      refuse(line);
    std::vector<std::uint8_t> four(word.size());
    for (std::size_t i = 0; i < word.size(); ++i) {
      const auto read = std::from_chars(&word[i], &word[i] + 1, four[i], 16);
      if (read.ec != std::errc{}) refuse(line);
    }
    for (std::size_t r = 0; r < table_.rows(); ++r) {
      const std::size_t row = table_.original(r);
      if (four[row / 4] >> (row % 4) & 1) news.rows[r / 64] |= Word{1} << (r % 64);
    }
    return news;
  }

  const Table& table_;
  std::size_t rows_;
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace dtfinder::front
