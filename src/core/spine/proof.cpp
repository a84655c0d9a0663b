// The text of a refutation. A line for each step of the search:
//   spine T g            the size refuted, and how large a group may be whose parts are listed
//   C d                  a section for each class of the leaf at the spine's end
//   K f e f e ..         a circle, a row named k0, k1 .. within the section
//   R row pi row pi ..   multipliers after which reduced costs settle columns
//   U f v, H f e v       a branch: group f is used (v = 1) or not, takes example e or not
//   L row pi row pi ..   a leaf: multipliers with a bound over T
// Multipliers are in units of 2^-20. Names inside the nested program of group f and class c begin
// with n{f}.{c}/.
#include <set>

#include "spine/search.hpp"

namespace dtfinder {

namespace {

class Writer {
 public:
  Writer(const SpineProgram& program, const std::int64_t* rows) : program_(program), rows_(rows) {}

  std::string prefix(int nest) const {
    const SpineNest& here = program_.nests()[static_cast<std::size_t>(nest)];
    if (here.parent < 0) return "";
    const SpineNest& outer = program_.nests()[static_cast<std::size_t>(here.parent)];
    return prefix(here.parent) + "n" +
           std::to_string(outer.groups[static_cast<std::size_t>(here.group)].feature) + "." +
           std::to_string(here.label) + "/";
  }
  std::string example(int e) const { return e < 0 ? "-1" : std::to_string(rows_[e]); }

  // Circles are numbered anew in every section.
  void number_circles(const std::set<int>& used) {
    number_.clear();
    for (int row : used) {
      const SpineRow& circle = program_.rows()[static_cast<std::size_t>(row)];
      number_.emplace(row, number_.size());
      text += "K";
      if (circle.nest > 0) text += " " + prefix(circle.nest);
      for (std::size_t i = 0; i < circle.name.size(); i += 2) {
        text += " " + std::to_string(circle.name[i]) + " " + example(circle.name[i + 1]);
      }
      text += "\n";
    }
  }
  void multipliers(char kind, const SpineSimplex::Multipliers& list) {
    text += kind;
    for (const auto& [row, pi] : list) text += " " + name(row) + " " + std::to_string(pi);
    text += "\n";
  }
  void branch(const SpineBranch& branch, bool answer) {
    const SpineNest& nest = program_.nests()[static_cast<std::size_t>(branch.nest)];
    const SpineGroup& group = nest.groups[static_cast<std::size_t>(branch.group)];
    text += branch.place < 0 ? "U " : "H ";
    text += prefix(branch.nest) + std::to_string(group.feature);
    if (branch.place >= 0) {
      text += " ";
      text += example(static_cast<int>(group.members[static_cast<std::size_t>(branch.place)]));
    }
    text += answer ? " 1\n" : " 0\n";
  }

  std::string text;

 private:
  std::string name(int index) const {
    const SpineRow& row = program_.rows()[static_cast<std::size_t>(index)];
    if (row.kind == 'k') return "k" + std::to_string(number_.at(index));
    std::string out = prefix(row.nest) + row.kind;
    auto part = [&](std::size_t i, bool is_example) {
      if (i > 0) out += ".";
      out += is_example ? example(row.name[i]) : std::to_string(row.name[i]);
    };
    // The last number of these names is an example; p has one only if it has three.
    const bool ends = row.kind == 'e' || row.kind == 'u' || row.kind == 't' ||
                      (row.kind == 'p' && row.name.size() == 3);
    for (std::size_t i = 0; i < row.name.size(); ++i) part(i, ends && i + 1 == row.name.size());
    return out;
  }

  const SpineProgram& program_;
  const std::int64_t* rows_;
  std::map<int, std::size_t> number_;
};

}  // namespace

std::string SpineSearch::proof(const std::int64_t* row_of_example) const {
  if (refuted_ < 0) return "";
  Writer out(program_, row_of_example);
  out.text = "spine " + std::to_string(refuted_) + " " + std::to_string(program_.largest()) + "\n";
  std::map<int, std::size_t> sections;  // by class, whatever order they were searched in
  for (std::size_t i = 0; i < refutation_.size(); ++i) {
    if (refutation_[i].kind == 'C') sections.emplace(refutation_[i].label, i);
  }
  for (const auto& [label, start] : sections) {
    std::size_t end = start + 1;
    std::set<int> circles;
    for (; end < refutation_.size() && refutation_[end].kind != 'C'; ++end) {
      for (const auto& [row, pi] : refutation_[end].multipliers) {
        if (program_.rows()[at(row)].kind == 'k') circles.insert(row);
      }
    }
    out.text += "C " + std::to_string(label) + "\n";
    out.number_circles(circles);
    for (std::size_t i = start + 1; i < end; ++i) {
      const Line& line = refutation_[i];
      if (line.kind == 'B') {
        out.branch(line.branch, line.answer);
      } else {
        out.multipliers(line.kind, line.multipliers);
      }
    }
  }
  return std::move(out.text);
}

}  // namespace dtfinder
