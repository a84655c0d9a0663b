// A view: the items of a set of rows, packed densely, with the columns that still split them.
//
// Cost grows with the cube of the number of columns, and sets shrink quickly. So every node of the
// search packs its own items: columns that are constant fall away, and of columns that are equal or
// each other's complement one stays. A column is kept with the rarer value as one, so that ANDs are
// sparse.
//
// Why that is right: a split on a constant column does nothing, and columns that split the rows
// into the same two sets are the same question.
#pragma once

#include "front/table.hpp"

namespace dtfinder::front {

class View {
 public:
  std::vector<Word> rows;             // of the table, as a bit set
  std::vector<std::int32_t> ids;      // by column: a feature of the table
  std::vector<std::uint8_t> flipped;  // by column: one here is zero in the table
  std::vector<Segment> segments;      // by class, then by weight
  std::vector<Value> class_weight;    // by class
  Value weight = 0;                   // of all items
  std::size_t words = 0;              // of a column
  std::vector<Word> columns;          // one after the other

  std::size_t width() const { return ids.size(); }
  Value leaf() const {
    return weight -
           (class_weight.empty() ? 0 : *std::max_element(class_weight.begin(), class_weight.end()));
  }
  // The rows of the child of column `f` on one side.
  void child_rows(const Table& table, std::size_t f, bool side, Word* out) const {
    const Word* column = table.column(static_cast<std::size_t>(ids[f]));
    const Word flip = side != static_cast<bool>(flipped[f]) ? 0 : ~Word{0};
    for (std::size_t w = 0; w < rows.size(); ++w) out[w] = rows[w] & (column[w] ^ flip);
  }
  // The items where column f is x and column i is y.
  void quadrant(std::size_t f, bool x, std::size_t i, bool y, Word* out) const {
    const Word *a = columns.data() + f * words, *b = columns.data() + i * words;
    const Word flip_a = x ? 0 : ~Word{0}, flip_b = y ? 0 : ~Word{0};
    for (std::size_t w = 0; w < words; ++w) out[w] = (a[w] ^ flip_a) & (b[w] ^ flip_b) & valid_[w];
  }
  // The weight of the items with ones in columns f and i.
  Value both(std::size_t f, std::size_t i) const {
    const Word *a = columns.data() + f * words, *b = columns.data() + i * words;
    Value sum = 0;
    for (const Segment& s : segments) {
      Value part = 0;
      for (std::uint32_t w = s.first; w < s.first + s.words; ++w)
        part += static_cast<Value>(bits_in(a[w] & b[w]));
      sum += part << s.shift;
    }
    return sum;
  }
  std::size_t bytes() const {
    return 8 * (rows.capacity() + columns.capacity() + valid_.capacity());
  }
  // What making this view cost, in words moved.
  std::size_t work() const { return work_; }

  // All rows of the table.
  void make(const Table& table, const Kernels& kernels) {
    rows.assign(table.words(), 0);
    for (std::size_t r = 0; r < table.rows(); ++r) rows[r / 64] |= Word{1} << (r % 64);
    lay_out_items(table);
    begin(table.features());
    for (std::size_t f = 0; f < table.features(); ++f) {
      fresh_.assign(words + 1, 0);
      std::size_t ones = 0;
      for (std::size_t at = 0; at < mask_.size(); at += table.words()) {
        ones += kernels.pack(table.column(f), mask_.data() + at, to_bit_.data() + at, table.words(),
                             fresh_.data());
      }
      add(static_cast<std::int32_t>(f), false, ones);
    }
    mask_ = {};
    to_bit_ = {};
  }

  // The same items with some of the columns only.
  void make_thin(const View& from, const std::vector<std::size_t>& chosen) {
    rows = from.rows;
    segments = from.segments;
    class_weight = from.class_weight;
    weight = from.weight;
    words = from.words;
    items_ = from.items_;
    valid_ = from.valid_;
    begin(0);
    for (const std::size_t j : chosen) {
      const Word* column = from.columns.data() + j * words;
      ids.push_back(from.ids[j]);
      flipped.push_back(from.flipped[j]);
      columns.insert(columns.end(), column, column + words);
    }
    work_ = chosen.size() * words;
  }

  // The rows of `set`, which are those of `parent` where its column `f` is `side`.
  void make(const View& parent, std::size_t f, bool side, const Word* set, const Table& table,
            const Kernels& kernels) {
    rows.assign(set, set + table.words());
    const Word* split = parent.columns.data() + f * parent.words;
    mask_.resize(parent.words);
    to_bit_.resize(parent.words);
    for (std::size_t w = 0; w < parent.words; ++w) {
      mask_[w] = side ? split[w] : parent.valid_[w] & ~split[w];
    }
    segments.clear();
    class_weight.assign(table.classes(), 0);
    weight = 0;
    words = 0;
    for (const Segment& from : parent.segments) {
      std::uint32_t items = 0;
      for (std::uint32_t w = from.first; w < from.first + from.words; ++w) {
        to_bit_[w] = static_cast<std::uint32_t>(64 * words) + items;
        items += static_cast<std::uint32_t>(bits_in(mask_[w]));
      }
      add_segment(from.label, from.shift, items);
    }
    set_valid();
    begin(parent.width());
    for (std::size_t j = 0; j < parent.width(); ++j) {
      if (j == f) continue;
      fresh_.assign(words + 1, 0);
      const std::size_t ones = kernels.pack(parent.columns.data() + j * parent.words, mask_.data(),
                                            to_bit_.data(), parent.words, fresh_.data());
      add(parent.ids[j], parent.flipped[j], ones);
    }
    work_ = parent.width() * (parent.words + words);
  }

 private:
  void add_segment(std::int32_t label, std::int32_t shift, std::uint32_t items) {
    if (items == 0) return;
    const Value sum = static_cast<Value>(items) << shift;
    class_weight[static_cast<std::size_t>(label)] += sum;
    weight += sum;
    const auto used = static_cast<std::uint32_t>(words_for(items));
    segments.push_back({label, shift, static_cast<std::uint32_t>(words), used});
    items_of_.resize(segments.size());
    items_of_[segments.size() - 1] = items;
    words += used;
  }
  void set_valid() {
    valid_.assign(words, ~Word{0});
    for (std::size_t s = 0; s < segments.size(); ++s) {
      const std::uint32_t past = items_of_[s] % 64;
      if (past) valid_[segments[s].first + segments[s].words - 1] = (Word{1} << past) - 1;
    }
    items_ = 0;
    for (std::size_t s = 0; s < segments.size(); ++s) items_ += items_of_[s];
  }
  // Which of the table's rows become items, and the bits that they become: `mask_` and `to_bit_`
  // have as many words as the table, time and again.
  void lay_out_items(const Table& table) {
    segments.clear();
    class_weight.assign(table.classes(), 0);
    weight = 0;
    words = 0;
    mask_.clear();
    to_bit_.clear();
    const bool repeat = table.is_light();
    for (std::size_t c = 0; c < table.classes(); ++c) {
      std::uint32_t items = 0;
      for (std::int32_t copy = 0; copy < table.most_weight() && repeat; ++copy) {
        items += lay_out(table, items, [&](std::size_t r) { return table.weights(r)[c] > copy; });
      }
      if (repeat) add_segment(static_cast<std::int32_t>(c), 0, items);
      for (std::int32_t shift = 0; table.most_weight() >> shift && !repeat; ++shift) {
        items = lay_out(table, 0, [&](std::size_t r) { return table.weights(r)[c] >> shift & 1; });
        add_segment(static_cast<std::int32_t>(c), shift, items);
      }
    }
    set_valid();
    work_ = table.features() * words;
  }
  // Adds the rows for which `has` holds to the items of a segment that has some; how many they are.
  template <class Has>
  std::uint32_t lay_out(const Table& table, std::uint32_t before, Has&& has) {
    const std::size_t first = mask_.size();
    mask_.resize(first + table.words(), 0);
    for (std::size_t r = 0; r < table.rows(); ++r) {
      if (has(r)) mask_[first + r / 64] |= Word{1} << (r % 64);
    }
    std::uint32_t items = 0;
    for (std::size_t w = 0; w < table.words(); ++w) {
      to_bit_.push_back(static_cast<std::uint32_t>(64 * words) + before + items);
      items += static_cast<std::uint32_t>(bits_in(mask_[first + w]));
    }
    return items;
  }

  void begin(std::size_t most) {
    ids.clear();
    flipped.clear();
    columns.clear();
    const std::size_t slots = std::bit_ceil(2 * most + 2);
    seen_.assign(slots, -1);
  }
  // Takes `fresh_` as the column of a feature, unless it is constant or there already.
  void add(std::int32_t id, bool was_flipped, std::size_t ones) {
    Word hash = 0;
    if (ones == 0 || ones == items_) return;
    const bool flip = 2 * ones > items_ || (2 * ones == items_ && (fresh_[0] & 1));
    if (flip) {
      for (std::size_t w = 0; w < words; ++w) fresh_[w] = valid_[w] & ~fresh_[w];
    }
    for (std::size_t w = 0; w < words; ++w) hash = (hash ^ fresh_[w]) * 0x9E3779B97F4A7C15u;
    std::size_t slot = (hash ^ hash >> 32) & (seen_.size() - 1);
    for (; seen_[slot] >= 0; slot = (slot + 1) & (seen_.size() - 1)) {
      const Word* other = columns.data() + static_cast<std::size_t>(seen_[slot]) * words;
      if (std::equal(other, other + words, fresh_.data())) return;
    }
    seen_[slot] = static_cast<std::int32_t>(ids.size());
    ids.push_back(id);
    flipped.push_back(flip != was_flipped);
    columns.insert(columns.end(), fresh_.begin(),
                   fresh_.begin() + static_cast<std::ptrdiff_t>(words));
  }
  std::size_t items_ = 0, work_ = 0;
  std::vector<std::uint32_t> items_of_;  // by segment
  std::vector<Word> valid_;              // the bits in use
  std::vector<Word> fresh_, mask_;       // scratch
  std::vector<std::uint32_t> to_bit_;
  std::vector<std::int32_t> seen_;
};

}  // namespace dtfinder::front
