#include "kube/model/retry_after.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/strings.h"

namespace hearth::kube {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
// Longer waits than a day are told as a day: nobody means them, and they must not overflow.
constexpr int64_t kLongestSeconds = int64_t{24} * 60 * 60;

std::optional<int64_t> Digits(std::string_view text) {
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value < 0) {
    return std::nullopt;
  }
  return value;
}

std::optional<std::chrono::sys_days> ParseDay(std::string_view day, std::string_view month,
                                              std::string_view year) {
  const auto name = std::find(kMonths.begin(), kMonths.end(), month);
  const auto d = Digits(day);
  const auto y = Digits(year);
  if (name == kMonths.end() || !d || !y) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{
      std::chrono::year(static_cast<int>(*y)),
      std::chrono::month(static_cast<unsigned>(name - kMonths.begin() + 1)),
      std::chrono::day(static_cast<unsigned>(*d))};
  // What nanoseconds since 1970 can hold.
  if (!date.ok() || *y < 1970 || *y > 2200) {
    return std::nullopt;
  }
  return std::chrono::sys_days(date);
}

std::chrono::milliseconds Bounded(int64_t seconds) {
  return std::chrono::seconds(std::clamp<int64_t>(seconds, 0, kLongestSeconds));
}

}  // namespace

std::optional<WallTime> ParseHttpDate(std::string_view text) {
  // "Sun, 06 Nov 1994 08:49:37 GMT"
  if (text.size() != 29 || text.substr(3, 2) != ", " || text[7] != ' ' || text[11] != ' ' ||
      text[16] != ' ' || text[19] != ':' || text[22] != ':' || text.substr(25) != " GMT") {
    return std::nullopt;
  }
  const auto day = ParseDay(text.substr(5, 2), text.substr(8, 3), text.substr(12, 4));
  const auto hour = Digits(text.substr(17, 2));
  const auto minute = Digits(text.substr(20, 2));
  const auto second = Digits(text.substr(23, 2));
  if (!day || !hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  return WallTime(*day) + std::chrono::hours(*hour) + std::chrono::minutes(*minute) +
         std::chrono::seconds(*second);
}

std::optional<std::chrono::milliseconds> RetryAfter(const http::Headers& headers,
                                                    std::optional<WallTime> now) {
  const std::string_view text = Trim(headers.Get("Retry-After"));
  if (const auto seconds = Digits(text)) {
    return Bounded(*seconds);
  }
  const auto until = ParseHttpDate(text);
  const auto sent = ParseHttpDate(Trim(headers.Get("Date")));
  const auto from = sent ? sent : now;
  if (!until || !from) {
    return std::nullopt;
  }
  return Bounded(std::chrono::ceil<std::chrono::seconds>(*until - *from).count());
}

}  // namespace hearth::kube
