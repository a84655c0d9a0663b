// The shape of the simplex method's matrix (spine/simplex.hpp): which rows and columns are in it,
// how they come and go, and what they are called then.
#include "spine/simplex.hpp"

namespace dtfinder {

// Fills the columns from the rows; column_first counts them, one place late.
void SpineSimplex::Matrix::transpose() {
  for (std::size_t v = 0; v < ids.size(); ++v) {
    column_first[v + 1] += column_first[v];
  }
  column_at.resize(row_at.size());
  column_factor.resize(row_at.size());
  std::vector<std::size_t> next(column_first.begin(), column_first.end() - 1);
  for (std::size_t r = 0; r + 1 < row_first.size(); ++r) {
    for (std::size_t i = row_first[r]; i < row_first[r + 1]; ++i) {
      const std::size_t to = next[at(row_at[i])]++;
      column_at[to] = static_cast<int>(r);
      column_factor[to] = row_factor[i];
    }
  }
}

std::shared_ptr<SpineSimplex::Matrix> SpineSimplex::gather(const std::vector<int>& row_ids) const {
  auto matrix = std::make_shared<Matrix>();
  std::vector<char> wanted(settled_column_.size());
  for (std::size_t j = 0; j < wanted.size(); ++j) wanted[j] = !settled_column_[j];
  for (int v : basic_) {
    if (v < alive()) wanted[at(matrix_->ids[at(v)])] = 1;
  }
  matrix->place.assign(wanted.size(), -1);
  for (std::size_t j = 0; j < wanted.size(); ++j) {
    if (!wanted[j]) continue;
    matrix->place[j] = static_cast<int>(matrix->ids.size());
    matrix->ids.push_back(static_cast<int>(j));
  }
  matrix->row_first.push_back(0);
  matrix->column_first.assign(matrix->ids.size() + 1, 0);
  auto put = [&](int v, int factor) {
    if (v < 0) return;
    matrix->row_at.push_back(v);
    matrix->row_factor.push_back(static_cast<signed char>(factor));
    ++matrix->column_first[at(v) + 1];
  };
  std::vector<int> moved;
  for (int id : matrix_->ids) moved.push_back(matrix->place[at(id)]);
  for (int row : row_ids) {
    if (has_row(row)) {  // what is alive now was alive before
      const std::size_t r = at(row_place_[at(row)]), last = matrix_->row_first[r + 1];
      for (std::size_t i = matrix_->row_first[r]; i < last; ++i) {
        put(moved[at(matrix_->row_at[i])], matrix_->row_factor[i]);
      }
    } else {
      for (const SpineTerm& term : program_->rows()[at(row)].terms) {
        put(matrix->place[at(term.at)], term.factor);
      }
    }
    matrix->row_first.push_back(matrix->row_at.size());
  }
  matrix->transpose();
  return matrix;
}

// Keeps the rows at these places, whose basic columns are the same in number, and adds others. The
// slacks of rows that go are basic, and so are those of rows that come.
void SpineSimplex::rebuild(const std::vector<int>& kept_rows, const std::vector<int>& added) {
  std::vector<int> row_ids;
  for (int r : kept_rows) row_ids.push_back(row_ids_[at(r)]);
  row_ids.insert(row_ids.end(), added.begin(), added.end());
  if (!matrix_) matrix_ = std::make_shared<Matrix>();
  const auto matrix = gather(row_ids);
  const int old_alive = alive(), now_alive = static_cast<int>(matrix->ids.size());
  scratch_->work += matrix->row_at.size() * 3 + settled_column_.size();
  std::vector<int> moved(at(old_alive) + row_ids_.size(), -1);
  for (int v = 0; v < old_alive; ++v) moved[at(v)] = matrix->place[at(matrix_->ids[at(v)])];
  for (std::size_t r = 0; r < kept_rows.size(); ++r) {
    moved[at(old_alive + kept_rows[r])] = now_alive + static_cast<int>(r);
  }
  const std::size_t count = at(now_alive) + row_ids.size();
  std::vector<double> reduced(count, 0.0);
  std::vector<char> state(count, kLower);
  for (std::size_t v = 0; v < moved.size(); ++v) {
    if (moved[v] < 0) continue;
    reduced[at(moved[v])] = reduced_[v];
    state[at(moved[v])] = state_[v];
  }
  rename_basic(moved, now_alive + static_cast<int>(kept_rows.size()), static_cast<int>(count));
  for (int v : basic_) state[at(v)] = kBasic;
  for (int row : row_ids_) row_place_[at(row)] = -1;
  matrix_ = matrix;
  row_ids_ = std::move(row_ids);
  reduced_ = std::move(reduced);
  state_ = std::move(state);
  set_bounds();
}

// Gives the basic variables their new numbers; those without one go, fresh slacks come.
void SpineSimplex::rename_basic(const std::vector<int>& moved, int first_fresh, int last_fresh) {
  std::size_t kept = 0;
  for (std::size_t p = 0; p < basic_.size(); ++p) {
    if (moved[at(basic_[p])] < 0) continue;
    basic_[kept] = moved[at(basic_[p])];
    value_[kept] = value_[p];
    weight_[kept++] = weight_[p];
  }
  basic_.resize(kept);
  value_.resize(kept);
  weight_.resize(kept);
  for (int v = first_fresh; v < last_fresh; ++v) {
    basic_.push_back(v);
    value_.push_back(0.0);
    weight_.push_back(1.0);
  }
}

void SpineSimplex::set_bounds() {
  lower_.assign(state_.size(), 0.0);
  upper_.assign(state_.size(), 0.0);
  for (int v = 0; v < alive(); ++v) {
    upper_[at(v)] = settled_column_[at(matrix_->ids[at(v)])] ? 0.0 : 1.0;
  }
  for (int r = 0; r < rows(); ++r) {
    const int id = row_ids_[at(r)];
    const SpineRow& row = program_->rows()[at(id)];
    row_place_[at(id)] = r;
    lower_[at(alive() + r)] = -row.most;
    upper_[at(alive() + r)] = row.equation || settled_row_[at(id)] ? -row.most : -row.least;
  }
}

void SpineSimplex::reshape(const std::vector<int>& added, bool purge) {
  row_place_.resize(program_->rows().size(), -1);
  settled_row_.resize(program_->rows().size(), 0);
  std::vector<char> slack(at(rows()), 0);
  for (std::size_t p = 0; purge && p < basic_.size(); ++p) {
    const int v = basic_[p];
    if (v < alive()) continue;
    slack[at(v - alive())] = value_[p] > lower_[at(v)] + 1e-6 && value_[p] < upper_[at(v)] - 1e-6;
  }
  std::vector<int> kept, fresh;
  for (int r = 0; r < rows(); ++r) {
    if (!slack[at(r)]) kept.push_back(r);
  }
  for (int row : added) {
    if (!has_row(row) || slack[at(row_place_[at(row)])]) fresh.push_back(row);
  }
  const bool same_rows = fresh.empty() && kept.size() == row_ids_.size();
  rebuild(kept, fresh);
  if (same_rows || factor_again()) {
    place_resting();
    compute_values();
  } else {
    start_over();
  }
}

void SpineSimplex::settle(const std::vector<int>& columns, const std::vector<int>& rows_settled) {
  settled_row_.resize(program_->rows().size(), 0);
  std::vector<int> missing;
  auto lower = [&](int v) {
    upper_[at(v)] = lower_[at(v)];
    if (state_[at(v)] == kUpper) state_[at(v)] = kLower;
  };
  for (int j : columns) {
    settled_column_[at(j)] = 1;
    if (matrix_->place[at(j)] >= 0) lower(matrix_->place[at(j)]);
  }
  for (int row : rows_settled) {
    settled_row_[at(row)] = 1;
    if (has_row(row)) {
      lower(alive() + row_place_[at(row)]);
    } else {
      missing.push_back(row);
    }
  }
  if (missing.empty()) {
    compute_values();
  } else {
    reshape(missing, false);
  }
}

}  // namespace dtfinder
