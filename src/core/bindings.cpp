// Registers the engines as the Python module dtfinder._core. Logic lives in the other files.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "cubes/cubes_bindings.hpp"
#include "engine_bindings.hpp"
#include "exact/engine.hpp"
#include "exact/questions.hpp"
#include "front/front_bindings.hpp"
#include "spine/spine.hpp"

namespace nb = nanobind;
using BoolMatrix = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using IntVector = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using dtfinder::Engine;
using dtfinder::EngineSwitches;
using dtfinder::Goal;
using dtfinder::nodes_of;
using dtfinder::Questions;
using dtfinder::Spine;

namespace {

// The table of `bits` and `labels`, which with `allowed` stand for its rows, sets of classes.
dtfinder::RawTable raw_table(const BoolMatrix& bits, const IntVector& labels,
                             const std::optional<BoolMatrix>& allowed) {
  if (bits.shape(0) != labels.shape(0)) throw nb::value_error("one label per row is needed");
  dtfinder::RawTable table{bits.data(), labels.data(), bits.shape(0), bits.shape(1)};
  if (!allowed) return table;
  table.allowed = allowed->data();
  table.label_count = allowed->shape(0);
  table.class_count = allowed->shape(1);
  for (std::size_t e = 0; e < table.rows; ++e) {
    const auto label = static_cast<std::size_t>(labels(e));
    if (label >= table.label_count) throw nb::value_error("a label has no set of classes");
  }
  return table;
}

std::unique_ptr<Engine> make_engine(BoolMatrix bits, IntVector labels, const Goal& goal,
                                    const EngineSwitches& switches,
                                    std::optional<BoolMatrix> allowed) {
  const dtfinder::RawTable table = raw_table(bits, labels, allowed);
  if (table.rows == 0) throw nb::value_error("at least one row is needed");
  nb::gil_scoped_release release;
  return dtfinder::make_engine(table, goal, switches);
}

std::unique_ptr<Questions> make_questions(BoolMatrix bits, IntVector labels, int max_limit,
                                          std::size_t memory, bool proof,
                                          std::optional<BoolMatrix> allowed) {
  const dtfinder::RawTable table = raw_table(bits, labels, allowed);
  nb::gil_scoped_release release;
  return dtfinder::make_questions(table, max_limit, memory, proof);
}

nb::bytes bytes_of(const std::string& text) { return nb::bytes(text.data(), text.size()); }

nb::bytes lemma_text(const Engine& engine, IntVector row_of_example) {
  return bytes_of(dtfinder::lemma_text(engine.lemmas(), row_of_example.data()));
}

nb::bytes spine_text(const Engine& engine, IntVector row_of_example) {
  return bytes_of(engine.spine_proof(row_of_example.data()));
}

void register_engine(nb::module_& m) {
  nb::class_<Goal>(m, "Goal")
      .def(nb::init<>())
      .def_rw("depth_first", &Goal::depth_first)
      .def_rw("max_depth", &Goal::max_depth)
      .def_rw("max_inner", &Goal::max_inner);
  nb::class_<EngineSwitches>(m, "Switches")
      .def(nb::init<>())
      .def_rw("cache", &EngineSwitches::cache)
      .def_rw("store", &EngineSwitches::store)
      .def_rw("parts", &EngineSwitches::parts)
      .def_rw("apart", &EngineSwitches::apart)
      .def_rw("apart_after", &EngineSwitches::apart_after)
      .def_rw("cuts", &EngineSwitches::cuts)
      .def_rw("paths", &EngineSwitches::paths)
      .def_rw("least_path", &EngineSwitches::least_path)
      .def_rw("folds", &EngineSwitches::folds)
      .def_rw("least_fold", &EngineSwitches::least_fold)
      .def_rw("folds_after", &EngineSwitches::folds_after)
      .def_rw("gain_order", &EngineSwitches::gain_order)
      .def_rw("spine", &EngineSwitches::spine)
      .def_rw("ground_after", &EngineSwitches::ground_after)
      .def_rw("spine_after", &EngineSwitches::spine_after)
      .def_rw("improve", &EngineSwitches::improve)
      .def_rw("proof", &EngineSwitches::proof)
      .def_rw("any_width", &EngineSwitches::any_width)
      .def_rw("shallow", &EngineSwitches::shallow)
      .def_rw("shrink_up_to", &EngineSwitches::shrink_up_to)
      .def_rw("slots", &EngineSwitches::slots)
      .def_rw("memory", &EngineSwitches::memory);
  dtfinder::engine_class<Engine>(m, "Engine")
      .def("write_lemmas", &Engine::write_lemmas)
      .def("tree", [](const Engine& engine) { return nodes_of(engine.state().tree); })
      .def("lemma_text", &lemma_text, nb::arg("row_of_example"))
      .def("spine_text", &spine_text, nb::arg("row_of_example"))
      .def_prop_ro("lower", [](const Engine& e) { return e.state().lower; })
      .def_prop_ro("depth_lower", [](const Engine& e) { return e.state().depth_lower; });
  m.def("make_engine", &make_engine, nb::arg("bits"), nb::arg("labels"), nb::arg("goal"),
        nb::arg("switches"), nb::arg("allowed") = nb::none());
}

// Lemmas as text, and the lines of those that were asked for.
std::pair<nb::bytes, std::vector<dtfinder::LemmaId>> lemmas_of(
    const Questions& questions, const std::vector<dtfinder::LemmaId>& goals,
    IntVector row_of_example) {
  const auto [lemmas, places] = questions.lemmas(goals);
  const std::string text = dtfinder::lemma_text(lemmas, row_of_example.data());
  return {nb::bytes(text.data(), text.size()), places};
}

void register_questions(nb::module_& m) {
  m.attr("NO_LIMIT") = dtfinder::kNoLimit;
  nb::class_<Questions>(m, "Questions")
      .def("ask", &Questions::ask, nb::arg("examples"), nb::arg("bound"), nb::arg("limit"),
           nb::arg("depth"))
      .def("run", &Questions::run, nb::arg("steps"), nb::call_guard<nb::gil_scoped_release>())
      .def("core", &Questions::core)
      .def_prop_ro("lemma",
                   [](const Questions& questions) {
                     const dtfinder::LemmaId found = questions.lemma();
                     return found == dtfinder::kNoLemma ? std::optional<dtfinder::LemmaId>{}
                                                        : std::optional(found);
                   })
      .def("lemmas", &lemmas_of, nb::arg("goals"), nb::arg("row_of_example"))
      .def_prop_ro("lemma_bytes", &Questions::lemma_bytes)
      .def_prop_ro("steps", &Questions::steps);
  m.def("make_questions", &make_questions, nb::arg("bits"), nb::arg("labels"), nb::arg("max_limit"),
        nb::arg("memory"), nb::arg("proof") = false, nb::arg("allowed") = nb::none());
}

dtfinder::SpineTable spine_table(const BoolMatrix& bits, const IntVector& labels,
                                 const std::optional<BoolMatrix>& allowed) {
  if (bits.shape(0) != labels.shape(0)) throw nb::value_error("one label per row is needed");
  auto table = dtfinder::SpineTable::of(
      bits.shape(0), bits.shape(1), [&](std::size_t e) { return static_cast<int>(labels(e)); },
      [&](std::size_t e, std::size_t f) { return bits(e, f); });
  if (allowed) {
    table.classes = static_cast<int>(allowed->shape(1));
    table.sets.assign(allowed->data(), allowed->data() + allowed->size());
  }
  return table;
}

std::unique_ptr<Spine> make_spine(BoolMatrix bits, IntVector labels, int largest,
                                  std::optional<BoolMatrix> allowed) {
  return std::make_unique<Spine>(spine_table(bits, labels, allowed), Spine::make_cases(true),
                                 largest);
}

// The answer to the question that was asked, if it is found within `steps` more steps.
std::optional<bool> run_spine(Spine& spine, std::uint64_t steps) {
  switch (spine.run(steps)) {
    case Spine::Status::kNone:
      return false;
    case Spine::Status::kTree:
      return true;
    case Spine::Status::kGaveUp:
      throw std::runtime_error("the linear program gave up");
    default:
      return std::nullopt;
  }
}

bool suits_spine(BoolMatrix bits, IntVector labels, std::optional<BoolMatrix> allowed) {
  return Spine::suits(spine_table(bits, labels, allowed));
}

void register_spine(nb::module_& m) {
  nb::class_<Spine>(m, "Spine")
      .def("ask", &Spine::ask, nb::arg("most"))
      .def("run", &run_spine, nb::arg("steps"), nb::call_guard<nb::gil_scoped_release>())
      .def("tree", [](const Spine& spine) { return nodes_of(spine.tree()); })
      .def(
          "proof",
          [](const Spine& spine, IntVector row_of_example) {
            return bytes_of(spine.proof(row_of_example.data()));
          },
          nb::arg("row_of_example"));
  m.def("suits_spine", &suits_spine, nb::arg("bits"), nb::arg("labels"),
        nb::arg("allowed") = nb::none());
  m.def("make_spine", &make_spine, nb::arg("bits"), nb::arg("labels"), nb::arg("largest"),
        nb::arg("allowed") = nb::none());
}

}  // namespace

NB_MODULE(_core, m) {
  register_engine(m);
  register_questions(m);
  register_spine(m);
  dtfinder::front::register_front(m);
  dtfinder::cubes::register_cubes(m);
}
