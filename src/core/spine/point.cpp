#include "spine/point.hpp"

#include <iterator>

namespace dtfinder {

namespace {
constexpr double kSome = 1e-6, kGap = 1e-3;

int place_in(const SpineExamples& list, std::uint32_t e) {
  return static_cast<int>(std::lower_bound(list.begin(), list.end(), e) - list.begin());
}
}  // namespace

SpinePoint::SpinePoint(SpineProgram& program)
    : program_(program), owner_(program.columns(), Owner{-1, -1, 0, -1}) {
  for (std::size_t n = 0; n < program.nests().size(); ++n) {
    const SpineNest& nest = program.nests()[n];
    for (std::size_t g = 0; g < nest.groups.size(); ++g) {
      const SpineGroup& group = nest.groups[g];
      const Owner owner{static_cast<int>(n), static_cast<int>(g), 0, -1};
      program.each_use(group, [&](int j) {
        owner_[at(j)] = owner;
        if (!group.large) owner_[at(j)].bits = j - group.first + 1;
      });
      for (int i = 0; group.large && i < group.size(); ++i) {
        program.each_take(group, i, [&](int j) {
          owner_[at(j)] = owner;
          owner_[at(j)].place = i;
        });
      }
    }
  }
}

SpinePoint::Sums SpinePoint::sums(const Values& point) const {
  Sums sums;
  for (const auto& [j, value] : point) {
    const Owner& owner = owner_[at(j)];
    if (owner.nest < 0) continue;
    sums[{owner.nest, owner.group, owner.place}] += value;
    for (int i = 0; owner.bits >> i; ++i) {
      if (owner.bits >> i & 1) sums[{owner.nest, owner.group, i}] += value;
    }
  }
  return sums;
}

// ---- circles -----------------------------------------------------------------------------------

SpinePoint::Arcs SpinePoint::arcs(const Values& point, const Sums& sums, int nest_index) const {
  const SpineNest& nest = program_.nests()[at(nest_index)];
  Arcs arcs{nest.groups.size(), {}, {}};
  arcs.weight.assign(arcs.count * arcs.count, 0.0);
  arcs.by.assign(arcs.count * arcs.count, -1);
  std::vector<char> met(arcs.count);
  for (const auto& [j, value] : point) {
    const Owner& owner = owner_[at(j)];
    if (owner.nest != nest_index || owner.bits == 0 || value < kSome) continue;
    const SpineGroup& group = nest.groups[at(owner.group)];
    std::fill(met.begin(), met.end(), 0);
    for (int i = 0; i < group.size(); ++i) {
      if (!(owner.bits >> i & 1)) continue;
      const int where = place_in(nest.universe, group.members[at(i)]);
      for (const SpineMeeting& meeting : nest.meetings[at(where)]) met[at(meeting.group)] = 1;
    }
    met[at(owner.group)] = 0;
    for (std::size_t g = 0; g < arcs.count; ++g) {
      if (met[g]) arcs.at(at(owner.group), g) += value;
    }
  }
  for (auto it = sums.lower_bound({nest_index, 0, -1}); it != sums.end(); ++it) {
    const auto& [key, value] = *it;
    if (key.nest != nest_index) break;
    const SpineGroup& group = nest.groups[at(key.group)];
    if (!group.large || key.place < 0 || value < kSome) continue;
    const std::uint32_t e = group.members[at(key.place)];
    for (const SpineMeeting& meeting : nest.meetings[at(place_in(nest.universe, e))]) {
      if (meeting.group == key.group) continue;
      double& weight = arcs.at(at(key.group), at(meeting.group));
      if (value <= weight) continue;
      weight = value;
      arcs.by[at(key.group) * arcs.count + at(meeting.group)] = key.place;
    }
  }
  return arcs;
}

// The groups of a shortest circle through `from`, the least first; none if it is not violated.
std::vector<int> SpinePoint::shortest_circle(Arcs& arcs, const std::vector<std::size_t>& active,
                                             std::size_t from) const {
  std::vector<double> distance(arcs.count, 1.0 - kGap);
  std::vector<std::size_t> parent(arcs.count, from);
  std::vector<char> done(arcs.count, 0);
  distance[from] = 0.0;
  std::size_t last = from;
  double length = 1.0 - kGap;
  for (;;) {
    std::size_t here = arcs.count;
    for (std::size_t g : active) {
      if (done[g] || distance[g] >= length) continue;
      if (here == arcs.count || distance[g] < distance[here]) here = g;
    }
    if (here == arcs.count) break;
    done[here] = 1;
    for (std::size_t g : active) {
      const double weight = arcs.at(here, g);
      if (weight < kSome) continue;
      const double far = distance[here] + std::max(0.0, 1.0 - weight);
      if (g == from) {
        if (far < length) length = far, last = here;
      } else if (!done[g] && far < distance[g]) {
        distance[g] = far;
        parent[g] = here;
      }
    }
  }
  std::vector<int> circle;
  if (last == from) return circle;
  for (std::size_t g = last; g != from; g = parent[g]) circle.push_back(static_cast<int>(g));
  circle.push_back(static_cast<int>(from));
  std::reverse(circle.begin(), circle.end());
  std::rotate(circle.begin(), std::min_element(circle.begin(), circle.end()), circle.end());
  return circle;
}

int SpinePoint::circles(const Values& point, const Sums& sums, int nest) {
  Arcs found = arcs(point, sums, nest);
  std::vector<std::size_t> active;
  for (std::size_t f = 0; f < found.count; ++f) {
    const auto first = found.weight.begin() + static_cast<std::ptrdiff_t>(f * found.count);
    const bool some = std::any_of(first, first + static_cast<std::ptrdiff_t>(found.count),
                                  [](double weight) { return weight > kSome; });
    if (some) active.push_back(f);
  }
  std::set<std::vector<int>> circles;
  for (std::size_t from : active) {
    std::vector<int> circle = shortest_circle(found, active, from);
    if (!circle.empty()) circles.insert(std::move(circle));
  }
  for (const std::vector<int>& circle : circles) add_circle(circle, found, nest);
  return static_cast<int>(circles.size());
}

void SpinePoint::add_circle(const std::vector<int>& circle, const Arcs& arcs, int nest_index) {
  const SpineNest& nest = program_.nests()[at(nest_index)];
  std::vector<SpineTerm> terms;
  std::vector<int> name;
  auto put = [&](int j) { terms.push_back({j, 1}); };
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const int next = circle[(i + 1) % circle.size()];
    const SpineGroup& group = nest.groups[at(circle[i])];
    name.push_back(group.feature);
    if (group.large) {
      const int by = arcs.by[at(circle[i]) * arcs.count + at(next)];
      program_.each_take(group, by, put);
      name.push_back(static_cast<int>(group.members[at(by)]));
    } else {
      const auto mask = SpineProgram::shared(group, nest.groups[at(next)]);
      program_.each_meeting(group, static_cast<int>(mask), put);
      name.push_back(-1);
    }
  }
  const int most = static_cast<int>(circle.size()) - 1;
  if (nest.on >= 0) terms.push_back({nest.on, -most});
  program_.add_row(std::move(terms), nest.on < 0 ? most : 0, false, 'k', nest_index,
                   std::move(name));
}

// ---- trees -------------------------------------------------------------------------------------

TreeNodes SpinePoint::tree(const Values& point, const Sums& sums) {
  TreeNodes out;
  grow(point, sums, 0, program_.nests()[0].universe, out);
  return out;
}

std::vector<int> SpinePoint::order(const Sums& sums, int nest_index) const {
  const SpineNest& nest = program_.nests()[at(nest_index)];
  std::map<int, SpineExamples> left;  // group used, what it takes
  for (auto it = sums.lower_bound({nest_index, 0, -1}); it != sums.end(); ++it) {
    const auto& [key, value] = *it;
    if (key.nest != nest_index) break;
    if (value < 0.5) continue;
    SpineExamples& takes = left[key.group];
    if (key.place >= 0) takes.push_back(nest.groups[at(key.group)].members[at(key.place)]);
  }
  std::vector<int> order;
  while (!left.empty()) {
    auto free = [&](int g) {
      const SpineExamples& members = nest.groups[at(g)].members;
      return std::none_of(left.begin(), left.end(), [&](const auto& other) {
        return other.first != g &&
               std::any_of(other.second.begin(), other.second.end(), [&](std::uint32_t e) {
                 return std::binary_search(members.begin(), members.end(), e);
               });
      });
    };
    auto next =
        std::find_if(left.begin(), left.end(), [&](const auto& g) { return free(g.first); });
    if (next == left.end()) next = left.begin();  // a circle: no tree, or not of this size
    order.push_back(next->first);
    left.erase(next);
  }
  return order;
}

void SpinePoint::hang(TreeNodes& out, std::int32_t node, int feature, std::int32_t with,
                      std::int32_t without) {
  const bool turned = program_.turned(feature);
  out[at(node)] = {feature, turned ? with : without, turned ? without : with, -1};
}

std::int32_t SpinePoint::grow(const Values& point, const Sums& sums, int nest_index,
                              SpineExamples here, TreeNodes& out) {
  const auto root = static_cast<std::int32_t>(out.size());
  out.push_back({-1, -1, -1, 0});
  std::int32_t node = root;
  const SpineNest& nest = program_.nests()[at(nest_index)];
  for (int g : order(sums, nest_index)) {
    const SpineGroup& group = nest.groups[at(g)];
    SpineExamples part, rest;
    std::set_intersection(here.begin(), here.end(), group.members.begin(), group.members.end(),
                          std::back_inserter(part));
    std::set_difference(here.begin(), here.end(), group.members.begin(), group.members.end(),
                        std::back_inserter(rest));
    if (part.empty() || rest.empty()) continue;
    std::int32_t with = 0;
    if (group.large) {
      int inside = group.inside[0];
      double most = -1.0;
      for (const auto& [j, value] : point) {
        for (int inner : group.inside) {
          if (program_.nests()[at(inner)].on == j && value > most) inside = inner, most = value;
        }
      }
      with = grow(point, sums, inside, part, out);
    } else {
      with = grow_small(part, out);
    }
    const auto without = static_cast<std::int32_t>(out.size());
    out.push_back({-1, -1, -1, 0});
    hang(out, node, group.feature, with, without);
    node = without;
    here = std::move(rest);
  }
  if (!here.empty()) out[at(node)].label = program_.table().common_class(here);
  return root;
}

// An optimal tree of a small set.
std::int32_t SpinePoint::grow_small(const SpineExamples& here, TreeNodes& out) {
  const auto node = static_cast<std::int32_t>(out.size());
  out.push_back({-1, -1, -1, program_.table().common_class(here)});
  const std::vector<int>& cost = program_.costs(here);
  const std::size_t all = cost.size() - 1;
  if (cost[all] == 0) return node;
  for (const auto& [feature, bits] : program_.cuts(here)) {
    const std::size_t rest = all ^ at(bits);
    if (rest == 0 || cost[all] != 1 + cost[at(bits)] + cost[rest]) continue;
    SpineExamples sides[2];
    for (std::size_t i = 0; i < here.size(); ++i) sides[bits >> i & 1].push_back(here[i]);
    const std::int32_t with = grow_small(sides[1], out), without = grow_small(sides[0], out);
    hang(out, node, feature, with, without);
    break;
  }
  return node;
}

}  // namespace dtfinder
