// A node of the search: a set of rows, its view and counts, and what is known of its children.
#pragma once

#include <memory>

#include "front/counter.hpp"
#include "front/error_lemmas.hpp"

namespace dtfinder::front {

struct Node {
  static constexpr int kNone = -2;

  View view;
  Counter counter;
  PathId path = 0;  // of the rows, for a proof

  // How the inner nodes below the root may be shared out: places in `inner` for zero and one side.
  struct Share {
    std::size_t place[2];
  };
  std::vector<int> inner;           // numbers of inner nodes that a child may have, ascending
  std::vector<Share> shares;        // balanced ones first
  std::vector<Value> low, high;     // [side][place][column]: bounds on the children
  std::vector<LemmaId> why;         // what `low` rests on beside counts, for a proof
  std::vector<Value> ones;          // by column: the weight with a one
  std::vector<std::int32_t> order;  // of the columns
  std::vector<Value> score;         // by column, for the order
  std::vector<Word> child_rows;
  bool put_off = false;    // the last child is another engine's
  Budget begun{kNone, 0};  // the budget that all this is about; none yet
  Value best = kNever;     // what a tree must undercut

  std::size_t at(std::size_t side, std::size_t place, std::size_t f) const {
    return (side * inner.size() + place) * view.width() + f;
  }
  std::size_t bytes() const {
    return view.bytes() + counter.bytes() +
           8 * (low.capacity() + high.capacity() + score.capacity());
  }
};

// Nodes are used again, with the memory that they have.
class NodePool {
 public:
  class Lease {
   public:
    explicit Lease(NodePool& pool) : pool_(pool), node_(pool.take()) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() { pool_.free_.push_back(std::move(node_)); }
    Node& operator*() { return *node_; }
    Node* operator->() { return node_.get(); }

   private:
    NodePool& pool_;
    std::unique_ptr<Node> node_;
  };
  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto& node : free_) sum += node->bytes();
    return sum;
  }

 private:
  std::unique_ptr<Node> take() {
    if (free_.empty()) return std::make_unique<Node>();
    std::unique_ptr<Node> node = std::move(free_.back());
    free_.pop_back();
    return node;
  }
  std::vector<std::unique_ptr<Node>> free_;
};

}  // namespace dtfinder::front
