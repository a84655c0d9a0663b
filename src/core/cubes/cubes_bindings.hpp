#pragma once

#include <nanobind/nanobind.h>

namespace dtfinder::cubes {

void register_cubes(nanobind::module_& m);

}  // namespace dtfinder::cubes
