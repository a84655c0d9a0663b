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
  Writer(const SpineProgram& program, const SpineCases& cases, int own, const std::int64_t* rows)
      : program_(program), cases_(cases), own_(own), rows_(rows) {}

  // All below a class. Circles are numbered anew in every section.
  void section(const SpineCase& at) {
    std::set<int> circles;
    each(at, [&](const SpineCase& here, bool) {
      for (const auto* multipliers : {&here.reason, &here.leaf}) {
        for (const auto& [row, pi] : *multipliers) {
          if (row >= own_) circles.insert(row);
        }
      }
    });
    number_circles(circles);
    each(at, [&](const SpineCase& here, bool answer) {
      if (here.parent) branch(here.parent->choice->branch, answer);
      if (!here.reason.empty()) multipliers('R', here.reason);
      if (!here.leaf.empty()) multipliers('L', here.leaf);
    });
  }

  std::string text;

 private:
  // Every case with its answer to the branch above it, in the order of the search; but not what is
  // below a case that is closed by itself.
  template <class Go>
  static void each(const SpineCase& from, Go&& go) {
    std::vector<std::pair<const SpineCase*, bool>> todo{{&from, false}};
    while (!todo.empty()) {
      const auto [at, answer] = todo.back();
      todo.pop_back();
      go(*at, answer);
      if (!at->leaf.empty()) continue;
      for (const bool next : {!at->choice->first, at->choice->first}) {
        todo.emplace_back(at->answers[next].get(), next);
      }
    }
  }
  std::string prefix(int nest) const {
    const SpineNest& here = program_.nests()[static_cast<std::size_t>(nest)];
    if (here.parent < 0) return "";
    const SpineNest& outer = program_.nests()[static_cast<std::size_t>(here.parent)];
    return prefix(here.parent) + "n" +
           std::to_string(outer.groups[static_cast<std::size_t>(here.group)].feature) + "." +
           std::to_string(here.label) + "/";
  }
  std::string example(int e) const { return e < 0 ? "-1" : std::to_string(rows_[e]); }
  void number_circles(const std::set<int>& used) {
    number_.clear();
    for (int row : used) {
      const auto [nest, names] = cases_.circle(row - own_);
      number_.emplace(row, number_.size());
      text += "K";
      if (nest > 0) text += " " + prefix(nest);
      for (std::size_t i = 0; i < names.size(); i += 2) {
        text += " " + std::to_string(names[i]) + " " + example(names[i + 1]);
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
  std::string name(int index) const {
    if (index >= own_) return "k" + std::to_string(number_.at(index));
    const SpineRow& row = program_.rows()[static_cast<std::size_t>(index)];
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
  const SpineCases& cases_;
  int own_;  // rows that are not circles
  const std::int64_t* rows_;
  std::map<int, std::size_t> number_;
};

}  // namespace

std::string SpineSearch::proof(const std::int64_t* row_of_example) const {
  const std::shared_ptr<const SpineQuestion> question = cases_->refutation();
  if (!question) return "";
  Writer out(program_, *cases_, circles_.own, row_of_example);
  out.text =
      "spine " + std::to_string(question->most) + " " + std::to_string(program_.largest()) + "\n";
  for (const auto& [label, at] : question->classes) {
    out.text += "C " + std::to_string(label) + "\n";
    out.section(at);
  }
  return std::move(out.text);
}

}  // namespace dtfinder
