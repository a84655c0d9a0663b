// One engine per width of example sets: 1, 2, 4, 8 and 16 words are compiled in, 0 stands for any.
// The widths are split over two files so that they compile side by side.
#pragma once

#include "exact/engine_run.hpp"
#include "exact/questions.hpp"

namespace dtfinder {

inline constexpr std::size_t kWidest = 16;  // words of the widest set that is compiled in

template <int W>
std::unique_ptr<Engine> make_engine_of(const RawTable& table, const Goal& goal,
                                       const EngineSwitches& switches) {
  return std::make_unique<EngineRun<W>>(table, goal, switches);
}
template <int W>
std::unique_ptr<Questions> make_questions_of(const RawTable& table, int max_limit,
                                             std::size_t memory, bool proof) {
  return std::make_unique<QuestionsOf<W>>(table, max_limit, memory, proof);
}

}  // namespace dtfinder
