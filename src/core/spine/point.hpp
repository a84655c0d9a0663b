// Reading a point of the spine program: how much each group is used and takes, circles, and trees.
//
// `sums` adds up use(G) and take(G,e) for all that is not 0. `circles` adds the rows k that a point
// violates: with a(F,G) for how much F takes of G, a circle of groups is violated if the distances
// 1 - a along it sum to less than 1, so a shortest path from each group back to itself finds one if
// there is one. `tree` reads a point of whole numbers as a tree: the groups used are put into an
// order in which none takes what belongs to an earlier one, which exists where there is no circle.
// Whether the outcome is a tree for all examples, and how large, is for the caller to check.
#pragma once

#include <map>
#include <utility>
#include <vector>

#include "shared/tree_nodes.hpp"
#include "spine/program.hpp"

namespace dtfinder {

class SpinePoint {
 public:
  using Values = std::vector<std::pair<int, double>>;  // (column, value), those that are not 0
  using Sums = std::map<SpineBranch, double>;

  explicit SpinePoint(SpineProgram& program);

  Sums sums(const Values& point) const;
  // Adds rows for circles in one nest that the point violates; returns how many.
  int circles(const Values& point, const Sums& sums, int nest);
  TreeNodes tree(const Values& point, const Sums& sums);

 private:
  struct Owner {
    int nest, group, bits, place;  // place >= 0: a part t of a large group; bits: the B of a z
  };
  struct Arcs {
    std::size_t count;
    std::vector<double> weight;
    std::vector<int> by;  // for a large group: the example that makes the weight
    double& at(std::size_t f, std::size_t g) { return weight[f * count + g]; }
  };
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }

  Arcs arcs(const Values& point, const Sums& sums, int nest) const;
  std::vector<int> shortest_circle(Arcs& arcs, const std::vector<std::size_t>& active,
                                   std::size_t from) const;
  void add_circle(const std::vector<int>& circle, const Arcs& arcs, int nest);

  std::int32_t grow(const Values& point, const Sums& sums, int nest, SpineExamples here,
                    TreeNodes& out);
  std::vector<int> order(const Sums& sums, int nest) const;
  std::int32_t grow_small(const SpineExamples& here, TreeNodes& out);
  void hang(TreeNodes& out, std::int32_t node, int feature, std::int32_t with,
            std::int32_t without);

  SpineProgram& program_;
  std::vector<Owner> owner_;
};

}  // namespace dtfinder
