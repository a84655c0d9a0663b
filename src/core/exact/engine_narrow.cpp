// The engine for up to 256 examples; see engine_make.hpp.
#include "exact/engine_make.hpp"

namespace dtfinder {
template std::unique_ptr<Engine> make_engine_of<1>(const RawTable&, const Goal&,
                                                   const EngineSwitches&);
template std::unique_ptr<Engine> make_engine_of<2>(const RawTable&, const Goal&,
                                                   const EngineSwitches&);
template std::unique_ptr<Engine> make_engine_of<4>(const RawTable&, const Goal&,
                                                   const EngineSwitches&);
template std::unique_ptr<Questions> make_questions_of<1>(const RawTable&, int, std::size_t, bool);
template std::unique_ptr<Questions> make_questions_of<2>(const RawTable&, int, std::size_t, bool);
template std::unique_ptr<Questions> make_questions_of<4>(const RawTable&, int, std::size_t, bool);
}  // namespace dtfinder
