#include "spine/cases.hpp"

#include <algorithm>
#include <cassert>

namespace dtfinder {

std::shared_ptr<SpineQuestion> SpineCases::ask(int most, const std::vector<int>& classes) {
  const std::lock_guard lock(mutex_);
  if (latest_ && latest_->most >= most) return latest_;
  latest_ = std::make_shared<SpineQuestion>();
  latest_->most = most;
  for (int label : classes) {
    SpineCase& at = latest_->classes[label];
    at.question = latest_.get();
    at.label = label;
    latest_->bytes += sizeof(SpineCase);
  }
  for (auto& [label, at] : latest_->classes) {
    const auto found = refuted_classes_.find(label);
    if (found != refuted_classes_.end() && found->second >= most) refute(at);
  }
  return latest_;
}

std::shared_ptr<const SpineQuestion> SpineCases::refutation() const {
  const std::lock_guard lock(mutex_);
  return refutation_;
}

SpineCases::Visit::Visit(SpineCases& cases, SpineCase& at) : cases_(cases), at_(at) {
  const std::lock_guard lock(cases_.mutex_);
  ++at_.inside;
}

SpineCases::Visit::~Visit() {
  const std::lock_guard lock(cases_.mutex_);
  --at_.inside;
  if (taken_) at_.taken = false;
}

bool SpineCases::Visit::take() {
  const std::lock_guard lock(cases_.mutex_);
  if (!taken_ && at_.taken) return false;
  return taken_ = at_.taken = true;
}

SpineCase* SpineCases::next(SpineQuestion& question, const std::vector<int>& order) {
  const std::lock_guard lock(mutex_);
  SpineCase* best = nullptr;
  for (int label : order) {
    SpineCase& at = question.classes.at(label);
    if (!at.refuted && (!best || at.inside < best->inside)) best = &at;
  }
  return best;
}

SpineCases::Step SpineCases::next(SpineCase& at) {
  const std::lock_guard lock(mutex_);
  if (is_refuted(at)) return {nullptr, false};
  assert(at.choice);
  Step best{nullptr, false};
  for (const bool answer : {at.choice->first, !at.choice->first}) {
    auto& to = at.answers[answer];
    if (!to) {
      to = std::make_unique<SpineCase>();
      to->question = at.question;
      to->parent = &at;
      to->label = at.label;
      at.question->bytes += sizeof(SpineCase);
    }
    if (!to->refuted && (!best.to || to->inside < best.to->inside)) best = {to.get(), answer};
  }
  return best;
}

// Closed by itself or with a case that it is part of.
bool SpineCases::is_refuted(const SpineCase& at) {
  for (const SpineCase* each = &at; each; each = each->parent) {
    if (each->refuted) return true;
  }
  return false;
}

bool SpineCases::refuted(const SpineCase& at) const {
  const std::lock_guard lock(mutex_);
  return is_refuted(at);
}

bool SpineCases::branched(const SpineCase& at) const {
  const std::lock_guard lock(mutex_);
  return at.choice.has_value();
}

SpineChoice SpineCases::choice(const SpineCase& at) const {
  const std::lock_guard lock(mutex_);
  assert(at.choice);
  return *at.choice;
}

std::vector<int> SpineCases::closed(const SpineCase& at) const {
  const std::lock_guard lock(mutex_);
  return at.closed;
}

std::vector<int> SpineCases::reduce(SpineCase& at, SpineSimplex::Multipliers reason,
                                    std::vector<int> closed) {
  const std::lock_guard lock(mutex_);
  if (at.reduced) return at.closed;
  at.reduced = true;
  at.closed = std::move(closed);
  if (!at.closed.empty()) keep(at, at.reason, std::move(reason));
  return at.closed;
}

SpineChoice SpineCases::branch(SpineCase& at, const SpineChoice& choice) {
  const std::lock_guard lock(mutex_);
  if (!at.choice) at.choice = choice;
  return *at.choice;
}

void SpineCases::close(SpineCase& at, SpineSimplex::Multipliers leaf) {
  const std::lock_guard lock(mutex_);
  if (is_refuted(at)) return;
  keep(at, at.leaf, std::move(leaf));
  refute(at);
}

void SpineCases::keep(SpineCase& at, SpineSimplex::Multipliers& as,
                      SpineSimplex::Multipliers multipliers) {
  if (!record_) return;
  at.question->bytes += multipliers.size() * sizeof(multipliers[0]);
  as = std::move(multipliers);
}

void SpineCases::refute(SpineCase& at) {
  for (SpineCase* each = &at; each;) {
    each->refuted = true;
    each->closed = {};
    if (!each->parent) {
      int& largest = refuted_classes_.try_emplace(each->label, -1).first->second;
      largest = std::max(largest, each->question->most);
    }
    each = each->parent;
    const bool both = each && each->answers[0] && each->answers[1] && each->answers[0]->refuted &&
                      each->answers[1]->refuted;
    if (each && !both) return;
  }
  SpineQuestion& question = *at.question;
  for (const auto& [label, each] : question.classes) {
    if (!each.refuted) return;
  }
  if (!refutation_ || refutation_->most < question.most) refutation_ = question.shared_from_this();
}

std::string SpineCases::write() {
  const std::lock_guard lock(mutex_);
  std::string text;
  for (const auto& [label, most] : refuted_classes_) {
    int& written = written_.try_emplace(label, -1).first->second;
    if (record_ || written >= most) continue;
    written = most;
    text += std::to_string(most) + ' ' + std::to_string(label) + '\n';
  }
  return text;
}

void SpineCases::read(int most, int label) {
  const std::lock_guard lock(mutex_);
  if (record_) return;
  int& largest = refuted_classes_.try_emplace(label, -1).first->second;
  largest = std::max(largest, most);
  if (!latest_ || latest_->most > most) return;
  const auto found = latest_->classes.find(label);
  if (found != latest_->classes.end() && !found->second.refuted) refute(found->second);
}

std::optional<double> SpineCases::merit(const SpineBranch& branch) const {
  const std::lock_guard lock(mutex_);
  const auto found = merit_.find(branch);
  return found == merit_.end() ? std::nullopt : std::optional(found->second);
}

void SpineCases::tried(const SpineBranch& branch, double merit) {
  const std::lock_guard lock(mutex_);
  double& known = merit_[branch];
  known = 0.5 * known + 0.5 * merit;
}

void SpineCases::trade(SpineProgram& program, Circles& circles) {
  const std::lock_guard lock(mutex_);
  if (circles.own == 0) circles.own = static_cast<int>(program.rows().size());
  const auto own = static_cast<std::size_t>(circles.own);
  for (std::size_t r = own + circles.shared.size(); r < program.rows().size(); ++r) {
    const SpineRow& row = program.rows()[r];
    const auto [found, fresh] =
        number_of_.try_emplace({row.nest, row.name}, static_cast<int>(circles_.size()));
    if (fresh) circles_.push_back(row);
    circles.shared.push_back(found->second);
    circles.known.resize(circles_.size());
    circles.known[static_cast<std::size_t>(found->second)] = true;
  }
  circles.known.resize(circles_.size());
  for (std::size_t i = 0; i < circles_.size(); ++i) {
    if (circles.known[i]) continue;
    const SpineRow& row = circles_[i];
    program.add_row(row.terms, row.most, row.equation, row.kind, row.nest, row.name);
    circles.shared.push_back(static_cast<int>(i));
    circles.known[i] = true;
  }
}

std::pair<int, std::vector<int>> SpineCases::circle(int number) const {
  const std::lock_guard lock(mutex_);
  const SpineRow& row = circles_[static_cast<std::size_t>(number)];
  return {row.nest, row.name};
}

std::size_t SpineCases::bytes() const {
  const std::lock_guard lock(mutex_);
  const std::size_t older = refutation_ && refutation_ != latest_ ? refutation_->bytes : 0;
  return older + (latest_ ? latest_->bytes : 0);
}

}  // namespace dtfinder
