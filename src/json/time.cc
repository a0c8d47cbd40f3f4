#include "json/time.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <optional>

#include "base/strings.h"

namespace hearth::json {
namespace {

using std::chrono::days;
using std::chrono::duration_cast;
using std::chrono::floor;
using std::chrono::microseconds;
using std::chrono::seconds;

constexpr int64_t kNanosPerSecond = 1'000'000'000;

Status Malformed(std::string_view text, std::string_view why) {
  return InvalidError(fmt::format(
      "\"{}\" is not a time: {}; write it as RFC 3339 does, such as 2026-11-15T22:11:52Z",
      Excerpt(text, 64), why));
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// Reads the pieces of a time from the front; each piece moves on only when it is there.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool AtEnd() const { return rest_.empty(); }

  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  // Exactly `width` digits.
  std::optional<int> TakeNumber(size_t width) {
    if (rest_.size() < width) {
      return std::nullopt;
    }
    int number = 0;
    for (size_t i = 0; i < width; ++i) {
      if (!IsDigit(rest_[i])) {
        return std::nullopt;
      }
      number = number * 10 + (rest_[i] - '0');
    }
    rest_.remove_prefix(width);
    return number;
  }

  // Nanoseconds of ".5", and of ",5", which Go takes as well; digits beyond the ninth are cut off.
  // A point without digits is left standing.
  int64_t TakeFraction() {
    const bool point =
        rest_.size() > 1 && (rest_[0] == '.' || rest_[0] == ',') && IsDigit(rest_[1]);
    if (!point) {
      return 0;
    }
    rest_.remove_prefix(1);
    int64_t nanos = 0;
    for (int64_t unit = kNanosPerSecond / 10; !rest_.empty() && IsDigit(rest_.front());
         unit /= 10) {
      nanos += (rest_.front() - '0') * unit;
      rest_.remove_prefix(1);
    }
    return nanos;
  }

 private:
  std::string_view rest_;
};

Result<seconds> ReadDate(Reader& reader, std::string_view text) {
  const auto year = reader.TakeNumber(4);
  const bool dash = reader.Take('-');
  const auto month = reader.TakeNumber(2);
  const bool second_dash = reader.Take('-');
  const auto day = reader.TakeNumber(2);
  if (!year || !dash || !month || !second_dash || !day) {
    return Malformed(text, "it does not begin with a date, YYYY-MM-DD");
  }
  const auto date = std::chrono::year(*year) / *month / *day;
  if (!date.ok()) {
    return Malformed(text, "there is no such day");
  }
  return seconds(std::chrono::sys_days(date).time_since_epoch());
}

Result<seconds> ReadClock(Reader& reader, std::string_view text) {
  auto hour = reader.TakeNumber(2);
  if (!hour) {
    hour = reader.TakeNumber(1);  // Go takes a single digit here, and only here
  }
  const bool colon = reader.Take(':');
  const auto minute = reader.TakeNumber(2);
  const bool second_colon = reader.Take(':');
  const auto second = reader.TakeNumber(2);
  if (!hour || !colon || !minute || !second_colon || !second) {
    return Malformed(text, "no time of day, hh:mm:ss, follows the T");
  }
  if (*hour > 23 || *minute > 59 || *second > 59) {
    return Malformed(text, "there is no such time of day");
  }
  return seconds(*hour * 3600 + *minute * 60 + *second);
}

// How far the clock that was read is ahead of UTC.
Result<seconds> ReadOffset(Reader& reader, std::string_view text) {
  if (reader.Take('Z')) {
    return seconds(0);
  }
  const bool ahead = reader.Take('+');
  if (!ahead && !reader.Take('-')) {
    return Malformed(text, "neither Z nor an offset such as +01:00 ends it");
  }
  const auto hours = reader.TakeNumber(2);
  const bool colon = reader.Take(':');
  const auto minutes = reader.TakeNumber(2);
  // The bounds are Go's, one more than a clock shows.
  if (!hours || !colon || !minutes || *hours > 24 || *minutes > 60) {
    return Malformed(text, "its offset from UTC is not of the form +hh:mm");
  }
  const seconds offset(*hours * 3600 + *minutes * 60);
  return ahead ? offset : -offset;
}

Result<WallTime> AtNanos(seconds since_epoch, int64_t nanos, std::string_view text) {
  // One second less than fits, so that rounding to seconds and back never overflows.
  constexpr int64_t kLimit = std::numeric_limits<int64_t>::max() / kNanosPerSecond - 1;
  if (since_epoch.count() > kLimit || since_epoch.count() < -kLimit) {
    const Status outside = Malformed(text, "it is outside the years 1678 to 2261 that can be held");
    return since_epoch.count() > 0 ? outside.WithReason(kTimeTooLate) : outside;
  }
  return WallTime(since_epoch + Duration(nanos));
}

std::string WriteSeconds(WallTime at) {
  const auto second = floor<seconds>(at);
  const auto day = floor<days>(second);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(second - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace

Result<Time> Time::Parse(std::string_view text) {
  Reader reader(text);
  ASSIGN_OR_RETURN(const seconds date, ReadDate(reader, text));
  if (!reader.Take('T')) {
    return Malformed(text, "no T follows the date");
  }
  ASSIGN_OR_RETURN(const seconds clock, ReadClock(reader, text));
  const int64_t nanos = reader.TakeFraction();
  ASSIGN_OR_RETURN(const seconds offset, ReadOffset(reader, text));
  if (!reader.AtEnd()) {
    return Malformed(text, "something follows the offset");
  }
  ASSIGN_OR_RETURN(const WallTime at, AtNanos(date + clock - offset, nanos, text));
  return Time{at};
}

std::string Time::ToString() const { return WriteSeconds(at) + "Z"; }

std::string Time::ToMicroString() const {
  const auto part = at - floor<seconds>(at);
  return fmt::format("{}.{:06}Z", WriteSeconds(at), duration_cast<microseconds>(part).count());
}

}  // namespace hearth::json
