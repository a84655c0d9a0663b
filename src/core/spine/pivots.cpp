// The pivots of the dual simplex method (spine/simplex.hpp): which variable leaves the basis, which
// enters it, and what changes with that.
#include <cmath>
#include <functional>

#include "spine/simplex.hpp"

namespace dtfinder {

SpineSimplex::Leaving SpineSimplex::choose_leaving() const {
  Leaving best{-1, false, 0.0};
  double score = 0.0;
  for (int p = 0; p < rows(); ++p) {
    const double under = lower_[at(basic_[at(p)])] - value_[at(p)];
    const double over = value_[at(p)] - upper_[at(basic_[at(p)])];
    const double distance = std::max(under, over);
    if (distance <= kFeasible || distance * distance <= score * weight_[at(p)]) continue;
    score = distance * distance / weight_[at(p)];
    best = {p, under > over, distance};
  }
  return best;
}

// The row of the leaving variable: rho times the columns alive.
void SpineSimplex::price_row() {
  std::vector<double>& alpha = scratch_->alpha;
  alpha.assign(at(alive()), 0.0);
  const Matrix& matrix = *matrix_;
  for (std::size_t r = 0; r < row_ids_.size(); ++r) {
    const double rho = scratch_->rho[r];
    if (std::fabs(rho) < 1e-12) continue;
    const std::size_t last = matrix.row_first[r + 1];
    for (std::size_t i = matrix.row_first[r]; i < last; ++i) {
      alpha[at(matrix.row_at[i])] += rho * matrix.row_factor[i];
    }
    scratch_->work += last - matrix.row_first[r];
  }
}

// The variables that may enter, with their ratios.
void SpineSimplex::gather_candidates(double sign) {
  auto& candidates = scratch_->candidates;
  candidates.clear();
  auto consider = [&](std::size_t first, const std::vector<double>& along) {
    const double* reduced = reduced_.data() + first;
    const double *lower = lower_.data() + first, *upper = upper_.data() + first;
    const char* state = state_.data() + first;
    for (std::size_t i = 0; i < along.size(); ++i) {
      const double a = state[i] == kUpper ? -sign * along[i] : sign * along[i];
      if (a <= kNoEntry || state[i] == kBasic || upper[i] <= lower[i]) continue;
      const double ratio = (state[i] == kUpper ? -reduced[i] : reduced[i]) / a;
      candidates.emplace_back(std::max(0.0, ratio), static_cast<int>(first + i));
    }
  };
  consider(0, scratch_->alpha);
  consider(at(alive()), scratch_->rho);
  scratch_->work += 2 * state_.size() + 8 * candidates.size();
}

// Passes candidates in the order of their ratios while the dual still rises when they flip; the one
// that stops it enters, or among ties with it the one with the largest pivot.
SpineSimplex::Entering SpineSimplex::choose_entering(const Leaving& leaving, double value) {
  gather_candidates(leaving.below ? -1.0 : 1.0);
  auto& heap = scratch_->candidates;
  auto& passed = scratch_->passed;
  passed.clear();
  std::make_heap(heap.begin(), heap.end(), std::greater<>{});
  auto next = [&] {
    std::pop_heap(heap.begin(), heap.end(), std::greater<>{});
    passed.push_back(heap.back());
    heap.pop_back();
  };
  Entering entering;
  entering.slope = leaving.distance;
  entering.value = value;
  bool stopped = false;
  while (!stopped && !heap.empty()) {
    next();
    const auto [ratio, v] = passed.back();
    entering.value += entering.slope * (ratio - entering.ratio);
    entering.ratio = ratio;
    entering.flips = passed.size() - 1;
    const double left = entering.slope - std::fabs(along_row(v)) * (upper_[at(v)] - lower_[at(v)]);
    stopped = left < kFeasible;
    if (!stopped) entering.slope = left;
  }
  if (!stopped) return entering;
  while (!heap.empty() && heap.front().first <= entering.ratio + 1e-9) next();
  auto size = [&](std::size_t i) { return std::fabs(along_row(passed[i].second)); };
  std::size_t chosen = entering.flips;
  for (std::size_t i = chosen + 1; i < passed.size(); ++i) {
    if (size(i) > size(chosen) + 1e-12) chosen = i;
  }
  // Rather an earlier stop than a tiny pivot.
  for (std::size_t i = entering.flips; size(chosen) < 1e-6 && i-- > 0;) {
    if (size(i) > 1e-4) entering.flips = chosen = i;
  }
  entering.variable = passed[chosen].second;
  return entering;
}

// Puts the first candidates that were passed to their other bounds.
void SpineSimplex::flip(std::size_t count, int except) {
  std::vector<double>& change = scratch_->tau;
  change.assign(row_ids_.size(), 0.0);
  bool any = false;
  for (std::size_t k = 0; k < count; ++k) {
    const int v = scratch_->passed[k].second;
    if (v == except) continue;
    any = true;
    const double range = upper_[at(v)] - lower_[at(v)];
    const double step = state_[at(v)] == kLower ? range : -range;
    state_[at(v)] = state_[at(v)] == kLower ? kUpper : kLower;
    if (v >= alive()) {
      change[at(v - alive())] += step;
      continue;
    }
    for (std::size_t i = matrix_->column_first[at(v)]; i < matrix_->column_first[at(v) + 1]; ++i) {
      change[at(matrix_->column_at[i])] += matrix_->column_factor[i] * step;
    }
  }
  if (!any) return;
  forward(change);
  for (std::size_t p = 0; p < change.size(); ++p) value_[p] -= change[p];
}

bool SpineSimplex::pivot(const Leaving& leaving, const Entering& entering) {
  const int in = entering.variable, place = leaving.place, out = basic_[at(place)];
  const double along = along_row(in);
  std::vector<double>& column = scratch_->column;
  load_column(in, column);
  forward(column);
  const double pivot = column[at(place)];
  if (std::fabs(pivot - along) > 1e-6 * (1.0 + std::fabs(along))) return false;
  flip(entering.flips, in);
  const double target = leaving.below ? lower_[at(out)] : upper_[at(out)];
  const double step = (value_[at(place)] - target) / pivot;
  const double entered = resting(in) + step;
  for (std::size_t p = 0; p < column.size(); ++p) {
    if (column[p] != 0.0) value_[p] -= column[p] * step;
  }
  value_[at(place)] = entered;
  const double dual = reduced_[at(in)] / along;
  if (dual != 0.0) update_reduced(dual);
  reduced_[at(out)] = -dual;
  state_[at(out)] = leaving.below || upper_[at(out)] <= lower_[at(out)] ? kLower : kUpper;
  reduced_[at(in)] = 0.0;
  state_[at(in)] = kBasic;
  update_weights(place, pivot);
  Eta eta{place, pivot, eta_entries_.size(), 0};
  for (int p = 0; p < rows(); ++p) {
    if (p != place && std::fabs(column[at(p)]) > 1e-13) eta_entries_.push_back({p, column[at(p)]});
  }
  eta.last = eta_entries_.size();
  etas_.push_back(eta);
  basic_[at(place)] = in;
  return true;
}

void SpineSimplex::update_reduced(double step) {
  const std::size_t count = at(alive());
  for (std::size_t v = 0; v < count; ++v) reduced_[v] -= step * scratch_->alpha[v];
  for (std::size_t r = 0; r < row_ids_.size(); ++r) {
    if (state_[count + r] != kBasic) reduced_[count + r] -= step * scratch_->rho[r];
  }
}

void SpineSimplex::update_weights(int place, double pivot) {
  std::vector<double>& tau = scratch_->tau;
  tau = scratch_->rho;
  double norm = 0.0;
  for (double r : tau) norm += r * r;
  forward(tau);
  const std::vector<double>& column = scratch_->column;
  for (std::size_t p = 0; p < column.size(); ++p) {
    if (column[p] == 0.0) continue;
    const double share = column[p] / pivot;
    weight_[p] = std::max(weight_[p] + share * (share * norm - 2.0 * tau[p]), 1e-4);
  }
  weight_[at(place)] = std::max(norm / (pivot * pivot), 1e-4);
}

// Nothing stops the dual's rise along this row: goes far enough to show it.
void SpineSimplex::escape(const Leaving& leaving, const Entering& entering, double rise) {
  const double step = (leaving.below ? -1.0 : 1.0) * (entering.ratio + rise / entering.slope);
  const std::size_t count = at(alive());
  for (std::size_t v = 0; v < count; ++v) reduced_[v] -= step * scratch_->alpha[v];
  for (std::size_t r = 0; r < row_ids_.size(); ++r) reduced_[count + r] -= step * scratch_->rho[r];
}

}  // namespace dtfinder
