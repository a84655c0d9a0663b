// How often something that is tried at a bound succeeds there.
//
// What rarely succeeds is tried rarely: after 64 tries with less than one success in 16, only every
// 16th time. Decisions rest on counts alone, so a run is the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace dtfinder {

class SuccessRate {
 public:
  // Whether to try at bound `k` now; counts as a try if so.
  bool worth_trying(int k) {
    Record& record = at(k);
    const bool rare = record.tries > 64 && record.successes * 16 < record.tries;
    if (rare && ++record.skipped % 16) return false;
    ++record.tries;
    return true;
  }
  void succeeded(int k) { ++at(k).successes; }

 private:
  struct Record {
    std::uint32_t tries = 0, successes = 0, skipped = 0;
  };
  Record& at(int k) {
    const std::size_t place = static_cast<std::size_t>(k);
    if (records_.size() <= place) records_.resize(place + 1);
    return records_[place];
  }
  std::vector<Record> records_;
};

}  // namespace dtfinder
