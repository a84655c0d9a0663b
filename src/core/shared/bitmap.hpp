// A set of numbers as text: a bitmap in hexadecimal digits, the first four bits in the first.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>
#include <vector>

namespace dtfinder {

class BitmapText {
 public:
  // For numbers below `count`.
  explicit BitmapText(std::size_t count) : fours_((count + 3) / 4) {}
  void add(std::size_t i) { fours_[i / 4] |= static_cast<std::uint8_t>(1 << (i % 4)); }
  std::string text() const {
    std::string digits;
    for (const std::uint8_t four : fours_) digits += "0123456789abcdef"[four];
    return digits;
  }

  // Hands the numbers in `text` to `take`; false if it is no bitmap of numbers below `count`.
  template <class Take>
  static bool read(const std::string& text, std::size_t count, Take&& take) {
    if (text.size() != (count + 3) / 4) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      unsigned four = 0;
      if (std::from_chars(&text[i], &text[i] + 1, four, 16).ec != std::errc{}) return false;
      for (std::size_t bit = 0; bit < 4; ++bit) {
        if (!(four >> bit & 1)) continue;
        if (4 * i + bit >= count) return false;
        take(4 * i + bit);
      }
    }
    return true;
  }

 private:
  std::vector<std::uint8_t> fours_;
};

}  // namespace dtfinder
