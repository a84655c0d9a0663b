// Luck: how often something that is tried at a bound succeeds there.
//
// What rarely succeeds is tried rarely: after 64 tries with less than one win in 16, only every
// 16th time. It counts and never measures, so a run stays the same on every machine.
#pragma once

#include <cstdint>
#include <vector>

namespace dtfinder {

class Luck {
 public:
  bool try_at(int k) {
    Record& record = at(k);
    if (record.tries > 64 && record.wins * 16 < record.tries && ++record.skipped % 16) return false;
    ++record.tries;
    return true;
  }
  void won(int k) { ++at(k).wins; }

 private:
  struct Record {
    std::uint32_t tries = 0, wins = 0, skipped = 0;
  };
  Record& at(int k) {
    const std::size_t place = static_cast<std::size_t>(k);
    if (records_.size() <= place) records_.resize(place + 1);
    return records_[place];
  }
  std::vector<Record> records_;
};

}  // namespace dtfinder
