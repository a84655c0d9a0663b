#include "spine/search.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace dtfinder {

namespace {
constexpr double kAbove = 2e-3;     // how far over the size asked for a relaxation is stopped
constexpr double kFraction = 1e-5;  // values this near to 0 or 1 are whole
constexpr int kTrials = 6;          // branches tried at a node; twice as many at the root
constexpr int kTrialPivots = 40;
constexpr std::size_t kRowsAtOnce = 60;
constexpr std::size_t kColumns = 40000;

int choose_largest(const SpineTable& table) {
  int best = 1;
  std::size_t least = 0;
  for (int largest = 12; largest >= 6; --largest) {
    const std::size_t columns = SpineProgram::count_columns(table, largest, kColumns);
    if (least == 0 || columns < least) best = largest, least = columns;
    if (columns < kColumns / 4) break;
  }
  return best;
}
}  // namespace

SpineSearch::SpineSearch(SpineTable table, int largest, std::shared_ptr<SpineCases> cases)
    : program_(table, largest > 0 ? largest : choose_largest(table)),
      reader_(program_),
      cases_(std::move(cases)) {
  cases_->trade(program_, circles_);
}

SpineSearch::~SpineSearch() { stop(); }

// Leaves every case that it is inside of.
void SpineSearch::stop() {
  if (task_ && !task_->done()) runner_.cancel();
  task_.reset();
}

void SpineSearch::ask(int most) {
  assert(most >= 0);
  stop();
  question_ = cases_->ask(most, classes_in_order());
  most_ = question_->most;
  status_ = Spine::Status::kOpen;
  tree_.clear();
  task_.emplace(search());
  task_->start();
}

Spine::Status SpineSearch::run(std::uint64_t steps) {
  if (!task_) return status_;
  const std::uint64_t until = scratch_.work + steps * kWorkPerStep;
  waiting_ = false;
  runner_.run([&] { return waiting_ || scratch_.work >= until; });
  if (!task_->done()) return waiting_ ? Spine::Status::kWaiting : Spine::Status::kOpen;
  task_->rethrow();
  return status_;
}

std::size_t SpineSearch::bytes() const {
  std::size_t sum = program_.bytes() + runner_.frames.bytes();
  for (const auto& [label, lp] : roots_) sum += 16 * lp.bytes();
  return sum + cases_->bytes();
}

// ---- the search --------------------------------------------------------------------------------

Task SpineSearch::search() {
  const std::vector<int> order = classes_in_order();
  std::map<int, std::uint64_t> effort;
  while (SpineCase* at = cases_->next(*question_, order)) {
    const std::uint64_t before = nodes_;
    co_await refute_class(*at);
    if (!open()) co_return;
    effort[at->label] += nodes_ - before;
    effort_[at->label] = effort[at->label];
  }
  status_ = Spine::Status::kNone;
}

int SpineSearch::refuted() const {
  const auto question = cases_->refutation();
  return question ? question->most : -1;
}

// The classes that occur: from where this search is to start, or those first that took most before.
std::vector<int> SpineSearch::classes_in_order() const {
  std::vector<int> classes = program_.table().allowed_classes();
  if (turn_) {
    const auto first = static_cast<std::ptrdiff_t>(*turn_ % classes.size());
    std::rotate(classes.begin(), classes.begin() + first, classes.end());
    return classes;
  }
  auto effort = [&](int label) {
    const auto found = effort_.find(label);
    return found == effort_.end() ? 0 : found->second;
  };
  std::stable_sort(classes.begin(), classes.end(),
                   [&](int a, int b) { return effort(a) > effort(b); });
  return classes;
}

SpineSimplex SpineSearch::root(int label) {
  SpineSimplex lp(program_, scratch_);
  std::vector<int> rows;
  const SpineNest& top = program_.nests()[0];
  for (std::size_t i = 0; i < top.universe.size(); ++i) {
    if (!program_.table().allows(top.universe[i], label)) rows.push_back(top.example_row[i]);
  }
  lp.settle({}, rows);
  return lp;
}

Task SpineSearch::refute_class(SpineCase& at) {
  const int label = at.label;
  if (!roots_.contains(label)) roots_.emplace(label, root(label));
  SpineSimplex lp = roots_.at(label);
  {
    const SpineCases::Visit visit(*cases_, at);
    co_await relax(lp, at);
  }
  if (relaxed_ != Relaxed::kOpen) co_return;
  roots_.at(label) = lp;
  co_await refute(std::move(lp), at, 0);
}

Task SpineSearch::refute(SpineSimplex lp, SpineCase& at, int depth) {
  SpineCases::Visit visit(*cases_, at);
  ++nodes_;
  while (!visit.take() && !cases_->branched(at) && !cases_->refuted(at)) {
    waiting_ = true;
    co_await Yield{runner_};
  }
  if (cases_->refuted(at)) co_return;
  if (cases_->branched(at)) {
    lp.settle(cases_->closed(at), {});
    lp.reshape({}, true);
  } else {
    co_await split(lp, at, depth);
  }
  while (open()) {
    const auto [to, answer] = cases_->next(at);
    if (!to) co_return;
    SpineSimplex child = lp;
    std::vector<int> columns, rows;
    program_.settle(cases_->choice(at).branch, answer, columns, rows);
    child.settle(columns, rows);
    co_await refute(std::move(child), *to, depth + 1);
  }
}

// Closes the case, or finds a branch for it, unless somebody else does.
Task SpineSearch::split(SpineSimplex& lp, SpineCase& at, int depth) {
  cases_->trade(program_, circles_);
  std::vector<Candidate> options;
  for (int tries = 0;; ++tries) {
    co_await relax(lp, at);
    if (relaxed_ != Relaxed::kOpen) co_return;
    options = candidates(sums_, true);
    if (!options.empty()) break;
    int circles = 0;
    for (std::size_t n = 1; n < program_.nests().size(); ++n) {
      circles += reader_.circles(point_, sums_, static_cast<int>(n));
    }
    if (circles > 0 && tries < 1000) continue;
    options = candidates(sums_, false);
    if (!options.empty() || accept(point_, sums_)) break;
    if (tries >= 3) {
      status_ = Spine::Status::kGaveUp;
      co_return;
    }
    lp.refresh();
  }
  if (!open() || cases_->refuted(at)) co_return;
  settle_by_reduced_costs(lp, at);
  std::stable_sort(options.begin(), options.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score < b.score; });
  options.resize(std::min<std::size_t>(options.size(), depth == 0 ? 2 * kTrials : kTrials));
  co_await choose(lp, std::move(options), lp.value(), at);
  cases_->branch(at, choice_);
}

// Solves the relaxation with all rows that it violates. kOpen: point_ and sums_ are its optimum.
Task SpineSearch::relax(SpineSimplex& lp, SpineCase& at) {
  double cutoff = most_ + kAbove;
  for (int troubles = 0, pauses = 0; troubles < 50 && pauses < 20000; ++pauses) {
    const SpineSimplex::State state = lp.solve(cutoff, kPivotsAtOnce);
    co_await Yield{runner_};
    if (state == SpineSimplex::State::kPaused) continue;
    if (state == SpineSimplex::State::kOptimal) {
      point_ = lp.point();
      std::vector<int> rows = violated(lp, point_);
      if (rows.empty()) {
        sums_ = reader_.sums(point_);
        if (reader_.circles(point_, sums_, 0) > 0) rows = violated(lp, point_);
      }
      if (rows.empty()) {
        relaxed_ = Relaxed::kOpen;
        co_return;
      }
      lp.reshape(rows, lp.rows() > 150);
      co_await Yield{runner_};
      continue;
    }
    if (state != SpineSimplex::State::kTrouble && close(lp, at)) {
      relaxed_ = Relaxed::kClosed;
      co_return;
    }
    if (state != SpineSimplex::State::kAbove) lp.refresh();
    cutoff += 0.01;
    ++troubles;
  }
  relaxed_ = Relaxed::kGivenUp;
  status_ = Spine::Status::kGaveUp;
}

bool SpineSearch::close(const SpineSimplex& lp, SpineCase& at) {
  SpineSimplex::Multipliers leaf;
  if (lp.bound(most_, &leaf, nullptr) <= most_ * SpineSimplex::kUnit) return false;
  cases_->close(at, shared(std::move(leaf)));
  return true;
}

void SpineSearch::settle_by_reduced_costs(SpineSimplex& lp, SpineCase& at) {
  SpineSimplex::Multipliers reason;
  std::vector<int> closed;
  lp.bound(most_, &reason, &closed);
  closed = cases_->reduce(at, shared(std::move(reason)), std::move(closed));
  if (!closed.empty()) lp.settle(closed, {});
  lp.reshape({}, true);
}

// With circles by the numbers that all searches know them by.
SpineSimplex::Multipliers SpineSearch::shared(SpineSimplex::Multipliers multipliers) {
  cases_->trade(program_, circles_);
  for (auto& [row, pi] : multipliers) {
    if (row >= circles_.own) row = circles_.own + circles_.shared[at(row - circles_.own)];
  }
  return multipliers;
}

std::vector<int> SpineSearch::violated(const SpineSimplex& lp, const SpinePoint::Values& point) {
  activity_.assign(program_.rows().size(), 0.0);
  for (const auto& [j, value] : point) {
    for (const SpineTerm& term : program_.column(j)) activity_[at(term.at)] += term.factor * value;
  }
  std::vector<std::pair<double, int>> found;
  for (std::size_t r = 0; r < activity_.size(); ++r) {
    const SpineRow& row = program_.rows()[r];
    double over = activity_[r] - row.most;
    if (row.equation) over = std::fabs(over);
    if (over <= 1e-6 || lp.has_row(static_cast<int>(r))) continue;
    found.emplace_back(-over / std::sqrt(static_cast<double>(row.terms.size())),
                       static_cast<int>(r));
  }
  scratch_.work += activity_.size() * 2;
  std::sort(found.begin(), found.end());
  std::vector<int> rows;
  for (std::size_t i = 0; i < std::min(found.size(), kRowsAtOnce); ++i) {
    rows.push_back(found[i].second);
  }
  return rows;
}

// ---- branching ---------------------------------------------------------------------------------

std::vector<SpineSearch::Candidate> SpineSearch::candidates(const SpinePoint::Sums& sums,
                                                            bool top) const {
  std::vector<Candidate> found;
  for (const auto& [branch, value] : sums) {
    if (top && branch.nest > 0) break;
    if (value < kFraction || value > 1.0 - kFraction) continue;
    const std::optional<double> merit = cases_->merit(branch);
    const double fresh = branch.place < 0 ? 0.05 : 0.0;
    found.push_back({std::fabs(value - 0.5) - (merit ? *merit / 2 : fresh), branch});
  }
  return found;
}

// Strong branching: takes the branch whose two answers raise the bound most.
Task SpineSearch::choose(const SpineSimplex& lp, std::vector<Candidate> options, double value,
                         const SpineCase& at) {
  double best = -1.0;
  for (const Candidate& option : options) {
    double gains[2];
    for (const bool answer : {false, true}) {
      co_await attempt(lp, option.branch, answer);
      gains[answer] = std::max(0.0, std::min(gain_, most_ + 0.5) - value);
    }
    const double score = std::max(gains[0], 1e-3) * std::max(gains[1], 1e-3);
    cases_->tried(option.branch, std::min(1.0, std::sqrt(score)));
    if (score > best) {
      best = score;
      choice_ = {option.branch, gains[1] >= gains[0]};
    }
    if (std::min(gains[0], gains[1]) >= most_ + kAbove - value || cases_->branched(at)) break;
  }
}

// A few pivots after answering a branch; gain_ is the value then.
Task SpineSearch::attempt(SpineSimplex lp, SpineBranch branch, bool answer) {
  std::vector<int> columns, rows;
  program_.settle(branch, answer, columns, rows);
  lp.settle(columns, rows);
  SpineSimplex::State state = SpineSimplex::State::kPaused;
  for (int pivots = 0; pivots < kTrialPivots && state == SpineSimplex::State::kPaused;
       pivots += kPivotsAtOnce) {
    state = lp.solve(most_ + kAbove, kPivotsAtOnce);
    co_await Yield{runner_};
  }
  gain_ = state == SpineSimplex::State::kEmpty ? most_ + 0.5 : lp.value();
}

// ---- trees -------------------------------------------------------------------------------------

bool SpineSearch::accept(const SpinePoint::Values& point, const SpinePoint::Sums& sums) {
  TreeNodes tree = reader_.tree(point, sums);
  if (inner_nodes(tree) > most_ || !classifies(tree)) return false;
  tree_ = compacted(tree);
  status_ = Spine::Status::kTree;
  return true;
}

bool SpineSearch::classifies(const TreeNodes& tree) const {
  const SpineTable& table = program_.table();
  for (std::uint32_t e = 0; e < table.labels.size(); ++e) {
    std::size_t node = 0;
    while (tree[node].feature >= 0) {
      const auto& with = table.examples_of[at(tree[node].feature)];
      const bool has = std::binary_search(with.begin(), with.end(), e);
      node = at(has ? tree[node].one : tree[node].zero);
    }
    if (!table.allows(e, tree[node].label)) return false;
  }
  return true;
}

}  // namespace dtfinder
