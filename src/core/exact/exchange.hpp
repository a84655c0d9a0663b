// The exchange: engines on the threads of one run tell each other what they have proven.
//
// A fact about a set of examples is true wherever it is used (core_store.hpp), so engines that
// search the same table may simply use each other's. Each keeps its own store and cache, which no
// lock slows down, and tells the exchange of every fact that took it some work; at its pauses it
// reads what the others told since. News that nobody has room for are dropped: that is always
// sound.
//
// Splitting the work needs no plan. All engines climb from the same root. Where one starts to
// search a feature of a subproblem, it claims that part, and another engine that comes to the same
// place puts claimed parts off and takes the next one. When it returns to them, most are refuted by
// facts that came in meanwhile; one that is still open it searches too, and meets the other
// engine's claims one level further down, where again each takes what is free. (Chess programs
// split their trees so: ABDADA, Weill 1996.) Claims are hints; a lost or wrong one costs time and
// nothing else.
//
// Engines in other processes get facts by letters (letters.hpp) and cannot see claims. There each
// part of the search has an owner, by its hash, and is taken for claimed by everybody else.
//
// Which engine finds a fact first is a matter of luck, so the order of the search, the work and the
// shape of the tree may differ from run to run; bounds that meet are the same in all.
#pragma once

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>

#include "exact/cache.hpp"
#include "exact/lemmas.hpp"

namespace dtfinder {

template <int W>
class Exchange {
 public:
  struct News {
    Set<W> examples;
    int limit;
    Measure measure;
    Fact<W> fact;
    std::size_t from;
    std::uint64_t work;  // steps that it took
  };

  explicit Exchange(bool proof) : lemmas_(proof) {}

  // The number of a new member.
  std::size_t join() {
    const std::lock_guard lock(mutex_);
    read_.emplace_back(told_.load());
    return read_.size() - 1;
  }
  std::size_t members() const { return read_.size(); }
  // One log for all, as a lemma may cite those of other engines.
  LemmaLog& lemmas() { return lemmas_; }

  void tell(News&& news) {
    const std::lock_guard lock(mutex_);
    if (writing_ && news.from != kOutside && news.work >= kWorthWriting) post(news);
    news_.push_back(std::move(news));
    if (news_.size() > kMost) news_.pop_front();
    told_.fetch_add(1, std::memory_order_release);
  }
  // Whether `member` has anything to read.
  bool any(std::size_t member) const {
    return told_.load(std::memory_order_acquire) != read_[member].load(std::memory_order_relaxed);
  }
  // From now on facts that took much work are kept for letters, too.
  void start_writing() { writing_ = true; }
  // What was kept for letters since the last time.
  std::vector<News> outbox() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outbox_, {});
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

  // Claims a part of the search; false if it is claimed.
  bool claim(std::size_t part) {
    const std::lock_guard lock(claims_mutex_);
    return claims_.insert(part).second;
  }
  void give_back(std::size_t part) {
    const std::lock_guard lock(claims_mutex_);
    claims_.erase(part);
  }

  static constexpr std::size_t kOutside = ~std::size_t{0};  // the member that letters are from

 private:
  static constexpr std::size_t kMost = 10000;
  static constexpr std::uint64_t kWorthWriting = 2000;  // steps that a fact took

  // Of too many, the costlier half stays.
  void post(const News& news) {
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
  std::atomic<std::uint64_t> told_ = 0;          // news ever told
  std::deque<std::atomic<std::uint64_t>> read_;  // by member: news that it has read
  std::unordered_set<std::size_t> claims_;
  LemmaLog lemmas_;
};

// One engine's end of an exchange; without one it does nothing.
template <int W>
class Membership {
 public:
  void join(std::shared_ptr<Exchange<W>> exchange) {
    exchange_ = std::move(exchange);
    me_ = exchange_->join();
  }
  explicit operator bool() const { return exchange_ != nullptr; }
  const std::shared_ptr<Exchange<W>>& exchange() const { return exchange_; }
  // How many engines have what is shared in common.
  std::size_t sharing() const { return exchange_ ? exchange_->members() : 1; }

  void tell(const Set<W>& examples, int limit, Measure measure, const Fact<W>& fact,
            std::uint64_t work) {
    exchange_->tell({examples, limit, measure, fact, me_, work});
  }
  // Hands every new fact of others to `take`; whether there was any.
  template <class Take>
  bool read(Take&& take) {
    if (!exchange_ || !exchange_->any(me_)) return false;
    inbox_.clear();
    exchange_->read(me_, inbox_);
    for (const auto& news : inbox_) take(news);
    return !inbox_.empty();
  }

  // A claim that ends with its scope.
  class Claim {
   public:
    Claim() = default;
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() { end(); }
    bool take(Membership& member, std::size_t part) {
      end();
      if (!member.exchange_->claim(part)) return false;
      exchange_ = member.exchange_.get();
      part_ = part;
      return true;
    }
    void end() {
      if (exchange_) exchange_->give_back(part_);
      exchange_ = nullptr;
    }

   private:
    Exchange<W>* exchange_ = nullptr;
    std::size_t part_ = 0;
  };

 private:
  std::shared_ptr<Exchange<W>> exchange_;
  std::size_t me_ = 0;
  std::vector<typename Exchange<W>::News> inbox_;
};

}  // namespace dtfinder
