// What the threads of an exact search share (shared/exchange.hpp): facts about sets of examples,
// and one log of lemmas.
#pragma once

#include "exact/cache.hpp"
#include "exact/lemmas.hpp"
#include "shared/exchange.hpp"

namespace dtfinder {

template <int W>
struct SharedFact {
  Set<W> examples;
  int limit;
  Measure measure;
  Fact<W> fact;
  std::uint64_t work;
  std::size_t from = kOutside;
};

template <int W>
class FactExchange : public Exchange<SharedFact<W>> {
 public:
  explicit FactExchange(bool proof) : lemmas_(proof) {}
  // One log for all, as a lemma may cite those of other engines.
  LemmaLog& lemmas() { return lemmas_; }

 private:
  LemmaLog lemmas_;
};

}  // namespace dtfinder
