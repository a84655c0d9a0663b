// Information gain in whole numbers, so that features are ranked the same on every machine.
#pragma once

#include <cmath>

#include "shared/example_table.hpp"

namespace dtfinder {

template <int W>
class Gain {
 public:
  explicit Gain(const ExampleTable<W>& examples)
      : examples_(examples), n_log_n_(examples.count() + 1) {
    for (std::size_t n = 2; n < n_log_n_.size(); ++n) {
      const double x = static_cast<double>(n);
      n_log_n_[n] = std::llround(x * std::log2(x) * (1 << 20));
    }
  }

  // By n, up to the number of examples: n log2 n in units of 2^-20.
  const std::vector<std::int64_t>& n_log_n() const { return n_log_n_; }

  // Higher is better: what splitting `x` by `feature` tells about the class, up to a constant.
  std::int64_t of(const Set<W>& x, std::size_t feature) const {
    const Set<W> one = x & examples_.column(feature);
    std::size_t ones = 0, zeros = 0;
    std::int64_t total = 0;
    for (std::size_t c = 0; c < examples_.labels(); ++c) {
      const std::size_t in_one = one.count_in(examples_.of_label(c));
      const std::size_t in_zero = x.count_in(examples_.of_label(c)) - in_one;
      ones += in_one;
      zeros += in_zero;
      total += n_log_n_[in_one] + n_log_n_[in_zero];
    }
    return total - n_log_n_[ones] - n_log_n_[zeros];
  }

 private:
  const ExampleTable<W>& examples_;
  std::vector<std::int64_t> n_log_n_;
};

}  // namespace dtfinder
