// Registers the compiled checker of lemmas, and what makes proofs shorter, as the Python module
// dtfinder._check, which has nothing in common with the engine.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>

#include "check/check_errors.hpp"
#include "check/check_lemmas.hpp"
#include "check/trim_lemmas.hpp"
#include "check/trim_lrat.hpp"

namespace nb = nanobind;
using BoolMatrix = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using IntVector = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using IntMatrix = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using dtfinder::ErrorChecker;
using dtfinder::LemmaChecker;
using dtfinder::LemmaTrimmer;

NB_MODULE(_check, m) {
  m.attr("INFINITE") = LemmaChecker::kInfinite;
  m.def(
      "check_lemmas",
      [](BoolMatrix bits, IntVector labels, IntVector example_of_row, nb::bytes text,
         std::optional<BoolMatrix> allowed) {
        if (bits.shape(0) != labels.shape(0)) throw nb::value_error("one label per row is needed");
        nb::gil_scoped_release release;
        LemmaChecker checker(bits.data(), labels.data(), bits.shape(0), bits.shape(1),
                             example_of_row.data(), example_of_row.shape(0),
                             allowed ? allowed->data() : nullptr, allowed ? allowed->shape(0) : 0,
                             allowed ? allowed->shape(1) : 0);
        checker.check({text.c_str(), text.size()});
        return checker.best();
      },
      nb::arg("bits"), nb::arg("labels"), nb::arg("example_of_row"), nb::arg("text"),
      nb::arg("allowed") = nb::none());
  m.def(
      "check_errors",
      [](BoolMatrix bits, IntMatrix weights, IntVector example_of_row, std::int64_t error_price,
         std::int64_t inner_price, nb::bytes text, int kernel) {
        if (bits.shape(0) != weights.shape(0)) throw nb::value_error("a row has no weights");
        nb::gil_scoped_release release;
        ErrorChecker checker(bits.data(), weights.data(), bits.shape(0), bits.shape(1),
                             weights.shape(1), example_of_row.data(), example_of_row.shape(0),
                             error_price, inner_price, kernel);
        checker.check({text.c_str(), text.size()});
        return checker.best();
      },
      nb::arg("bits"), nb::arg("weights"), nb::arg("example_of_row"), nb::arg("error_price"),
      nb::arg("inner_price"), nb::arg("text"), nb::arg("kernel") = 2);
  m.def(
      "trim_lemmas",
      [](BoolMatrix bits, IntVector labels, IntVector example_of_row, IntVector row_of_example,
         nb::bytes text, std::optional<BoolMatrix> allowed) {
        if (bits.shape(0) != labels.shape(0) || bits.shape(0) != row_of_example.shape(0)) {
          throw nb::value_error("one label and one row per example are needed");
        }
        const bool* sets = allowed ? allowed->data() : nullptr;
        const std::size_t kinds = allowed ? allowed->shape(0) : 0;
        const std::size_t classes = allowed ? allowed->shape(1) : 0;
        LemmaChecker checker(bits.data(), labels.data(), bits.shape(0), bits.shape(1),
                             example_of_row.data(), example_of_row.shape(0), sets, kinds, classes);
        LemmaTrimmer trimmer(bits.data(), labels.data(), bits.shape(0), bits.shape(1),
                             {example_of_row.data(), example_of_row.shape(0)},
                             row_of_example.data(), sets, classes);
        const std::string made = trimmer.trimmed({text.c_str(), text.size()});
        checker.check(made);
        return nb::bytes(made.data(), made.size());
      },
      nb::arg("bits"), nb::arg("labels"), nb::arg("example_of_row"), nb::arg("row_of_example"),
      nb::arg("text"), nb::arg("allowed") = nb::none());
  m.def(
      "trim_lrat",
      [](nb::bytes proof, std::uint64_t inputs) {
        nb::list pieces;
        const auto take = [&](std::string_view text) {
          pieces.append(nb::bytes(text.data(), text.size()));
        };
        dtfinder::LratTrimmer().trim({proof.c_str(), proof.size()}, inputs, take);
        return pieces;
      },
      nb::arg("proof"), nb::arg("inputs"));
}
