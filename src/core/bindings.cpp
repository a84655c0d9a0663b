// Registers the C++ core as the Python module dtfinder._core. Logic lives in the other files.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bits.hpp"
#include "class_feature.hpp"

namespace nb = nanobind;
using BoolMatrix = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using IntVector = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

NB_MODULE(_core, m) {
  m.def(
      "find_class_feature",
      [](BoolMatrix bits, IntVector labels) {
        if (bits.shape(0) != labels.shape(0)) throw nb::value_error("one label a row is needed");
        return dtfinder::find_class_feature(bits.data(), labels.data(), bits.shape(0),
                                            bits.shape(1));
      },
      nb::arg("bits"), nb::arg("labels"));
}
