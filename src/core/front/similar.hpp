// Similar sets: what is proven of one set bounds all that are like it.
//
// Leaving out rows of weight w makes a tree at most w better: E(S) >= E(S') - weight(S' \ S) for
// every budget. (A tree for S classifies S' with its errors on S and at most the rows outside S
// more.) For each budget the sets that were solved last are kept, and of these the ones that cut
// most: a set that cuts moves towards the front, a new one replaces one of the last.
#pragma once

#include "front/facts.hpp"
#include "front/table.hpp"

namespace dtfinder::front {

class SimilarSets {
 public:
  SimilarSets(const Table& table, const Kernels& kernels, std::size_t most)
      : table_(table), kernels_(kernels), most_(most) {}

  // A lower bound for `rows`, and the lemma that it rests on; stops looking at `enough`. `unit` is
  // the price of a unit of weight.
  Bounds look(const Word* rows, const Budget& budget, Value enough, Value unit) {
    Bounds best;
    for (Shelf& shelf : shelves_) {
      if (!shelf.budget.covers(budget)) continue;
      for (std::size_t i = 0; i < shelf.used; ++i) {
        const std::uint32_t at = shelf.order[i];
        if (shelf.lower[at] <= best.lower) continue;
        const Word* other = shelf.bits.data() + at * table_.words();
        const Value value = shelf.lower[at] - unit * table_.weight_outside(other, rows, kernels_);
        if (value > best.lower) best.lower = value, best.lemma = shelf.lemma[at];
        if (value < enough) continue;
        if (i > 0) std::swap(shelf.order[i], shelf.order[i / 2]);
        return best;
      }
    }
    return best;
  }

  void note(const Word* rows, const Budget& budget, const Bounds& bounds) {
    if (bounds.lower <= 0) return;
    Shelf& shelf = shelf_of(budget);
    std::uint32_t at;
    if (shelf.used < most_) {
      at = static_cast<std::uint32_t>(shelf.used);
      shelf.order[shelf.used++] = at;
    } else {
      shelf.next = shelf.next + 1 < most_ ? shelf.next + 1 : most_ / 2;
      at = shelf.order[shelf.next];
    }
    shelf.lower[at] = bounds.lower;
    shelf.lemma[at] = bounds.lemma;
    std::copy_n(rows, table_.words(),
                shelf.bits.begin() + static_cast<std::ptrdiff_t>(at * table_.words()));
  }
  void clear() { shelves_ = {}; }
  std::size_t bytes() const { return shelves_.size() * most_ * (8 * table_.words() + 16); }

 private:
  struct Shelf {
    Budget budget;
    std::size_t used = 0, next = 0;
    std::vector<std::uint32_t> order;  // the ones that cut most first
    std::vector<Value> lower;
    std::vector<LemmaId> lemma;
    std::vector<Word> bits;
  };
  Shelf& shelf_of(const Budget& budget) {
    for (Shelf& shelf : shelves_) {
      if (shelf.budget == budget) return shelf;
    }
    shelves_.push_back({budget, 0, 0, std::vector<std::uint32_t>(most_), std::vector<Value>(most_),
                        std::vector<LemmaId>(most_), std::vector<Word>(most_ * table_.words())});
    return shelves_.back();
  }

  const Table& table_;
  const Kernels& kernels_;
  std::size_t most_;
  std::vector<Shelf> shelves_;
};

}  // namespace dtfinder::front
