#include "spine/spine.hpp"

#include <algorithm>

#include "spine/search.hpp"

namespace dtfinder {

std::shared_ptr<SpineCases> Spine::make_cases(bool record) {
  return std::make_shared<SpineCases>(record);
}

Spine::Spine(SpineTable table, std::shared_ptr<SpineCases> cases, int largest)
    : search_(std::make_unique<SpineSearch>(std::move(table), largest, std::move(cases))) {}
Spine::~Spine() = default;

// Large groups make the relaxation weak and the program large, so only a few are allowed.
bool Spine::suits(const SpineTable& table) {
  constexpr std::size_t kGroups = 1000, kColumns = 30000, kLarge = 12;
  const std::size_t count = table.labels.size();
  if (count == 0 || count > kMostExamples) return false;
  std::size_t groups = 0, large = 0;
  for (const auto& examples : table.examples_of) {
    const std::size_t size = std::min(examples.size(), count - examples.size());
    groups += size > 0;
    large += size > kLarge;
  }
  if (groups > kGroups || 4 * large > groups) return false;
  for (int largest : {12, 10, 8}) {
    if (SpineProgram::count_columns(table, largest, kColumns) <= kColumns) return true;
  }
  return false;
}

void Spine::start_with(std::size_t number) { search_->start_with(number); }
void Spine::ask(int most) { search_->ask(most); }
int Spine::asked() const { return search_->asked(); }
Spine::Status Spine::run(std::uint64_t steps) { return search_->run(steps); }
void Spine::stop() { search_->stop(); }
int Spine::refuted() const { return search_->refuted(); }
std::uint64_t Spine::steps() const { return search_->steps(); }
std::size_t Spine::bytes() const { return search_->bytes(); }
const TreeNodes& Spine::tree() const { return search_->tree(); }
std::string Spine::proof(const std::int64_t* row_of_example) const {
  return search_->proof(row_of_example);
}

}  // namespace dtfinder
