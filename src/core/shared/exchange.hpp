// The exchange: engines on the threads of one run share what they have proven.
//
// A fact about a set of examples is true wherever it is used, so engines that search the same table
// may simply use each other's. Each keeps its own store, which no lock slows down, and shares every
// fact that took it some work; at its pauses it reads what the others have shared since. Facts that
// there is no room for are dropped, which is always sound.
//
// Splitting the work needs no plan. All engines start from the same root. Where one starts to
// search a part of a subproblem, it claims that part, and another engine that comes to the same
// place puts claimed parts off and takes the next one. When it returns to them, most are settled by
// facts that came in meanwhile; one that is still open it searches too, and meets the other
// engine's claims one level further down, where again each takes what is free. (Chess programs
// split their trees this way: ABDADA, Weill 1996.) Claims are hints; a lost or wrong one costs time
// and nothing else.
//
// Engines in other processes get facts by messages and cannot see claims. There each part of the
// search has an owner, by its hash, and counts as claimed for everybody else.
//
// Which engine finds a fact first is a matter of chance, so the order of the search, the work and
// the shape of the tree may differ from run to run; bounds that meet are the same in all.
#pragma once

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <unordered_set>
#include <utility>
#include <vector>

namespace dtfinder {

inline constexpr std::size_t kOutside = ~std::size_t{0};  // the member that messages are from

// A `Fact` says in `from` which member found it, and in `work` how many steps that took.
template <class Fact>
class Exchange {
 public:
  using SharedFact = Fact;

  // The number of a new member.
  std::size_t join() {
    const std::lock_guard lock(mutex_);
    read_.emplace_back(count_.load());
    return read_.size() - 1;
  }
  std::size_t members() const { return read_.size(); }

  void share(Fact&& fact) {
    const std::lock_guard lock(mutex_);
    if (sending_ && fact.from != kOutside && fact.work >= kWorthSending) keep(fact);
    facts_.push_back(std::move(fact));
    if (facts_.size() > kMost) facts_.pop_front();
    count_.fetch_add(1, std::memory_order_release);
  }
  // Whether `member` has anything to read.
  bool any(std::size_t member) const {
    assert(member < read_.size());
    return count_.load(std::memory_order_acquire) != read_[member].load(std::memory_order_relaxed);
  }
  // Appends what others have shared since the last time to `out`.
  void read(std::size_t member, std::vector<Fact>& out) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t first = count_ - facts_.size();
    for (std::uint64_t i = std::max<std::uint64_t>(read_[member], first); i < count_; ++i) {
      const Fact& fact = facts_[static_cast<std::size_t>(i - first)];
      if (fact.from != member) out.push_back(fact);
    }
    read_[member] = count_.load();
    std::uint64_t all = count_;
    for (const auto& each : read_) all = std::min<std::uint64_t>(all, each);
    for (std::uint64_t i = first; i < all; ++i) facts_.pop_front();
  }

  // From now on facts that took much work are kept for messages, too.
  void start_sending() {
    const std::lock_guard lock(mutex_);
    sending_ = true;
  }
  // What was kept for messages since the last time: at most `most` facts, the costliest.
  std::vector<Fact> outbox(std::size_t most) {
    std::unique_lock lock(mutex_);
    std::vector<Fact> all = std::exchange(outbox_, {});
    lock.unlock();
    std::stable_sort(all.begin(), all.end(), costlier);
    if (all.size() > most) all.erase(all.begin() + static_cast<std::ptrdiff_t>(most), all.end());
    return all;
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

 private:
  static constexpr std::size_t kMost = 10000;
  static constexpr std::uint64_t kWorthSending = 2000;  // steps that a fact took

  static bool costlier(const Fact& a, const Fact& b) { return a.work > b.work; }
  // Of too many, the costlier half stays.
  void keep(const Fact& fact) {
    outbox_.push_back(fact);
    if (outbox_.size() <= kMost) return;
    const auto half = outbox_.begin() + kMost / 2;
    std::nth_element(outbox_.begin(), half, outbox_.end(), costlier);
    outbox_.erase(half, outbox_.end());
  }

  std::mutex mutex_, claims_mutex_;
  bool sending_ = false;
  std::vector<Fact> outbox_;
  std::deque<Fact> facts_;                       // the last ones that were shared
  std::atomic<std::uint64_t> count_ = 0;         // facts ever shared
  std::deque<std::atomic<std::uint64_t>> read_;  // by member: how many of them it has read
  std::unordered_set<std::size_t> claims_;
};

// One engine's end of an exchange. Until it has joined one it is false, and has nothing to read.
template <class Joined>
class ExchangeMember {
 public:
  using SharedFact = typename Joined::SharedFact;

  void join(std::shared_ptr<Joined> exchange) {
    assert(exchange && !exchange_);
    exchange_ = std::move(exchange);
    me_ = exchange_->join();
  }
  explicit operator bool() const { return exchange_ != nullptr; }
  const std::shared_ptr<Joined>& exchange() const { return exchange_; }
  // How many engines have what is shared in common.
  std::size_t sharing() const { return exchange_ ? exchange_->members() : 1; }
  // From now on this engine is number `owner` of `owners`, and claims its own parts only.
  void own(std::size_t owner, std::size_t owners) {
    assert(owner < owners);
    owner_ = owner;
    owners_ = owners;
  }

  void share(SharedFact&& fact) {
    assert(exchange_);
    fact.from = me_;
    exchange_->share(std::move(fact));
  }
  // Hands every new fact of others to `take`; whether there was any.
  template <class Take>
  bool read(Take&& take) {
    if (!exchange_ || !exchange_->any(me_)) return false;
    inbox_.clear();
    exchange_->read(me_, inbox_);
    for (const SharedFact& fact : inbox_) take(fact);
    return !inbox_.empty();
  }

  // A claim that ends with its scope.
  class Claim {
   public:
    Claim() = default;
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() { end(); }
    // Whether the part is free, and this engine's if parts have owners; then it is taken.
    bool take(ExchangeMember& member, std::size_t part) {
      end();
      if ((part >> 32) % member.owners_ != member.owner_) return false;
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
    Joined* exchange_ = nullptr;
    std::size_t part_ = 0;
  };

 private:
  std::shared_ptr<Joined> exchange_;
  std::size_t me_ = 0, owner_ = 0, owners_ = 1;
  std::vector<SharedFact> inbox_;
};

}  // namespace dtfinder
