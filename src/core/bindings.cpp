// Registers the C++ core as the Python module dtfinder._core. Logic lives in the other files.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include "bits.hpp"
#include "class_feature.hpp"

namespace nb = nanobind;
using BoolMatrix = nb::ndarray<const bool, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using BoolVector = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

NB_MODULE(_core, m) {
  m.def(
      "find_class_feature",
      [](BoolMatrix bits, BoolVector positive) {
        return dtfinder::find_class_feature(bits.data(), positive.data(), bits.shape(0),
                                            bits.shape(1));
      },
      nb::arg("bits"), nb::arg("positive"));
}
