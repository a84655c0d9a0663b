// Few examples and shallow trees: is there a tree of depth d, small d, for these examples?
//
// Whatever table is searched for the least depth, nearly all of the work is at the bottom: sets of
// some dozens of examples and the question whether a tree of depth 2 or 3 classifies them. Up to 64
// examples are taken out of the table here and get places 0 .. 63, so that a set is one word, and
// what is asked of it is a few dozen operations on words:
//
// Depth 1: walk over the examples and keep the features that are still one on all of one class and
// zero on all of the other, and those that are the other way round. Mostly nothing is left after a
// few examples, and these are a core: they need depth 2.
//
// Depth k, given a core of bound k: a root must split it, since any other leaves it whole on one
// side. Take such a feature and ask for trees of depth k - 1 for its two sides. If a side has none,
// what comes back is a core of bound k on that side, and a root must split that one, too. So each
// core that is found strikes all features that do not split it, and after two or three of them no
// feature is left as a rule: their union is a core of bound k + 1, by composition
// (composition.hpp).
//
// Cores of bounds above 2 are kept for as long as the examples are; a side that holds one needs no
// search. `narrow` leaves examples out of a core, one by one, while its bound stays.
#pragma once

#include <memory>
#include <vector>

#include "exact/lemmas.hpp"

namespace dtfinder {

class Shallow {
 public:
  static constexpr std::size_t kMost = 64;  // examples
  static constexpr int kDeepest = 4;        // of the trees

  // A tree: the children of node i are 2i + 1 and 2i + 2, for zero and for one.
  struct Node {
    std::int32_t feature = -1;  // -1 for a leaf
    std::size_t label = 0;      // of a leaf
  };

  virtual ~Shallow() = default;
  // Forgets all examples.
  virtual void clear() = 0;
  // Adds an example by its row and its class, at the next place. `size()` < kMost before.
  virtual void add(const Word* row, std::size_t label) = 0;
  virtual std::size_t size() const = 0;
  // Whether a tree of depth `depth` classifies the examples at the places `set`, of which those at
  // `core` are known to need that depth: 2 <= depth <= kDeepest.
  virtual bool fits(Word set, Word core, int depth) = 0;
  // After a yes: the tree.
  virtual const std::vector<Node>& tree() const = 0;
  // After a no: places that need more than that depth.
  virtual Word core() const = 0;
  // Examples of `core`, which needs more than `depth`, that need as much by themselves.
  virtual Word narrow(Word core, int depth) = 0;
  // Logs why `core`, which needs more than `depth`, does so; `examples` are the numbers of the
  // places. It may cite lemmas that are `known`, and adds to them those that it makes.
  struct Proven {
    Word places;
    int bound;
    LemmaId lemma;
  };
  virtual LemmaId prove(Word core, int depth, const std::vector<std::uint32_t>& examples,
                        std::vector<Proven>& known, LemmaLog& log) = 0;
  // The work of all calls so far, but `prove`: a run takes the same with a proof and without.
  virtual std::uint64_t steps() const = 0;
};

// For tables with rows of `row_words` words.
std::unique_ptr<Shallow> make_shallow(std::size_t row_words);

}  // namespace dtfinder
