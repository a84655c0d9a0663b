#include "spine/program.hpp"

namespace dtfinder {

namespace {
constexpr int kNever = 1000;  // the price of a set that no tree classifies
}

std::vector<SpineExamples> SpineProgram::orient(const SpineTable& table,
                                                std::vector<bool>* turned) {
  std::vector<SpineExamples> oriented = table.examples_of;
  if (turned) turned->assign(oriented.size(), false);
  for (std::size_t f = 0; f < oriented.size(); ++f) {
    if (2 * oriented[f].size() <= table.labels.size()) continue;
    SpineExamples rest;
    std::size_t next = 0;
    for (std::uint32_t e = 0; e < table.labels.size(); ++e) {
      if (next < oriented[f].size() && oriented[f][next] == e) {
        ++next;
      } else {
        rest.push_back(e);
      }
    }
    oriented[f] = std::move(rest);
    if (turned) (*turned)[f] = true;
  }
  return oriented;
}

std::map<SpineExamples, int> SpineProgram::groups_in(const std::vector<SpineExamples>& oriented,
                                                     const SpineExamples& universe, bool top) {
  std::map<SpineExamples, int> groups;
  for (std::size_t f = 0; f < oriented.size(); ++f) {
    SpineExamples part;
    std::set_intersection(oriented[f].begin(), oriented[f].end(), universe.begin(), universe.end(),
                          std::back_inserter(part));
    if (part.empty() || (!top && part.size() == universe.size())) continue;
    groups.emplace(std::move(part), static_cast<int>(f));
  }
  return groups;
}

std::size_t SpineProgram::count_columns(const SpineTable& table, int largest, std::size_t limit) {
  const std::vector<SpineExamples> oriented = orient(table, nullptr);
  std::size_t columns = 0;
  std::vector<std::pair<SpineExamples, std::size_t>> todo(1);  // universe, how many such programs
  for (std::uint32_t e = 0; e < table.labels.size(); ++e) todo[0].first.push_back(e);
  todo[0].second = 1;
  const auto classes = static_cast<std::size_t>(table.classes);
  for (bool top = true; !todo.empty() && columns <= limit; top = false) {
    const auto [universe, times] = std::move(todo.back());
    todo.pop_back();
    for (const auto& [members, feature] : groups_in(oriented, universe, top)) {
      if (members.size() <= static_cast<std::size_t>(largest)) {
        columns += times * ((std::size_t{1} << members.size()) - 1);
      } else {
        columns += times * (1 + classes * (members.size() + 1));
        todo.emplace_back(members, times * classes);
      }
    }
  }
  return columns;
}

SpineProgram::SpineProgram(const SpineTable& table, int largest)
    : table_(table), largest_(largest), oriented_(orient(table, &turned_)) {
  features_of_.resize(table_.labels.size());
  for (std::size_t f = 0; f < oriented_.size(); ++f) {
    for (std::uint32_t e : oriented_[f]) features_of_[e].push_back(static_cast<int>(f));
  }
  SpineNest top{-1, -1, -1, -1, {}, {}, {}, {}, {}};
  for (std::uint32_t e = 0; e < table_.labels.size(); ++e) top.universe.push_back(e);
  top.present.assign(top.universe.size(), -1);
  add_nest(std::move(top));
  add_pair_rows();
}

std::size_t SpineProgram::bytes() const {
  std::size_t terms = 0;
  for (const SpineRow& row : rows_) terms += row.terms.size();
  return 2 * terms * sizeof(SpineTerm) + rows_.size() * sizeof(SpineRow) +
         columns_.size() * (sizeof(std::vector<SpineTerm>) + sizeof(int));
}

int SpineProgram::add_column(int price) {
  prices_.push_back(price);
  columns_.emplace_back();
  return static_cast<int>(prices_.size()) - 1;
}

int SpineProgram::add_row(std::vector<SpineTerm> terms, int most, bool equation, char kind,
                          int nest, std::vector<int> name) {
  std::sort(terms.begin(), terms.end(),
            [](const SpineTerm& a, const SpineTerm& b) { return a.at < b.at; });
  SpineRow row{{}, most, 0, equation, kind, nest, std::move(name)};
  for (std::size_t i = 0; i < terms.size();) {
    SpineTerm sum{terms[i].at, 0};
    for (; i < terms.size() && terms[i].at == sum.at; ++i) sum.factor += terms[i].factor;
    if (sum.factor != 0) row.terms.push_back(sum);
  }
  const int index = static_cast<int>(rows_.size());
  for (const SpineTerm& term : row.terms) {
    row.least += std::min(term.factor, 0);
    columns_[at(term.at)].push_back({index, term.factor});
  }
  rows_.push_back(std::move(row));
  return index;
}

int SpineProgram::add_nest(SpineNest nest) {
  const int index = static_cast<int>(nests_.size());
  nests_.emplace_back();  // nested ones come after it
  for (const auto& [members, feature] : groups_in(oriented_, nest.universe, index == 0)) {
    add_group(nest, index, feature, members);
  }
  std::vector<int> place_of(table_.labels.size(), -1);
  for (std::size_t i = 0; i < nest.universe.size(); ++i) {
    place_of[nest.universe[i]] = static_cast<int>(i);
  }
  nest.meetings.resize(nest.universe.size());
  for (std::size_t g = 0; g < nest.groups.size(); ++g) {
    for (int i = 0; i < nest.groups[g].size(); ++i) {
      nest.meetings[at(place_of[nest.groups[g].members[at(i)]])].push_back(
          {static_cast<int>(g), i});
    }
  }
  add_sums(nest, index);
  add_hung_off(nest, index);
  nests_[at(index)] = std::move(nest);
  return index;
}

// The rows y and e.
void SpineProgram::add_sums(SpineNest& nest, int index) {
  for (SpineGroup& group : nest.groups) {
    std::vector<SpineTerm> terms;
    each_use(group, [&](int j) { terms.push_back({j, 1}); });
    if (nest.on >= 0) terms.push_back({nest.on, -1});
    group.use_row = add_row(terms, nest.on < 0 ? 1 : 0, false, 'y', index, {group.feature});
  }
  for (std::size_t i = 0; i < nest.universe.size(); ++i) {
    std::vector<SpineTerm> terms;
    for (const SpineMeeting& meeting : nest.meetings[i]) {
      each_take(nest.groups[at(meeting.group)], meeting.place,
                [&](int j) { terms.push_back({j, 1}); });
    }
    const int e = static_cast<int>(nest.universe[i]);
    if (nest.on >= 0) terms.push_back({nest.present[i], -1});
    const bool must = nest.on >= 0 && !table_.allows(nest.universe[i], nest.label);
    nest.example_row.push_back(add_row(terms, nest.on < 0 ? 1 : 0, must, 'e', index, {e}));
  }
}

// The rows u.
void SpineProgram::add_hung_off(const SpineNest& nest, int index) {
  for (std::size_t i = 0; i < nest.universe.size(); ++i) {
    std::vector<SpineTerm> take;
    for (const SpineMeeting& meeting : nest.meetings[i]) {
      each_take(nest.groups[at(meeting.group)], meeting.place,
                [&](int j) { take.push_back({j, -1}); });
    }
    if (nest.on >= 0) {
      take.push_back({nest.present[i], 1});
      take.push_back({nest.on, -1});
    }
    for (const SpineMeeting& meeting : nest.meetings[i]) {
      const SpineGroup& group = nest.groups[at(meeting.group)];
      std::vector<SpineTerm> terms = take;
      each_use(group, [&](int j) { terms.push_back({j, 1}); });
      add_row(std::move(terms), 0, false, 'u', index,
              {group.feature, static_cast<int>(nest.universe[i])});
    }
  }
}

void SpineProgram::add_group(SpineNest& nest, int index, int feature,
                             const SpineExamples& members) {
  SpineGroup group{feature, members, members.size() > at(largest_), 0, {}};
  const int place = static_cast<int>(nest.groups.size());
  if (group.large) {
    add_large(group, index, place);
  } else {
    add_small(group);
  }
  nest.groups.push_back(std::move(group));
}

void SpineProgram::add_small(SpineGroup& group) {
  const std::vector<int>& costs_here = costs(group.members);
  group.first = static_cast<int>(prices_.size());
  for (std::size_t b = 1; b < costs_here.size(); ++b) add_column(1 + costs_here[b]);
}

void SpineProgram::add_large(SpineGroup& group, int nest, int index) {
  group.first = add_column(1);
  std::vector<SpineTerm> parts{{group.first, 1}};
  for (int c = 0; c < table_.classes; ++c) {
    parts.push_back({add_column(0), -1});
    for (int i = 0; i < group.size(); ++i) add_column(0);
  }
  for (int c = 0; c < table_.classes; ++c) {
    SpineNest inner{nest, index, c, group.whole(c), group.members, {}, {}, {}, {}};
    for (int i = 0; i < group.size(); ++i) {
      inner.present.push_back(group.part(c, i));
      add_row({{group.part(c, i), 1}, {group.whole(c), -1}}, 0, false, 't', nest,
              {group.feature, c, static_cast<int>(group.members[at(i)])});
    }
    group.inside.push_back(add_nest(std::move(inner)));
  }
  add_row(std::move(parts), 0, true, 's', nest, {group.feature});
}

void SpineProgram::add_pair_rows() {
  const std::vector<SpineGroup>& groups = nests_[0].groups;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = i + 1; j < groups.size(); ++j) add_pair(groups[i], groups[j]);
  }
}

void SpineProgram::add_pair(const SpineGroup& f, const SpineGroup& g) {
  SpineExamples both;
  std::set_intersection(f.members.begin(), f.members.end(), g.members.begin(), g.members.end(),
                        std::back_inserter(both));
  if (both.empty()) return;
  if (!f.large && !g.large) both.resize(1);  // one row serves them all
  for (std::uint32_t e : both) {
    std::vector<SpineTerm> terms;
    auto side = [&](const SpineGroup& group, const SpineGroup& other) {
      auto put = [&](int j) { terms.push_back({j, 1}); };
      if (group.large) {
        const auto found = std::lower_bound(group.members.begin(), group.members.end(), e);
        each_take(group, static_cast<int>(found - group.members.begin()), put);
      } else {
        each_meeting(group, static_cast<int>(shared(group, other)), put);
      }
    };
    side(f, g);
    side(g, f);
    std::vector<int> name{f.feature, g.feature};
    if (f.large || g.large) name.push_back(static_cast<int>(e));
    add_row(std::move(terms), 1, false, 'p', 0, std::move(name));
  }
}

void SpineProgram::settle(const SpineBranch& branch, bool answer, std::vector<int>& columns,
                          std::vector<int>& rows) const {
  const SpineNest& nest = nests_[at(branch.nest)];
  const SpineGroup& group = nest.groups[at(branch.group)];
  auto drop = [&](int j) { columns.push_back(j); };
  if (!answer) {
    if (branch.place >= 0) return each_take(group, branch.place, drop);
    each_use(group, drop);
    for (int c = 0; group.large && c < table_.classes; ++c) {
      for (int i = -1; i < group.size(); ++i) drop(group.part(c, i));
    }
    return;
  }
  if (branch.place < 0) {
    rows.push_back(group.use_row);
  } else {
    settle_take(branch, columns, rows);
  }
  if (nest.parent < 0) return;
  // Inside a large group: that group is used too, with this class, and has the example.
  const SpineGroup& outer = nests_[at(nest.parent)].groups[at(nest.group)];
  for (int c = 0; c < table_.classes; ++c) {
    for (int i = -1; c != nest.label && i < outer.size(); ++i) drop(outer.part(c, i));
  }
  int place = -1;
  if (branch.place >= 0) {
    const auto found = std::lower_bound(outer.members.begin(), outer.members.end(),
                                        group.members[at(branch.place)]);
    place = static_cast<int>(found - outer.members.begin());
  }
  settle({nest.parent, nest.group, place}, true, columns, rows);
}

// The group takes the example: no other does, and it takes no part without it.
void SpineProgram::settle_take(const SpineBranch& branch, std::vector<int>& columns,
                               std::vector<int>& rows) const {
  const SpineNest& nest = nests_[at(branch.nest)];
  const SpineGroup& group = nest.groups[at(branch.group)];
  auto drop = [&](int j) { columns.push_back(j); };
  const std::uint32_t e = group.members[at(branch.place)];
  const auto found = std::lower_bound(nest.universe.begin(), nest.universe.end(), e);
  const auto where = static_cast<std::size_t>(found - nest.universe.begin());
  rows.push_back(nest.example_row[where]);
  for (const SpineMeeting& meeting : nest.meetings[where]) {
    if (meeting.group == branch.group) continue;
    const SpineGroup& other = nest.groups[at(meeting.group)];
    each_take(other, meeting.place, drop);
  }
  for (int b = 1; !group.large && b < 1 << group.size(); ++b) {
    if (!(b >> branch.place & 1)) drop(group.first + b - 1);
  }
}

std::vector<std::pair<int, int>> SpineProgram::cuts(const SpineExamples& members) const {
  std::map<int, int> part_of;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (int f : features_of_[members[i]]) part_of[f] |= 1 << i;
  }
  std::vector<std::pair<int, int>> cuts;
  std::set<int> seen;
  for (const auto& [feature, part] : part_of) {
    if (seen.insert(part).second) cuts.emplace_back(feature, part);
  }
  return cuts;
}

const std::vector<int>& SpineProgram::costs(const SpineExamples& members) {
  auto [found, fresh] = costs_.try_emplace(members);
  std::vector<int>& cost = found->second;
  if (!fresh) return cost;
  const auto parts = cuts(members);
  std::map<int, int> of_class;
  for (std::size_t i = 0; i < members.size(); ++i) {
    for (int c = 0; c < table_.classes; ++c) {
      if (table_.allows(members[i], c)) of_class[c] |= 1 << i;
    }
  }
  cost.assign(std::size_t{1} << members.size(), kNever);
  for (int b = 0; b < 1 << members.size(); ++b) {
    bool pure = false;
    for (const auto& [label, mask] : of_class) pure |= (b & ~mask) == 0;
    int best = pure ? 0 : kNever;
    for (std::size_t i = 0; i < parts.size() && best > 1; ++i) {
      const int one = b & parts[i].second;
      if (one != 0 && one != b) best = std::min(best, 1 + cost[at(one)] + cost[at(b ^ one)]);
    }
    cost[at(b)] = best;
  }
  return cost;
}

}  // namespace dtfinder
