// A dual simplex method for the linear relaxation of the spine program.
//
//     minimise price * x   subject to   row * x + slack = 0,   0 <= x <= 1,
//     slack between -most and -least of its row
//
// Everything has two finite bounds, so every basis becomes feasible for the dual by putting each
// column that is not basic to the bound that fits its reduced cost; the ratio test may pass many
// such columns by flipping them (Maros 2003). The leaving row is chosen by steepest edge, prices
// are disturbed a little against ties. Settling a branch puts columns and slacks to their lower
// bounds for good, so after each the dual is feasible still.
//
// Rows enter when they are violated and leave when they are slack. Columns that are settled and not
// basic are left out of the matrix, so that work is linear in what is alive. Copies share the
// matrix and the factor of the basis; what a copy changes is a few short vectors.
//
// Nothing here is trusted. Multipliers of the rows are rounded to whole multiples of 2^-20 and
// their bound is computed again in whole numbers (`bound`): any multipliers give a valid bound, so
// a numerical slip can cost a proof but cannot make a false one.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "spine/factor.hpp"
#include "spine/program.hpp"

namespace dtfinder {

// Vectors that no call leaves anything in, and a count of the work; all copies use the same.
struct SpineScratch {
  std::vector<double> alpha, rho, column, tau, other;
  std::vector<std::pair<double, int>> candidates, passed;
  std::uint64_t work = 0;  // operations so far, about
};

class SpineSimplex {
 public:
  enum class State { kOptimal, kAbove, kPaused, kEmpty, kTrouble };
  using Multipliers = std::vector<std::pair<int, std::int64_t>>;  // (row, units of 2^-20)
  static constexpr std::int64_t kUnit = std::int64_t{1} << 20;

  SpineSimplex(const SpineProgram& program, SpineScratch& scratch);

  // Settles columns (to 0) and rows (to equations); rows that are not here yet are added.
  void settle(const std::vector<int>& columns, const std::vector<int>& rows);
  // Adds rows; `purge` drops those whose slack is basic and strictly between its bounds.
  void reshape(const std::vector<int>& added, bool purge);
  // Up to `pivots` pivots. kAbove: the value is over `cutoff`; kEmpty: there is no feasible point,
  // and the multipliers show it as a value far above `cutoff`.
  State solve(double cutoff, int pivots);
  // Factors the basis again and computes everything from it; starts over if it is singular.
  void refresh();

  double value() const;
  // The columns that are not 0, with their values.
  std::vector<std::pair<int, double>> point() const;
  bool has_row(int row) const { return at(row) < row_place_.size() && row_place_[at(row)] >= 0; }
  // The exact bound (in units) that the multipliers give here; `fixed` gets the columns that cannot
  // be 1 in a point of value at most `most`.
  std::int64_t bound(std::int64_t most, Multipliers* multipliers, std::vector<int>* fixed) const;
  int rows() const { return static_cast<int>(row_ids_.size()); }
  std::size_t bytes() const;

 private:
  struct Matrix {                 // the columns that are alive, by rows and by columns
    std::vector<int> ids, place;  // alive column -> column and back
    std::vector<std::size_t> row_first, column_first;
    std::vector<int> row_at, column_at;
    std::vector<signed char> row_factor, column_factor;
    void transpose();
  };
  struct Eta {
    int place;
    double pivot;
    std::size_t first, last;  // in eta_entries_
  };
  enum : char { kLower, kUpper, kBasic };
  static constexpr double kFeasible = 1e-7;  // how far a basic variable may be outside its bounds
  static constexpr double kNoEntry = 1e-9;   // entries of a row that cannot be pivots
  static constexpr std::size_t kEtas = 64;   // changes of the basis until it is factored again
  struct Leaving {
    int place;
    bool below;
    double distance;
  };
  struct Entering {
    int variable = -1;
    double ratio = 0.0, value = 0.0;
    std::size_t flips = 0;
    double slope = 0.0;  // what is left of it, where nothing enters
  };

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int alive() const { return static_cast<int>(matrix_->ids.size()); }
  double resting(int v) const { return state_[at(v)] == kUpper ? upper_[at(v)] : lower_[at(v)]; }
  double price(int v) const;

  void rebuild(const std::vector<int>& kept_rows, const std::vector<int>& added);
  void rename_basic(const std::vector<int>& moved, int first_fresh, int last_fresh);
  void set_bounds();
  std::shared_ptr<Matrix> gather(const std::vector<int>& row_ids) const;
  bool factor_again();
  void start_over();
  void place_resting();
  void compute_values();
  void compute_reduced();
  void forward(std::vector<double>& x);
  void backward(std::vector<double>& v);

  Leaving choose_leaving() const;
  void price_row();
  Entering choose_entering(const Leaving& leaving, double value);
  void gather_candidates(double sign);
  double along_row(int v) const {
    return v < alive() ? scratch_->alpha[at(v)] : scratch_->rho[at(v - alive())];
  }
  void load_column(int v, std::vector<double>& x) const;
  void flip(std::size_t count, int except);
  bool pivot(const Leaving& leaving, const Entering& entering);
  void update_reduced(double step);
  void update_weights(int place, double pivot);
  void escape(const Leaving& leaving, const Entering& entering, double rise);

  const SpineProgram* program_;
  std::shared_ptr<const Matrix> matrix_;
  std::shared_ptr<const SpineFactor> factor_;
  std::vector<Eta> etas_;
  std::vector<SpineFactor::Entry> eta_entries_;
  std::vector<char> settled_column_, settled_row_;  // by number in the program
  std::vector<int> row_ids_, row_place_;
  // By variable: first the columns alive, then the slacks.
  std::vector<double> lower_, upper_, reduced_;
  std::vector<char> state_;
  // By position in the basis.
  std::vector<int> basic_;
  std::vector<double> value_, weight_;
  SpineScratch* scratch_;
};

}  // namespace dtfinder
