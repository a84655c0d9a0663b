#pragma once

#include <nanobind/nanobind.h>

namespace dtfinder::front {

void register_front(nanobind::module_& m);

}  // namespace dtfinder::front
