// What both engines look like from Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <vector>

#include "shared/tree_nodes.hpp"

namespace dtfinder {

// The nodes of a tree, each as (feature, zero, one, label).
using NodeLists = std::vector<std::vector<int>>;
inline NodeLists nodes_of(const TreeNodes& tree) {
  NodeLists nodes;
  for (const auto& n : tree) nodes.push_back({n.feature, n.zero, n.one, n.label});
  return nodes;
}

// The class of an engine with what every engine offers: slices, facts to exchange, its state.
template <class Engine>
nanobind::class_<Engine> engine_class(nanobind::module_& m, const char* name) {
  namespace nb = nanobind;
  return nb::class_<Engine>(m, name)
      .def("run", &Engine::run, nb::arg("steps"), nb::call_guard<nb::gil_scoped_release>())
      .def("join", &Engine::join, nb::arg("other"))
      .def("share", &Engine::share, nb::arg("owner") = 0, nb::arg("owners") = 1)
      .def("write_facts", &Engine::write_facts, nb::arg("most"))
      .def("read_facts", &Engine::read_facts, nb::arg("text"))
      .def_prop_ro("started", [](const Engine& e) { return e.state().started; })
      .def_prop_ro("done", [](const Engine& e) { return e.state().done; })
      .def_prop_ro("infeasible", [](const Engine& e) { return e.state().infeasible; })
      .def_prop_ro("version", [](const Engine& e) { return e.state().version; })
      .def_prop_ro("steps", &Engine::steps)
      .def_prop_ro("bytes", &Engine::bytes);
}

}  // namespace dtfinder
