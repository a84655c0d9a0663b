// The proof log: every bound that the search proves, with its reason.
//
// A lemma says that trees within a budget have at least so many errors (or cost so much) on a set
// of rows. It is either counted, or rests on a split: then it cites the lemmas that bound the
// children, be it their own, one of a similar set, of a sibling or of the parent. What counting
// shows of children with up to two inner nodes is not cited, as checkers count these themselves.
// docs/certificates.md has the rules; error_proof.hpp writes down what is needed of the log.
//
// A set is the path that led to it: a set and a feature's side. That takes 8 bytes, whatever the
// number of rows. Lemmas are appended and never changed, so citations point backwards.
#pragma once

#include <span>

#include "front/facts.hpp"

namespace dtfinder::front {

using PathId = std::uint32_t;  // 0 for all rows

class ErrorLemmas {
 public:
  struct Step {  // the rows of `from` where the feature is 1, or 0
    PathId from;
    std::uint32_t side;  // twice the feature, plus 1 for the rows with it
  };
  struct Lemma {
    PathId path;
    Budget budget;
    Value bound;
    std::uint64_t cites_end;
    bool split;  // else counted
  };

  bool on() const { return on_; }
  std::size_t bytes() const {
    return steps_.capacity() * sizeof(Step) + lemmas_.capacity() * sizeof(Lemma) +
           cites_.capacity() * sizeof(LemmaId);
  }
  // With no memory left the proof goes before the answer does.
  void drop() {
    on_ = false;
    steps_ = {{0, 0}};
    lemmas_ = {};
    cites_ = {};
  }

  PathId path(PathId from, std::int32_t feature, bool one) {
    if (!on()) return 0;
    steps_.push_back({from, 2 * static_cast<std::uint32_t>(feature) + one});
    return static_cast<PathId>(steps_.size() - 1);
  }
  LemmaId counted(PathId path, const Budget& budget, Value bound) {
    return add(path, budget, bound, {}, false);
  }
  LemmaId split(PathId path, const Budget& budget, Value bound, std::span<const LemmaId> cites) {
    return add(path, budget, bound, cites, true);
  }

  std::size_t size() const { return lemmas_.size(); }
  const Lemma& lemma(std::size_t id) const { return lemmas_[id]; }
  const Step& step(PathId path) const { return steps_[path]; }
  std::size_t paths() const { return steps_.size(); }
  std::span<const LemmaId> cites(std::size_t id) const {
    const std::uint64_t from = id ? lemmas_[id - 1].cites_end : 0;
    return {cites_.data() + from, static_cast<std::size_t>(lemmas_[id].cites_end - from)};
  }

 private:
  LemmaId add(PathId path, const Budget& budget, Value bound, std::span<const LemmaId> cites,
              bool split) {
    if (bound <= 0 || !on()) return kNoLemma;
    cites_.insert(cites_.end(), cites.begin(), cites.end());
    lemmas_.push_back({path, budget, bound, cites_.size(), split});
    return static_cast<LemmaId>(lemmas_.size() - 1);
  }

  bool on_ = true;
  std::vector<Step> steps_{{0, 0}};
  std::vector<Lemma> lemmas_;
  std::vector<LemmaId> cites_;
};

}  // namespace dtfinder::front
