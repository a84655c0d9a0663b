// The engine for more than 256 examples, and the choice of the width; see engine_make.hpp.
#include "exact/engine_make.hpp"

namespace dtfinder {

extern template std::unique_ptr<Engine> make_engine_of<1>(const RawTable&, const Goal&,
                                                          const EngineSwitches&);
extern template std::unique_ptr<Engine> make_engine_of<2>(const RawTable&, const Goal&,
                                                          const EngineSwitches&);
extern template std::unique_ptr<Engine> make_engine_of<4>(const RawTable&, const Goal&,
                                                          const EngineSwitches&);
extern template std::unique_ptr<Questions> make_questions_of<1>(const RawTable&, int, std::size_t,
                                                                bool);
extern template std::unique_ptr<Questions> make_questions_of<2>(const RawTable&, int, std::size_t,
                                                                bool);
extern template std::unique_ptr<Questions> make_questions_of<4>(const RawTable&, int, std::size_t,
                                                                bool);

namespace {

// Calls `make` with the least compiled-in width of at least `words` words; 0 stands for any.
template <class Make>
auto of_width(std::size_t words, Make&& make) {
  if (words <= 1) return make.template operator()<1>();
  if (words <= 2) return make.template operator()<2>();
  if (words <= 4) return make.template operator()<4>();
  if (words <= 8) return make.template operator()<8>();
  if (words <= kWidest) return make.template operator()<16>();
  return make.template operator()<0>();
}

}  // namespace

std::unique_ptr<Engine> make_engine(const RawTable& table, const Goal& goal,
                                    const EngineSwitches& switches) {
  const std::size_t words = switches.any_width ? kWidest + 1 : words_for(table.rows);
  return of_width(words, [&]<int W>() { return make_engine_of<W>(table, goal, switches); });
}

std::unique_ptr<Questions> make_questions(const RawTable& table, int max_limit, std::size_t memory,
                                          bool proof) {
  return of_width(words_for(table.rows),
                  [&]<int W>() { return make_questions_of<W>(table, max_limit, memory, proof); });
}

}  // namespace dtfinder
