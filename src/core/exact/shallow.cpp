// See shallow.hpp. Rows are filled up to a compiled-in number of words with features that are zero
// everywhere; 0 stands for any number.
#include "exact/shallow.hpp"

#include <bit>

namespace dtfinder {

namespace {

// A set of features.
template <int M>
class Mask {
 public:
  explicit Mask(std::size_t words) {
    if constexpr (M == 0) words_.assign(words, 0);
  }
  std::size_t words() const {
    if constexpr (M == 0) return words_.size();
    return M;
  }
  Word& operator[](std::size_t i) { return words_[i]; }
  Word operator[](std::size_t i) const { return words_[i]; }
  void fill(Word with) {
    for (std::size_t i = 0; i < words(); ++i) words_[i] = with;
  }
  bool empty() const {
    Word any = 0;
    for (std::size_t i = 0; i < words(); ++i) any |= words_[i];
    return any == 0;
  }

 private:
  using Words = std::conditional_t<M == 0, std::vector<Word>, std::array<Word, M == 0 ? 1 : M>>;
  Words words_;
};

template <int M>
class ShallowOf final : public Shallow {
 public:
  explicit ShallowOf(std::size_t row_words)
      : given_(row_words),
        words_(M ? M : row_words),
        columns_(words_ * 64),
        tree_(std::size_t{2} << kDeepest) {
    for (int k = 0; k <= kDeepest; ++k) {
      level_.push_back(std::make_unique<Level>(words_));
    }
  }

  void clear() override {
    size_ = 0;
    rows_.clear();
    labels_.clear();
    of_.clear();
    ++frame_;
    for (auto& level : level_) level->stored = level->next = 0;
  }
  void add(const Word* row, std::size_t label) override {
    assert(size_ < kMost);
    rows_.insert(rows_.end(), row, row + given_);
    rows_.resize(rows_.size() + words_ - given_, 0);
    labels_.push_back(label);
    if (label >= of_.size()) of_.resize(label + 1, 0);
    of_[label] |= Word{1} << size_++;
  }
  std::size_t size() const override { return size_; }

  bool fits(Word set, Word core, int depth) override {
    log_ = nullptr;
    preferred_ = 0;
    return climb(set, core, depth, 0);
  }
  const std::vector<Node>& tree() const override { return tree_; }
  Word core() const override { return core_; }

  Word narrow(Word core, int depth) override {
    log_ = nullptr;
    for (Word left = core; left;) {
      const Word last = std::bit_floor(left);
      left ^= last;
      if (!(core & last)) continue;
      preferred_ = 0;
      if (!search(core ^ last, depth, 0)) core = core_;
      left &= core;
    }
    return core;
  }

  LemmaId prove(Word core, int depth, const std::vector<std::uint32_t>& examples,
                std::vector<Proven>& known, LemmaLog& log) override {
    log_ = &log;
    proven_ = &known;
    examples_ = &examples;
    whole_ = core;
    target_ = depth;
    preferred_ = 0;
    const std::uint64_t before = work_;
    [[maybe_unused]] const bool fit = search(core, depth, 0);
    assert(!fit);
    work_ = before;
    log_ = nullptr;
    return lemma_;
  }
  std::uint64_t steps() const override { return work_ / 64; }

 private:
  // What is at work for one depth, and the cores that need more than it.
  static constexpr std::size_t kStored = 32;
  struct Level {
    explicit Level(std::size_t words) : open(words), splits(words) {}
    Mask<M> open, splits;
    std::vector<LemmaId> cited;
    std::array<Word, kStored> cores{};
    std::size_t stored = 0, next = 0;
  };

  std::size_t words() const {
    if constexpr (M == 0) return words_;
    return M;
  }
  const Word* row(int place) const {
    return rows_.data() + static_cast<std::size_t>(place) * words();
  }
  static Word bit(int place) { return Word{1} << place; }

  // The places where feature `f` is one.
  Word column(std::size_t f) {
    Column& known = columns_[f];
    if (known.frame != frame_) known = {frame_, 0, 0};
    for (; known.places < size_; ++known.places) {
      const Word word = rows_[known.places * words() + f / 64];
      known.ones |= (word >> (f % 64) & 1) << known.places;
    }
    return known.ones;
  }

  // Whether a tree of depth `depth` classifies `set`; it is written from `node` on.
  bool search(Word set, int depth, std::size_t node) {
    assert(depth >= 1);
    if (log_ ? find_proven(set, depth) : depth >= 2 && find(set, depth)) return false;
    if (is_leaf(set, node)) return true;
    if (one_splits(set, node)) return true;
    for (int k = 2; k <= depth; ++k) {
      if (climb(set, core_, k, node)) return true;
    }
    return false;
  }
  // A stored core inside `set` that needs more than `depth`: the one that adds fewest examples.
  bool find(Word set, int depth) {
    const Level& level = *level_[static_cast<std::size_t>(depth)];
    int fewest = 65;
    for (std::size_t i = 0; i < level.stored; ++i) {
      if (level.cores[i] & ~set) continue;
      const int added = std::popcount(level.cores[i] & ~preferred_);
      if (added >= fewest) continue;
      fewest = added;
      core_ = level.cores[i];
    }
    work_ += level.stored / 2;
    return fewest < 65;
  }
  // As `find`, among what has a lemma.
  bool find_proven(Word set, int depth) {
    int fewest = 65;
    for (const Proven& one : *proven_) {
      if (one.bound <= depth || (one.places & ~set)) continue;
      const int added = std::popcount(one.places & ~preferred_);
      if (added >= fewest) continue;
      fewest = added;
      core_ = one.places;
      lemma_ = one.lemma;
    }
    return fewest < 65;
  }
  void keep(Word core, int depth) {
    Level& level = *level_[static_cast<std::size_t>(depth)];
    level.cores[level.next] = core;
    level.next = (level.next + 1) % kStored;
    level.stored = std::max(level.stored, level.next ? level.next : kStored);
  }

  // As `search`, where `core`, a part of `set`, is known to need depth `depth`.
  bool climb(Word set, Word core, int depth, std::size_t node) {
    Level& level = *level_[static_cast<std::size_t>(depth)];
    const Word preferred = preferred_;
    Word grown = core;
    if (log_) level.cited.assign(1, lemma_);
    splits_of(core, level.open);
    if (depth > 2 && !log_) strike_stored(set, depth, grown);
    for (;;) {
      const std::size_t f = pick(set, level.open);
      if (f == kNone) break;
      const Word ones = set & column(f), zeros = set ^ ones;
      const bool one_first = std::popcount(ones) > std::popcount(zeros);
      bool fit = true;
      for (int turn = 0; turn < 2 && fit; ++turn) {
        const bool one = (turn == 0) == one_first;
        preferred_ = preferred | grown;
        fit = search(one ? ones : zeros, depth - 1, 2 * node + (one ? 2 : 1));
      }
      if (fit) {
        tree_[node] = {static_cast<std::int32_t>(f), 0};
        preferred_ = preferred;
        return true;
      }
      grown |= core_;
      if (log_) level.cited.push_back(lemma_);
      splits_of(core_, level.splits);
      for (std::size_t i = 0; i < words(); ++i) level.open[i] &= level.splits[i];
    }
    preferred_ = preferred;
    core_ = grown;
    if (log_) {
      const Word more = node == 0 && depth == target_ ? whole_ & ~grown : 0;
      note_lemma(grown | more, depth + 1, level.cited, more);
    } else {
      keep(grown, depth);
    }
    return false;
  }
  // Stored cores that need depth `depth` strike what they can, before anything is searched.
  void strike_stored(Word set, int depth, Word& grown) {
    const Level& below = *level_[static_cast<std::size_t>(depth - 1)];
    Level& level = *level_[static_cast<std::size_t>(depth)];
    for (std::size_t i = 0; i < below.stored; ++i) {
      const Word core = below.cores[i];
      if (core & ~set) continue;
      splits_of(core, level.splits);
      Word struck = 0;
      for (std::size_t w = 0; w < words(); ++w) {
        struck |= level.open[w] & ~level.splits[w];
        level.open[w] &= level.splits[w];
      }
      if (struck) grown |= core;
    }
  }
  // The open feature that splits `set` most evenly of some; kNone if none is open.
  static constexpr std::size_t kNone = ~std::size_t{0};
  std::size_t pick(Word set, const Mask<M>& open) {
    std::size_t best = kNone;
    int most = -1, looked = 0;
    const int size = std::popcount(set);
    for (std::size_t i = 0; i < words(); ++i) {
      for (Word left = open[i]; left; left &= left - 1) {
        const std::size_t f = i * 64 + static_cast<std::size_t>(std::countr_zero(left));
        const int ones = std::popcount(set & column(f));
        const int least = std::min(ones, size - ones);
        if (least > most) {
          most = least;
          best = f;
        }
        if (++looked == kLooked) return best;
      }
    }
    work_ += static_cast<std::uint64_t>(looked) * 2;
    return best;
  }
  static constexpr int kLooked = 6;

  // The features that split `set`.
  void splits_of(Word set, Mask<M>& splits) {
    Mask<M> all(words());
    all.fill(~Word{0});
    splits.fill(0);
    for (; set; set &= set - 1) {
      const Word* at = row(std::countr_zero(set));
      for (std::size_t i = 0; i < words(); ++i) {
        splits[i] |= at[i];
        all[i] &= at[i];
      }
      work_ += words();
    }
    for (std::size_t i = 0; i < words(); ++i) splits[i] &= ~all[i];
  }

  bool is_leaf(Word set, std::size_t node) {
    const std::size_t label = labels_[static_cast<std::size_t>(std::countr_zero(set))];
    tree_[node] = {-1, label};
    return (set & ~of_[label]) == 0;
  }
  // Whether one feature separates the impure `set`; else `core_` shows that none does.
  bool one_splits(Word set, std::size_t node) {
    const std::size_t a = labels_[static_cast<std::size_t>(std::countr_zero(set))];
    const Word left = set & of_[a], rest = set & ~left;
    const std::size_t b = labels_[static_cast<std::size_t>(std::countr_zero(rest))];
    const Word right = rest & of_[b];
    if (const Word third = rest & ~right) {
      core_ = (left & -left) | (right & -right) | (third & -third);
      note_rows();
      return false;
    }
    Mask<M> straight(words()), crossed(words());
    straight.fill(~Word{0});
    crossed.fill(~Word{0});
    chosen_.clear();
    for (Word part : {set & preferred_, set & ~preferred_}) {
      for (; part; part &= part - 1) {
        const int place = std::countr_zero(part);
        if (!strike(place, left, straight, crossed)) continue;
        chosen_.push_back(place);
        if (straight.empty() && crossed.empty()) {
          narrow_chosen(left, right);
          return false;
        }
      }
    }
    for (std::size_t i = 0; i < words(); ++i) {
      if (const Word any = straight[i] | crossed[i]) {
        const Word lowest = any & -any;
        const std::size_t f = i * 64 + static_cast<std::size_t>(std::countr_zero(any));
        const bool left_is_one = straight[i] & lowest;
        tree_[node] = {static_cast<std::int32_t>(f), 0};
        tree_[2 * node + 1] = {-1, left_is_one ? b : a};
        tree_[2 * node + 2] = {-1, left_is_one ? a : b};
        return true;
      }
    }
    return false;
  }
  // Rules out what the example at `place` rules out; whether that was anything. Straight are the
  // features that are one on the left class.
  bool strike(int place, Word left, Mask<M>& straight, Mask<M>& crossed) {
    const Word flip = left >> place & 1 ? 0 : ~Word{0};
    const Word* at = row(place);
    Word struck = 0;
    for (std::size_t i = 0; i < words(); ++i) {
      const Word on = at[i] ^ flip;
      struck |= (straight[i] & ~on) | (crossed[i] & on);
      straight[i] &= on;
      crossed[i] &= ~on;
    }
    work_ += words();
    return struck != 0;
  }
  // Leaves out of the chosen examples those that the others make superfluous: what the later ones
  // leave is known for each, and what the earlier ones leave is kept.
  void narrow_chosen(Word left, Word right) {
    const std::size_t count = chosen_.size();
    while (after_.size() < count + 1) after_.emplace_back(Mask<M>(words()), Mask<M>(words()));
    after_[count].first.fill(~Word{0});
    after_[count].second.fill(~Word{0});
    for (std::size_t i = count; i-- > 1;) {
      after_[i] = after_[i + 1];
      strike(chosen_[i], left, after_[i].first, after_[i].second);
    }
    Mask<M> straight(words()), crossed(words());
    straight.fill(~Word{0});
    crossed.fill(~Word{0});
    core_ = 0;
    for (std::size_t i = 0; i < count; ++i) {
      Word any = 0;
      for (std::size_t w = 0; w < words(); ++w) {
        any |= straight[w] & after_[i + 1].first[w];
        any |= crossed[w] & after_[i + 1].second[w];
      }
      if (!any) continue;
      core_ |= bit(chosen_[i]);
      strike(chosen_[i], left, straight, crossed);
    }
    if (!(core_ & left)) core_ |= left & -left;
    if (!(core_ & right)) core_ |= right & -right;
    note_rows();
  }

  // The lemma of a core of bound 2, which cites no other.
  void note_rows() {
    if (log_) note_lemma(core_, 2, {}, core_);
  }
  void note_lemma(Word set, int bound, const std::vector<LemmaId>& cited, Word rows) {
    numbers_.clear();
    for (; rows; rows &= rows - 1) {
      numbers_.push_back((*examples_)[static_cast<std::size_t>(std::countr_zero(rows))]);
    }
    lemma_ = log_->add(LemmaKind::kSplit, Measure::kDepth, bound, kNoLimit, cited, numbers_);
    proven_->push_back({set, bound, lemma_});
  }

  struct Column {
    std::uint64_t frame = 0;
    std::size_t places = 0;
    Word ones = 0;
  };
  std::size_t given_, words_, size_ = 0;
  std::vector<Word> rows_;
  std::vector<std::size_t> labels_;
  std::vector<Word> of_;  // by class: places
  std::vector<Column> columns_;
  std::uint64_t frame_ = 1, work_ = 0;
  std::vector<Node> tree_;
  std::vector<std::unique_ptr<Level>> level_;
  Word core_ = 0, preferred_ = 0, whole_ = 0;
  int target_ = 0;  // the depth that is refuted for the log
  std::vector<int> chosen_;
  std::vector<std::pair<Mask<M>, Mask<M>>> after_;
  LemmaLog* log_ = nullptr;
  std::vector<Proven>* proven_ = nullptr;
  LemmaId lemma_ = kNoLemma;
  const std::vector<std::uint32_t>* examples_ = nullptr;
  std::vector<std::uint32_t> numbers_;
};

}  // namespace

std::unique_ptr<Shallow> make_shallow(std::size_t row_words) {
  if (row_words <= 1) return std::make_unique<ShallowOf<1>>(row_words);
  if (row_words <= 2) return std::make_unique<ShallowOf<2>>(row_words);
  if (row_words <= 3) return std::make_unique<ShallowOf<3>>(row_words);
  if (row_words <= 4) return std::make_unique<ShallowOf<4>>(row_words);
  if (row_words <= 6) return std::make_unique<ShallowOf<6>>(row_words);
  if (row_words <= 8) return std::make_unique<ShallowOf<8>>(row_words);
  if (row_words <= 12) return std::make_unique<ShallowOf<12>>(row_words);
  return std::make_unique<ShallowOf<0>>(row_words);
}

}  // namespace dtfinder
