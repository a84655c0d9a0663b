// The kernel for machines with AVX2, BMI2 and a popcount instruction.
#include "front/kernel.hpp"

#if defined(__x86_64__) && defined(__GNUC__)
#include <immintrin.h>

#if defined(__clang__)
#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2,popcnt"))), apply_to = function)
#else
#pragma GCC target("avx2,bmi,bmi2,popcnt")
#endif

namespace dtfinder::front {
namespace {

inline Word bits_of(Word word) { return static_cast<Word>(_mm_popcnt_u64(word)); }
inline Word pack_word(Word word, Word mask) { return _pext_u64(word, mask); }

#include "front/kernel_body.inc"

}  // namespace

extern const Kernels kAvx2Kernels{"avx2",
                                  kernel_of<std::int8_t>(),
                                  kernel_of<std::int16_t>(),
                                  kernel_of<std::int32_t>(),
                                  kernel_of<std::int64_t>(),
                                  pack,
                                  outside};

}  // namespace dtfinder::front

#if defined(__clang__)
#pragma clang attribute pop
#endif
#endif
