#include "front/front_run.hpp"

namespace dtfinder::front {

std::unique_ptr<Engine> make_engine(const RawWeights& table, const Goal& goal,
                                    const Switches& switches) {
  return std::make_unique<Run>(table, goal, switches);
}

}  // namespace dtfinder::front
