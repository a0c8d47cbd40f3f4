#include "command_line/words.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <array>

namespace hearth::command_line {
namespace {

constexpr size_t kHashCharacters = 12;
constexpr int64_t kMinute = 60, kHour = 60 * kMinute, kDay = 24 * kHour;

}  // namespace

std::string SizeText(uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  auto amount = static_cast<double>(bytes);
  size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  const bool whole = amount == static_cast<double>(static_cast<uint64_t>(amount));
  return fmt::format("{:.{}f} {}", amount, whole ? 0 : 1, kUnits[unit]);
}

std::string AgeText(int64_t milliseconds) {
  if (milliseconds < 1000) {
    return fmt::format("{}ms", milliseconds);
  }
  const int64_t seconds = milliseconds / 1000;
  if (seconds < kMinute) {
    return fmt::format("{}s", seconds);
  }
  if (seconds < kHour) {
    return fmt::format("{}m{:02}s", seconds / kMinute, seconds % kMinute);
  }
  if (seconds < kDay) {
    return fmt::format("{}h{:02}m", seconds / kHour, seconds % kHour / kMinute);
  }
  return fmt::format("{}d{}h", seconds / kDay, seconds % kDay / kHour);
}

std::string TimeText(int64_t ms_since_1970) {
  const int64_t fraction = ((ms_since_1970 % 1000) + 1000) % 1000;
  const auto seconds = static_cast<std::time_t>((ms_since_1970 - fraction) / 1000);
  std::tm parts{};
  if (::gmtime_r(&seconds, &parts) == nullptr) {
    return "";
  }
  return fmt::format("{:%Y-%m-%d %H:%M:%S}.{:03}", parts, fraction);
}

std::string ShortHash(std::string_view hash) {
  return std::string(hash.substr(0, kHashCharacters));
}

}  // namespace hearth::command_line
