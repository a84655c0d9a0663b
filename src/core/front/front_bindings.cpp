// Registers the counting engine with the Python module dtfinder._core. Logic lives in the other
// files.
#include "front/front_bindings.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "engine_bindings.hpp"
#include "front/front_engine.hpp"

namespace nb = nanobind;
using BoolMatrix = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using IntMatrix = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

namespace dtfinder::front {
namespace {

std::unique_ptr<Engine> make_front_engine(BoolMatrix bits, IntMatrix weights, const Goal& goal,
                                          const Switches& switches) {
  if (bits.shape(0) != weights.shape(0))
    throw nb::value_error("one row of weights a row is needed");
  const RawWeights table{bits.data(), weights.data(), bits.shape(0), bits.shape(1),
                         weights.shape(1)};
  nb::gil_scoped_release release;
  return make_engine(table, goal, switches);
}

TreeNodes tree_of(const NodeLists& nodes) {
  TreeNodes tree;
  for (const auto& n : nodes) {
    if (n.size() != 4) throw nb::value_error("a node is (feature, zero, one, label)");
    tree.push_back({n[0], n[1], n[2], n[3]});
  }
  return tree;
}

std::vector<std::tuple<int, Value, Value>> points(const Engine& engine) {
  std::vector<std::tuple<int, Value, Value>> out;
  for (const Point& p : engine.state().points) out.emplace_back(p.inner, p.lower, p.upper);
  return out;
}

constexpr const char* kKinds[] = {"front", "errors", "size", "cost"};

std::string get_kind(const Goal& goal) { return kKinds[goal.kind]; }
void set_kind(Goal& goal, const std::string& name) {
  for (int kind = 0; kind < 4; ++kind) {
    if (name != kKinds[kind]) continue;
    goal.kind = static_cast<Goal::Kind>(kind);
    return;
  }
  throw nb::value_error("kind must be 'front', 'errors', 'size' or 'cost'");
}

}  // namespace

void register_front(nb::module_& m) {
  nb::class_<Goal>(m, "FrontGoal")
      .def(nb::init<>())
      .def_prop_rw("kind", &get_kind, &set_kind)
      .def_rw("depth_first", &Goal::depth_first)
      .def_rw("smallest", &Goal::smallest)
      .def_rw("cheapest", &Goal::cheapest)
      .def_rw("max_depth", &Goal::max_depth)
      .def_rw("max_inner", &Goal::max_inner)
      .def_rw("max_errors", &Goal::max_errors)
      .def_rw("error_price", &Goal::error_price)
      .def_rw("leaf_price", &Goal::leaf_price);
  nb::class_<Switches>(m, "FrontSwitches")
      .def(nb::init<>())
      .def_rw("cache", &Switches::cache)
      .def_rw("similar", &Switches::similar)
      .def_rw("siblings", &Switches::siblings)
      .def_rw("parents", &Switches::parents)
      .def_rw("triples", &Switches::triples)
      .def_rw("chains", &Switches::chains)
      .def_rw("improve", &Switches::improve)
      .def_rw("order", &Switches::order)
      .def_rw("proof", &Switches::proof)
      .def_rw("kernel", &Switches::kernel)
      .def_rw("kept", &Switches::kept)
      .def_rw("memory", &Switches::memory)
      .def_rw("patience", &Switches::patience)
      .def_rw("counts", &Switches::counts)
      .def_rw("dense", &Switches::dense);
  engine_class<Engine>(m, "FrontEngine")
      .def("raise_lower", &Engine::raise_lower, nb::arg("inner"), nb::arg("errors"))
      .def(
          "offer", [](Engine& engine, const NodeLists& nodes) { engine.offer(tree_of(nodes)); },
          nb::arg("tree"))
      .def("points", &points)
      .def(
          "proof",
          [](const Engine& engine, const std::vector<std::pair<int, Value>>& elsewhere) {
            std::vector<Shown> shown;
            for (const auto& [inner, errors] : elsewhere) shown.push_back({inner, errors});
            const std::optional<std::string> text = engine.proof(shown);
            return text ? std::optional(nb::bytes(text->data(), text->size())) : std::nullopt;
          },
          nb::arg("elsewhere") = std::vector<std::pair<int, Value>>{})
      .def_prop_ro("prices", &Engine::prices)
      .def(
          "tree", [](const Engine& engine, int inner) { return nodes_of(engine.tree(inner)); },
          nb::arg("inner"))
      .def("best_tree", [](const Engine& engine) { return nodes_of(engine.state().tree); })
      .def_prop_ro("errors", [](const Engine& e) { return e.state().best.errors; })
      .def_prop_ro("inner", [](const Engine& e) { return e.state().best.inner; })
      .def_prop_ro("depth", [](const Engine& e) { return e.state().best.depth; })
      .def_prop_ro("cost", [](const Engine& e) { return e.state().best.cost; })
      .def_prop_ro("errors_lower", [](const Engine& e) { return e.state().lower.errors; })
      .def_prop_ro("inner_lower", [](const Engine& e) { return e.state().lower.inner; })
      .def_prop_ro("depth_lower", [](const Engine& e) { return e.state().lower.depth; })
      .def_prop_ro("cost_lower", [](const Engine& e) { return e.state().lower.cost; });
  m.def("make_front_engine", &make_front_engine, nb::arg("bits"), nb::arg("weights"),
        nb::arg("goal"), nb::arg("switches"));
  m.attr("UNLIMITED") = kUnlimited;
}

}  // namespace dtfinder::front
