// Registers the counting cubes with the Python module dtfinder._core. Logic lives in the other
// files.
#include "cubes/cubes_bindings.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>

#include "cubes/count.hpp"
#include "cubes/search.hpp"

namespace nb = nanobind;

namespace dtfinder::cubes {
namespace {

template <class Code>
using CodeMatrix = nb::ndarray<const Code, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Labels = nb::ndarray<const std::uint16_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Weights = nb::ndarray<const Count, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Raw = nb::ndarray<nb::numpy, Count, nb::ndim<1>, nb::c_contig>;

void make_layout(Layout* out, const std::vector<std::tuple<int, bool, int, int>>& columns,
                 int classes, int depth) {
  std::vector<Column> made;
  for (const auto& [levels, ordered, first, questions] : columns)
    made.push_back({levels, ordered, first, questions});
  new (out) Layout(std::move(made), classes, depth);
}

template <class Code>
void add(Counts& counts, const Layout& layout, CodeMatrix<Code> codes, Labels labels,
         std::optional<Weights> weights) {
  const std::size_t rows = labels.shape(0);
  if (codes.shape(0) + 2 != layout.columns.size() || codes.shape(1) != rows ||
      (weights && weights->shape(0) != rows))
    throw nb::value_error("codes are columns × rows, with a class and perhaps a weight per row");
  const Block<Code> block{codes.data(), labels.data(), weights ? weights->data() : nullptr, rows};
  nb::gil_scoped_release release;
  counts.add(block);
}

// All that is found: the counts of the pairs, and once all cubes are in, the trees.
struct Search {
  explicit Search(const Layout& layout) : pairs(layout) {}
  void take(Counts& counts) {
    if (counts.begin() != next) throw std::invalid_argument("cubes must come in order");
    for (std::size_t t = next; t < counts.end(); ++t)
      pairs.take(counts.cube(t), pairs.layout().triples[t]);
    next = counts.end();
  }
  const Trees& found(int depth, int inner) {
    if (next != pairs.layout().triples.size()) throw std::invalid_argument("cubes are missing");
    if (depth < 0 || depth > pairs.layout().depth || inner < 0 || inner > kMostInner)
      throw std::invalid_argument("the cubes are not for trees of this depth and size");
    if (!trees) trees.emplace(pairs);
    return *trees;
  }
  Pairs pairs;
  std::size_t next = 0;
  std::optional<Trees> trees;
};

std::vector<std::vector<int>> tree_of(Search& search, int depth, int inner) {
  std::vector<std::vector<int>> nodes;
  for (const auto& n : search.found(depth, inner).tree(depth, inner))
    nodes.push_back({n.feature, n.zero, n.one, n.label});
  return nodes;
}

}  // namespace

void register_cubes(nb::module_& m) {
  nb::class_<Layout>(m, "CubeLayout")
      .def("__init__", &make_layout, nb::arg("columns"), nb::arg("classes"), nb::arg("depth"))
      .def("fitting", &Layout::fitting, nb::arg("begin"), nb::arg("counts"))
      .def_prop_ro("triples", [](const Layout& layout) { return layout.triples.size(); })
      .def_prop_ro("cells",
                   [](const Layout& layout) {
                     std::size_t sum = 0;
                     for (const Triple& t : layout.triples) sum += layout.cells(t);
                     return sum;
                   })
      .def_ro("features", &Layout::features);
  nb::class_<Counts>(m, "CubeCounts")
      .def(nb::init<const Layout&, std::size_t, std::size_t>(), nb::arg("layout"), nb::arg("begin"),
           nb::arg("end"), nb::keep_alive<1, 2>())
      .def("add", &add<std::uint8_t>, nb::arg("layout"), nb::arg("codes"), nb::arg("labels"),
           nb::arg("weights").none())
      .def("add", &add<std::uint16_t>, nb::arg("layout"), nb::arg("codes"), nb::arg("labels"),
           nb::arg("weights").none())
      .def("merge", &Counts::merge, nb::arg("other"), nb::call_guard<nb::gil_scoped_release>())
      .def(
          "array", [](Counts& counts) { return Raw(counts.data(), {counts.size()}, nb::handle()); },
          nb::rv_policy::reference_internal);
  nb::class_<Search>(m, "CubeSearch")
      .def(nb::init<const Layout&>(), nb::arg("layout"), nb::keep_alive<1, 2>())
      .def("take", &Search::take, nb::arg("counts"), nb::call_guard<nb::gil_scoped_release>())
      .def(
          "errors",
          [](Search& s, int depth, int inner) {
            return s.found(depth, inner).errors(depth, inner);
          },
          nb::arg("depth"), nb::arg("inner"), nb::call_guard<nb::gil_scoped_release>())
      .def("tree", &tree_of, nb::arg("depth"), nb::arg("inner"));
}

}  // namespace dtfinder::cubes
