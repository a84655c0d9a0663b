#include "spine/simplex.hpp"

#include <cmath>
#include <limits>

namespace dtfinder {

namespace {
constexpr double kDisturb = 1e-6;
}  // namespace

SpineSimplex::SpineSimplex(const SpineProgram& program, SpineScratch& scratch)
    : program_(&program),
      settled_column_(program.columns(), 0),
      settled_row_(program.rows().size(), 0),
      row_place_(program.rows().size(), -1),
      scratch_(&scratch) {
  rebuild({}, {});
  start_over();
}

double SpineSimplex::price(int v) const {
  if (v >= alive()) return 0.0;
  const int id = matrix_->ids[at(v)];
  const std::uint32_t noise = static_cast<std::uint32_t>(id) * 2654435761u >> 16;
  return program_->prices()[at(id)] + kDisturb * (noise % 50);
}

// ---- the basis ---------------------------------------------------------------------------------

bool SpineSimplex::factor_again() {
  SpineFactor::Rows basis(row_ids_.size());
  for (int p = 0; p < rows(); ++p) {
    const int v = basic_[at(p)];
    if (v >= alive()) {
      basis[at(v - alive())].push_back({p, 1.0});
      continue;
    }
    for (std::size_t i = matrix_->column_first[at(v)]; i < matrix_->column_first[at(v) + 1]; ++i) {
      basis[at(matrix_->column_at[i])].push_back(
          {p, static_cast<double>(matrix_->column_factor[i])});
    }
  }
  auto factor = std::make_shared<SpineFactor>();
  etas_.clear();
  eta_entries_.clear();
  if (!factor->make(std::move(basis))) return false;
  scratch_->work += 20 * factor->entries() + 40 * row_ids_.size();
  factor_ = factor;
  return true;
}

// The slacks are a basis that nothing can be wrong with.
void SpineSimplex::start_over() {
  for (char& state : state_) state = kLower;
  for (int r = 0; r < rows(); ++r) {
    basic_[at(r)] = alive() + r;
    state_[at(alive() + r)] = kBasic;
    weight_[at(r)] = 1.0;
  }
  factor_again();
  compute_reduced();
  place_resting();
  compute_values();
}

void SpineSimplex::refresh() {
  if (!factor_again()) return start_over();
  compute_reduced();
  place_resting();
  compute_values();
}

void SpineSimplex::forward(std::vector<double>& x) {
  factor_->forward(x, scratch_->other);
  for (const Eta& eta : etas_) {
    if (x[at(eta.place)] == 0.0) continue;
    const double t = x[at(eta.place)] / eta.pivot;
    for (std::size_t i = eta.first; i < eta.last; ++i) {
      x[at(eta_entries_[i].at)] -= eta_entries_[i].value * t;
    }
    x[at(eta.place)] = t;
  }
  scratch_->work += factor_->entries() / 2 + eta_entries_.size() / 2 + 3 * x.size();
}

void SpineSimplex::backward(std::vector<double>& v) {
  for (std::size_t k = etas_.size(); k-- > 0;) {
    const Eta& eta = etas_[k];
    double sum = v[at(eta.place)];
    for (std::size_t i = eta.first; i < eta.last; ++i) {
      sum -= eta_entries_[i].value * v[at(eta_entries_[i].at)];
    }
    v[at(eta.place)] = sum / eta.pivot;
  }
  factor_->backward(v, scratch_->other);
  scratch_->work += factor_->entries() / 2 + eta_entries_.size() + 3 * v.size();
}

void SpineSimplex::place_resting() {
  for (std::size_t v = 0; v < state_.size(); ++v) {
    if (state_[v] != kBasic) state_[v] = reduced_[v] < 0 && upper_[v] > lower_[v] ? kUpper : kLower;
  }
}

void SpineSimplex::load_column(int v, std::vector<double>& x) const {
  x.assign(row_ids_.size(), 0.0);
  if (v >= alive()) {
    x[at(v - alive())] = 1.0;
    return;
  }
  for (std::size_t i = matrix_->column_first[at(v)]; i < matrix_->column_first[at(v) + 1]; ++i) {
    x[at(matrix_->column_at[i])] = matrix_->column_factor[i];
  }
}

void SpineSimplex::compute_values() {
  std::vector<double>& b = scratch_->column;
  b.assign(row_ids_.size(), 0.0);
  for (int v = 0; v < alive(); ++v) {
    if (state_[at(v)] != kUpper) continue;
    for (std::size_t i = matrix_->column_first[at(v)]; i < matrix_->column_first[at(v) + 1]; ++i) {
      b[at(matrix_->column_at[i])] -= matrix_->column_factor[i] * upper_[at(v)];
    }
  }
  for (int r = 0; r < rows(); ++r) {
    if (state_[at(alive() + r)] != kBasic) b[at(r)] -= resting(alive() + r);
  }
  forward(b);
  value_ = b;
  scratch_->work += state_.size();
}

void SpineSimplex::compute_reduced() {
  std::vector<double>& pi = scratch_->rho;
  pi.assign(row_ids_.size(), 0.0);
  for (int p = 0; p < rows(); ++p) pi[at(p)] = price(basic_[at(p)]);
  backward(pi);
  for (int v = 0; v < alive(); ++v) reduced_[at(v)] = price(v);
  for (int r = 0; r < rows(); ++r) {
    reduced_[at(alive() + r)] = -pi[at(r)];
    if (pi[at(r)] == 0.0) continue;
    for (std::size_t i = matrix_->row_first[at(r)]; i < matrix_->row_first[at(r) + 1]; ++i) {
      reduced_[at(matrix_->row_at[i])] -= pi[at(r)] * matrix_->row_factor[i];
    }
  }
  for (int v : basic_) reduced_[at(v)] = 0.0;
  scratch_->work += matrix_->row_at.size() + 2 * state_.size();
}

double SpineSimplex::value() const {
  double sum = 0.0;
  for (int v = 0; v < alive(); ++v) {
    if (state_[at(v)] == kUpper) sum += reduced_[at(v)] * upper_[at(v)];
  }
  for (int r = 0; r < rows(); ++r) {
    const int v = alive() + r;
    if (state_[at(v)] != kBasic) sum += reduced_[at(v)] * resting(v);
  }
  return sum;
}

std::vector<std::pair<int, double>> SpineSimplex::point() const {
  std::vector<std::pair<int, double>> point;
  for (int v = 0; v < alive(); ++v) {
    if (state_[at(v)] == kUpper && upper_[at(v)] > 0) {
      point.emplace_back(matrix_->ids[at(v)], upper_[at(v)]);
    }
  }
  for (int p = 0; p < rows(); ++p) {
    const int v = basic_[at(p)];
    if (v < alive() && value_[at(p)] > 1e-9) point.emplace_back(matrix_->ids[at(v)], value_[at(p)]);
  }
  return point;
}

SpineSimplex::State SpineSimplex::solve(double cutoff, int pivots) {
  double now = value();
  int failures = 0;
  for (int n = 0;; ++n) {
    if (now > cutoff) {
      now = value();
      if (now > cutoff) return State::kAbove;
    }
    const Leaving leaving = choose_leaving();
    if (leaving.place < 0) return State::kOptimal;
    if (n >= pivots) return State::kPaused;
    if (etas_.size() >= kEtas || eta_entries_.size() > 16 * kEtas * (16 + row_ids_.size() / 16)) {
      refresh();
      now = value();
      continue;
    }
    scratch_->rho.assign(row_ids_.size(), 0.0);
    scratch_->rho[at(leaving.place)] = 1.0;
    backward(scratch_->rho);
    price_row();
    const Entering entering = choose_entering(leaving, now);
    if (entering.variable < 0 && entering.slope > kFeasible) {
      escape(leaving, entering, 2.0 * cutoff + 20.0);
      return State::kEmpty;
    }
    if (entering.variable < 0 || !pivot(leaving, entering)) {
      refresh();
      now = value();
      if (++failures > 10) return State::kTrouble;
      continue;
    }
    now = entering.value;
  }
}

// ---- the exact bound ---------------------------------------------------------------------------

std::int64_t SpineSimplex::bound(std::int64_t most, Multipliers* multipliers,
                                 std::vector<int>* fixed) const {
  constexpr double kHuge = 16384.0;  // keeps all sums far inside of 64 bits
  std::vector<std::int64_t> reduced(at(alive()));
  for (int v = 0; v < alive(); ++v) {
    reduced[at(v)] = program_->prices()[at(matrix_->ids[at(v)])] * kUnit;
  }
  std::int64_t bound = 0;
  for (int r = 0; r < rows(); ++r) {
    const double exact = -reduced_[at(alive() + r)];
    if (!(std::fabs(exact) < kHuge)) return std::numeric_limits<std::int64_t>::min();
    const std::int64_t pi = std::llround(exact * static_cast<double>(kUnit));
    const int id = row_ids_[at(r)];
    const SpineRow& row = program_->rows()[at(id)];
    // A multiplier over 0 needs a lower side; the one that holds anyway is worth nothing.
    if (pi == 0 || (pi > 0 && !row.equation && !settled_row_[at(id)])) continue;
    if (multipliers) multipliers->emplace_back(id, pi);
    bound += pi * row.most;
    for (std::size_t i = matrix_->row_first[at(r)]; i < matrix_->row_first[at(r) + 1]; ++i) {
      reduced[at(matrix_->row_at[i])] -= pi * matrix_->row_factor[i];
    }
  }
  for (int v = 0; v < alive(); ++v) {
    const bool settled = settled_column_[at(matrix_->ids[at(v)])];
    if (!settled) bound += std::min<std::int64_t>(reduced[at(v)], 0);
  }
  for (int v = 0; fixed && v < alive(); ++v) {
    const int id = matrix_->ids[at(v)];
    if (settled_column_[at(id)] || reduced[at(v)] <= 0) continue;
    if (bound + reduced[at(v)] > most * kUnit) fixed->push_back(id);
  }
  return bound;
}

std::size_t SpineSimplex::bytes() const {
  const std::size_t matrix = matrix_->row_at.size() * 10 + matrix_->ids.size() * 12;
  return matrix + state_.size() * 25 + row_ids_.size() * 64 + settled_column_.size() * 5 +
         eta_entries_.size() * sizeof(SpineFactor::Entry);
}

}  // namespace dtfinder
