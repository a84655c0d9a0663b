// The kernel for any machine.
#include "front/kernel.hpp"

namespace dtfinder::front {
namespace {

inline Word bits_of(Word word) { return bits_in(word); }

// The bits of `word` where `mask` has ones, by runs of ones: one step for each run.
inline Word pack_word(Word word, Word mask) {
  Word out = 0;
  int filled = 0;
  while (mask) {
    const int start = std::countr_zero(mask);
    const int length = std::countr_one(mask >> start);
    const Word run = length == 64 ? ~Word{0} : (Word{1} << length) - 1;
    out |= (word >> start & run) << filled;
    filled += length;
    mask &= ~(run << start);
  }
  return out;
}

#define FRONT_VECTOR 16
#include "front/kernel_body.inc"

}  // namespace

const Kernels kPortableKernels{"portable",
                               kVector,
                               kernel_of<std::int8_t>(),
                               kernel_of<std::int16_t>(),
                               kernel_of<std::int32_t>(),
                               kernel_of<std::int64_t>(),
                               pack,
                               outside};

bool supported(Machine machine) {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
  if (machine == Machine::kAvx2) return avx2;
  if (machine == Machine::kAvx512) {
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("avx512bitalg") &&
           __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("gfni");
  }
#endif
  return machine == Machine::kPortable;
}

const Kernels& kernels(Machine machine) {
  if (!supported(machine)) return kPortableKernels;
#if defined(__x86_64__) && defined(__GNUC__)
  if (machine == Machine::kAvx512) return kAvx512Kernels;
  if (machine == Machine::kAvx2) return kAvx2Kernels;
#endif
  return kPortableKernels;
}

const Kernels& best_kernels() {
  for (const Machine machine : {Machine::kAvx512, Machine::kAvx2}) {
    if (supported(machine)) return kernels(machine);
  }
  return kPortableKernels;
}

}  // namespace dtfinder::front
