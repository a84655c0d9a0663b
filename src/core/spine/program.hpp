// The spine program: an integer program whose optimum is the size of the smallest tree.
//
// Orient every feature so that at most half of the examples have it; G_f are those that do. Follow
// any tree from its root to the side where the oriented feature is absent: the spine. A node of it
// with feature f hangs off B_f, the part of G_f that is still there, at the price 1 + cost(B_f);
// the leaf at its end has a class d. Without loss every node hangs off something and no feature
// comes twice. So every example that does not allow d is hung off exactly once and the others at
// most once; and if f is on the spine, all of G_f is hung off, by f or before it. On tables of
// rare features the groups G_f are small, the prices are known exactly, and the linear relaxation
// is close to the truth.
//
// Columns, all between 0 and 1. A program P has examples U, a class, a column `on` and for each
// example e of U a column present(e); both are the constant 1 at the top, nest 0 below. Its groups
// are the distinct sets G_f ∩ U that are neither empty nor (below the top) all of U.
//   small group   z[B] for each nonempty B ⊆ G, at the price 1 + cost(B);
//   large group   x at the price 1, and for each class c: w[c], t[c,e] for each e of G, and a
//                 program nested in it with examples G, class c, on = w[c], present(e) = t[c,e].
// use(G) is the sum of the z, or x; take(G,e) the sum of the z[B] with e in B, or of the t[c,e];
// take(e) the sum of take(G,e) over the groups.
// Rows:
//   y   use(G) <= on
//   e   take(e) = present(e), only <= where e allows the program's class
//   u   use(G) - take(e) + present(e) <= on            for e in G
//   t   t[c,e] <= w[c]                                  for a large G
//   s   x = sum of the w[c]                             for a large G
//   p   at the top, for two groups that overlap in O: those z[B] of either that meet O, together
//       <= 1. Where one of them is large, take(G,e) in place of its z, for each e in O. The later
//       of the two on the spine would otherwise take what the earlier has removed.
//   k   groups G1 .. Gk in a circle: a1 + .. + ak <= k - 1 (times on), where ai says that Gi takes
//       something of G(i+1) and hence comes before it. These are found as needed (spine/point.hpp).
// All rows hold for every tree, so a bound of the relaxation, over all classes d at the top, is a
// bound of the tree. Conversely a point of whole numbers without circles is a tree
// (spine/point.hpp).
// The top's class enters only by which of its rows e are equations; the program is built once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "spine/table.hpp"

namespace dtfinder {

using SpineExamples = std::vector<std::uint32_t>;

struct SpineTerm {
  int at, factor;  // a column in a row, or a row in a column
};

// sum of the terms <= most; an equation if `equation`. `least` is what it is at least anyway.
struct SpineRow {
  std::vector<SpineTerm> terms;
  int most, least;
  bool equation;
  char kind;
  int nest;
  std::vector<int> name;  // numbers that name it, by kind: features, classes, examples
};

struct SpineGroup {
  int feature;  // the first of those that give this set
  SpineExamples members;
  bool large;
  int first;                // small: z[B] is first + B - 1, B by bits; large: x is first
  std::vector<int> inside;  // large: the nested programs, by class
  int use_row = -1;
  int size() const { return static_cast<int>(members.size()); }
  // The places of a large group's columns.
  int whole(int c) const { return first + 1 + c * (size() + 1); }
  int part(int c, int place) const { return whole(c) + 1 + place; }
};

struct SpineMeeting {
  int group, place;
};

struct SpineNest {
  int parent, group, label;  // where it is nested; -1 at the top
  int on;                    // -1: the constant 1
  SpineExamples universe;
  std::vector<int> present, example_row;  // by place in the universe
  std::vector<SpineGroup> groups;
  std::vector<std::vector<SpineMeeting>> meetings;  // by place: the groups that have it
};

// A question that splits the search: is use(G) = 1 (place < 0), or is take(G, place) = 1?
struct SpineBranch {
  int nest, group, place;
  auto operator<=>(const SpineBranch&) const = default;
};

class SpineProgram {
 public:
  SpineProgram(const SpineTable& table, int largest);

  // How many columns the program has if groups of up to `largest` are small; over `limit`: more.
  static std::size_t count_columns(const SpineTable& table, int largest, std::size_t limit);

  int largest() const { return largest_; }
  const SpineTable& table() const { return table_; }
  bool turned(int feature) const { return turned_[at(feature)]; }
  const std::vector<SpineNest>& nests() const { return nests_; }
  const std::vector<SpineRow>& rows() const { return rows_; }
  const std::vector<int>& prices() const { return prices_; }
  const std::vector<SpineTerm>& column(int j) const { return columns_[at(j)]; }
  std::size_t columns() const { return prices_.size(); }
  std::size_t bytes() const;

  // A row on top of the program's own; `terms` may name a column more than once.
  int add_row(std::vector<SpineTerm> terms, int most, bool equation, char kind, int nest,
              std::vector<int> name);
  // What answering a branch by 0 or 1 puts to its least value: columns to 0, rows (which are
  // written with a slack) to equations.
  void settle(const SpineBranch& branch, bool answer, std::vector<int>& columns,
              std::vector<int>& rows) const;

  template <class Go>
  void each_use(const SpineGroup& group, Go&& go) const {
    const int last = group.large ? 1 : (1 << group.size()) - 1;
    for (int j = 0; j < last; ++j) go(group.first + j);
  }
  template <class Go>
  void each_take(const SpineGroup& group, int place, Go&& go) const {
    if (group.large) {
      for (int c = 0; c < table_.classes; ++c) go(group.part(c, place));
    } else {
      each_meeting(group, 1 << place, go);
    }
  }
  // The columns of a small group whose B meets `mask`.
  template <class Go>
  void each_meeting(const SpineGroup& group, int mask, Go&& go) const {
    for (int b = 1; b < 1 << group.size(); ++b) {
      if (b & mask) go(group.first + b - 1);
    }
  }
  // The members of a group, by bits, that another group of the same program has as well.
  static std::uint64_t shared(const SpineGroup& group, const SpineGroup& other) {
    std::uint64_t mask = 0;
    for (std::size_t i = 0; i < group.members.size(); ++i) {
      const bool both =
          std::binary_search(other.members.begin(), other.members.end(), group.members[i]);
      if (both && i < 64) mask |= std::uint64_t{1} << i;
    }
    return mask;
  }
  // The costs of all subsets of at most `largest` examples, by bits.
  const std::vector<int>& costs(const SpineExamples& members);
  // The ways in which features cut the set: a feature for each, and its part by bits.
  std::vector<std::pair<int, int>> cuts(const SpineExamples& members) const;

 private:
  void settle_take(const SpineBranch& branch, std::vector<int>& columns,
                   std::vector<int>& rows) const;
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  static std::vector<SpineExamples> orient(const SpineTable& table, std::vector<bool>* turned);
  static std::map<SpineExamples, int> groups_in(const std::vector<SpineExamples>& oriented,
                                                const SpineExamples& universe, bool top);
  int add_column(int price);
  int add_nest(SpineNest nest);
  void add_group(SpineNest& nest, int index, int feature, const SpineExamples& members);
  void add_small(SpineGroup& group);
  void add_large(SpineGroup& group, int nest, int index);
  void add_sums(SpineNest& nest, int index);
  void add_hung_off(const SpineNest& nest, int index);
  void add_pair_rows();
  void add_pair(const SpineGroup& f, const SpineGroup& g);

  SpineTable table_;
  int largest_;
  std::vector<bool> turned_;
  std::vector<SpineExamples> oriented_;
  std::vector<std::vector<int>> features_of_;
  std::vector<SpineNest> nests_;
  std::vector<SpineRow> rows_;
  std::vector<int> prices_;
  std::vector<std::vector<SpineTerm>> columns_;
  std::map<SpineExamples, std::vector<int>> costs_;
};

}  // namespace dtfinder
