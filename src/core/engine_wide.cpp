// The engine for more than 256 examples, and the choice of the width; see engine_make.hpp.
#include "engine_make.hpp"

namespace dtfinder {

extern template std::unique_ptr<Engine> make_engine_of<1>(const RawTable&, const Goal&,
                                                          const Switches&);
extern template std::unique_ptr<Engine> make_engine_of<2>(const RawTable&, const Goal&,
                                                          const Switches&);
extern template std::unique_ptr<Engine> make_engine_of<4>(const RawTable&, const Goal&,
                                                          const Switches&);
extern template std::unique_ptr<Questions> make_questions_of<1>(const RawTable&, int, std::size_t);
extern template std::unique_ptr<Questions> make_questions_of<2>(const RawTable&, int, std::size_t);
extern template std::unique_ptr<Questions> make_questions_of<4>(const RawTable&, int, std::size_t);

std::unique_ptr<Engine> make_engine(const RawTable& table, const Goal& goal,
                                    const Switches& switches) {
  const std::size_t words = switches.any_width ? kWidest + 1 : words_for(table.rows);
  if (words <= 1) return make_engine_of<1>(table, goal, switches);
  if (words <= 2) return make_engine_of<2>(table, goal, switches);
  if (words <= 4) return make_engine_of<4>(table, goal, switches);
  if (words <= 8) return make_engine_of<8>(table, goal, switches);
  if (words <= kWidest) return make_engine_of<16>(table, goal, switches);
  return make_engine_of<0>(table, goal, switches);
}

std::unique_ptr<Questions> make_questions(const RawTable& table, int max_limit,
                                          std::size_t memory) {
  const std::size_t words = words_for(table.rows);
  if (words <= 1) return make_questions_of<1>(table, max_limit, memory);
  if (words <= 2) return make_questions_of<2>(table, max_limit, memory);
  if (words <= 4) return make_questions_of<4>(table, max_limit, memory);
  if (words <= 8) return make_questions_of<8>(table, max_limit, memory);
  if (words <= kWidest) return make_questions_of<16>(table, max_limit, memory);
  return make_questions_of<0>(table, max_limit, memory);
}

}  // namespace dtfinder
