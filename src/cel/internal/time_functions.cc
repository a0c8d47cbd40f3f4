#include <fmt/format.h>

#include <chrono>

#include "cel/internal/function.h"
#include "cel/internal/time_math.h"

namespace hearth::cel::internal {
namespace {

using std::chrono::days;

// A timestamp as a calendar and a clock show it.
struct Shown {
  std::chrono::sys_days day;
  std::chrono::year_month_day date;
  int64_t second_of_day;
  int32_t nanos;
};

Shown Show(Timestamp time, int64_t zone_offset) {
  const std::chrono::sys_seconds at{std::chrono::seconds(time.seconds + zone_offset)};
  const auto day = std::chrono::floor<days>(at);
  return {day, std::chrono::year_month_day(day), (at - day).count(), time.nanos};
}

int64_t FullYear(const Shown& shown) { return static_cast<int>(shown.date.year()); }
int64_t Month(const Shown& shown) { return static_cast<unsigned>(shown.date.month()) - 1; }
int64_t Date(const Shown& shown) { return static_cast<unsigned>(shown.date.day()); }
int64_t DayOfMonth(const Shown& shown) { return Date(shown) - 1; }
int64_t DayOfWeek(const Shown& shown) { return std::chrono::weekday(shown.day).c_encoding(); }
int64_t Hours(const Shown& shown) { return shown.second_of_day / 3600; }
int64_t Minutes(const Shown& shown) { return shown.second_of_day / 60 % 60; }
int64_t Seconds(const Shown& shown) { return shown.second_of_day % 60; }
int64_t Milliseconds(const Shown& shown) { return shown.nanos / 1'000'000; }

int64_t DayOfYear(const Shown& shown) {
  const std::chrono::sys_days new_year{shown.date.year() / std::chrono::January / 1};
  return (shown.day - new_year).count();
}

template <int64_t (*part)(const Shown&)>
Value InUtc(const Call& call) {
  return Value::Int(part(Show(call[0].timestamp(), 0)));
}

template <int64_t (*part)(const Shown&)>
Value InZone(const Call& call) {
  const auto offset = ZoneOffset(call[1].text());
  if (!offset.has_value()) {
    return Value::Error(
        fmt::format("unknown time zone {}: only UTC and offsets such as +02:00 are "
                    "known",
                    call[1].text()));
  }
  return Value::Int(part(Show(call[0].timestamp(), *offset)));
}

template <int64_t nanos>
Value Whole(const Call& call) {
  return Value::Int(call[0].duration().count() / nanos);
}

constexpr auto kMember = Style::kMember;
constexpr Kinds kTime = {Kind::kTimestamp};
constexpr Kinds kTimeAndZone = {Kind::kTimestamp, Kind::kString};
constexpr Kinds kDuration = {Kind::kDuration};
const Overload kFunctions[] = {
    {"getFullYear", kMember, kTime, InUtc<FullYear>},
    {"getFullYear", kMember, kTimeAndZone, InZone<FullYear>},
    {"getMonth", kMember, kTime, InUtc<Month>},
    {"getMonth", kMember, kTimeAndZone, InZone<Month>},
    {"getDate", kMember, kTime, InUtc<Date>},
    {"getDate", kMember, kTimeAndZone, InZone<Date>},
    {"getDayOfMonth", kMember, kTime, InUtc<DayOfMonth>},
    {"getDayOfMonth", kMember, kTimeAndZone, InZone<DayOfMonth>},
    {"getDayOfWeek", kMember, kTime, InUtc<DayOfWeek>},
    {"getDayOfWeek", kMember, kTimeAndZone, InZone<DayOfWeek>},
    {"getDayOfYear", kMember, kTime, InUtc<DayOfYear>},
    {"getDayOfYear", kMember, kTimeAndZone, InZone<DayOfYear>},
    {"getHours", kMember, kTime, InUtc<Hours>},
    {"getHours", kMember, kTimeAndZone, InZone<Hours>},
    {"getHours", kMember, kDuration, Whole<3'600'000'000'000>},
    {"getMinutes", kMember, kTime, InUtc<Minutes>},
    {"getMinutes", kMember, kTimeAndZone, InZone<Minutes>},
    {"getMinutes", kMember, kDuration, Whole<60'000'000'000>},
    {"getSeconds", kMember, kTime, InUtc<Seconds>},
    {"getSeconds", kMember, kTimeAndZone, InZone<Seconds>},
    {"getSeconds", kMember, kDuration, Whole<1'000'000'000>},
    {"getMilliseconds", kMember, kTime, InUtc<Milliseconds>},
    {"getMilliseconds", kMember, kTimeAndZone, InZone<Milliseconds>},
    {"getMilliseconds", kMember, kDuration, Whole<1'000'000>},
};

}  // namespace

Overloads TimeFunctions() { return kFunctions; }

}  // namespace hearth::cel::internal
