// Recursion without the machine's stack.
//
// The search recurses as deep as the optimum has nodes, which may be tens of thousands. Its
// recursive functions are therefore coroutines: each call's frame lives on the heap, in blocks that
// are used again, and `Runner::run` is a plain loop that resumes whichever frame is on top. The
// machine's stack never holds more than one of them. The loop may also return between two resumes
// and be entered again later, which is how a run is sliced: slicing cannot change what it computes.
#pragma once

#include <cassert>
#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <utility>
#include <vector>

namespace dtfinder {

// Frames of equal size class are kept and used again. One pool per chain of calls; not shared.
class FramePool {
 public:
  FramePool() = default;
  FramePool(const FramePool&) = delete;
  FramePool& operator=(const FramePool&) = delete;
  ~FramePool() {
    for (auto& blocks : free_) {
      for (void* block : blocks) ::operator delete(block);
    }
  }
  void* take(std::size_t bytes) {
    const std::size_t kind = bytes / kStep;
    if (kind >= free_.size()) free_.resize(kind + 1);
    if (free_[kind].empty()) {
      held_ += (kind + 1) * kStep;
      return ::operator new((kind + 1) * kStep);
    }
    void* block = free_[kind].back();
    free_[kind].pop_back();
    return block;
  }
  void give(void* block, std::size_t bytes) noexcept { free_[bytes / kStep].push_back(block); }
  std::size_t bytes() const { return held_; }

 private:
  static constexpr std::size_t kStep = 64;
  std::vector<std::vector<void*>> free_;
  std::size_t held_ = 0;
};

// Thrown inside a chain of calls that is given up.
struct Cancelled {};

// The frame on top of one chain of calls, and the pool its frames come from.
struct Runner {
  std::coroutine_handle<> top;
  bool cancelled = false;
  FramePool frames;

  // Resumes frames until the outermost is done or `pause()` says to come back later.
  template <class Pause>
  void run(Pause&& pause) {
    while (top && !pause()) top.resume();
  }
  // Ends the chain of calls from the innermost outwards. Destroying the outermost frame would do
  // the same by nested destructors, on the machine's stack, which a long chain overflows.
  void cancel() {
    cancelled = true;
    run([] { return false; });
    cancelled = false;
  }
};

// What a coroutine of the search returns: awaiting it runs it to its end. The first argument of
// every such coroutine (or the object it is a member of) has a `Runner& runner()`.
class [[nodiscard]] Task {
 public:
  struct promise_type;
  using Handle = std::coroutine_handle<promise_type>;

  struct promise_type {
    template <class Owner, class... Arguments>
    explicit promise_type(Owner& owner, const Arguments&...) : runner(owner.runner()) {}

    template <class Owner, class... Arguments>
    static void* operator new(std::size_t bytes, Owner& owner, const Arguments&...) {
      Runner& runner = owner.runner();
      char* block = static_cast<char*>(runner.frames.take(bytes + kHeader));
      *reinterpret_cast<FramePool**>(block) = &runner.frames;
      return block + kHeader;
    }
    static void operator delete(void* frame, std::size_t bytes) {
      char* block = static_cast<char*>(frame) - kHeader;
      (*reinterpret_cast<FramePool**>(block))->give(block, bytes + kHeader);
    }

    Task get_return_object() { return Task(Handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Back {
        bool await_ready() noexcept { return false; }
        void await_suspend(Handle done) noexcept {
          done.promise().runner.top = done.promise().caller;
        }
        void await_resume() noexcept {}
      };
      return Back{};
    }
    void return_void() {}
    void unhandled_exception() { failure = std::current_exception(); }

    Runner& runner;
    std::coroutine_handle<> caller;
    std::exception_ptr failure;
    static constexpr std::size_t kHeader = 16;
  };

  Task(Task&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  ~Task() {
    if (handle_) handle_.destroy();
  }

  // Puts this outermost call on top of its runner.
  void start() {
    assert(!handle_.done() && !handle_.promise().runner.top);
    handle_.promise().runner.top = handle_;
  }
  bool done() const { return handle_.done(); }
  void rethrow() const {
    if (handle_.promise().failure) std::rethrow_exception(handle_.promise().failure);
  }

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> caller) noexcept {
    handle_.promise().caller = caller;
    handle_.promise().runner.top = handle_;
  }
  void await_resume() const {
    rethrow();
    if (handle_.promise().runner.cancelled) throw Cancelled{};
  }

 private:
  explicit Task(Handle handle) : handle_(handle) {}
  Handle handle_;
};

// `co_await Yield{runner}` gives the loop a chance to pause.
struct Yield {
  Runner& runner;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<>) const noexcept {}
  void await_resume() const {
    if (runner.cancelled) throw Cancelled{};
  }
};

}  // namespace dtfinder
