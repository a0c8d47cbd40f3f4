#include "cel/internal/time_math.h"

#include <chrono>
#include <string>

#include "cel/internal/operators.h"

namespace hearth::cel::internal {
namespace {

constexpr int64_t kNanos = 1'000'000'000;
constexpr int64_t kMinSeconds = -62135596800;  // year 1
constexpr int64_t kMaxSeconds = 253402300799;  // year 9999
constexpr int64_t kSecondsPerHour = 3600;

Value DurationOverflow() { return Value::Error("duration overflow"); }
Value TimestampOverflow() { return Value::Error("timestamp overflow"); }

Value MakeTimestamp(Timestamp time) {
  const bool fits = time.seconds >= kMinSeconds && time.seconds <= kMaxSeconds;
  return fits ? Value::OfTimestamp(time) : TimestampOverflow();
}

Value Shift(Timestamp time, int64_t nanos, int sign) {
  const __int128 total = __int128{time.seconds} * kNanos + time.nanos + __int128{nanos} * sign;
  __int128 seconds = total / kNanos;
  __int128 rest = total % kNanos;
  if (rest < 0) {
    --seconds;
    rest += kNanos;
  }
  return MakeTimestamp({static_cast<int64_t>(seconds), static_cast<int32_t>(rest)});
}

Value Difference(Timestamp a, Timestamp b) {
  int64_t nanos = 0;
  if (__builtin_mul_overflow(a.seconds - b.seconds, kNanos, &nanos) ||
      __builtin_add_overflow(nanos, int64_t{a.nanos} - b.nanos, &nanos)) {
    return DurationOverflow();
  }
  return Value::Duration(std::chrono::nanoseconds(nanos));
}

// Reads fixed-width numbers and single characters off a text.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool failed() const { return failed_; }
  bool done() const { return text_.empty(); }
  char Take() {
    failed_ = failed_ || text_.empty();
    const char c = failed_ ? '\0' : text_.front();
    text_.remove_prefix(failed_ ? 0 : 1);
    return c;
  }
  void Expect(char c) { failed_ = Take() != c || failed_; }
  bool Sees(char c) const { return !text_.empty() && text_.front() == c; }
  bool SeesDigit() const { return !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; }
  int Number(int digits, int min, int max) {
    int value = 0;
    for (int i = 0; i < digits; ++i) {
      failed_ = failed_ || !SeesDigit();
      value = value * 10 + (Take() - '0');
    }
    failed_ = failed_ || value < min || value > max;
    return failed_ ? 0 : value;
  }

 private:
  std::string_view text_;
  bool failed_ = false;
};

int32_t ScanFraction(Scanner& scan) {
  if (!scan.Sees('.') && !scan.Sees(',')) {
    return 0;
  }
  scan.Take();
  int64_t nanos = scan.Number(1, 0, 9) * (kNanos / 10);
  for (int64_t unit = kNanos / 100; scan.SeesDigit(); unit /= 10) {
    nanos += (scan.Take() - '0') * unit;
  }
  return static_cast<int32_t>(nanos);
}

int64_t ScanOffset(Scanner& scan) {
  const char sign = scan.Take();
  if (sign == 'Z') {
    return 0;
  }
  if (sign != '+' && sign != '-') {
    scan.Number(1, 1, 0);  // fails
  }
  const int64_t hours = scan.Number(2, 0, 23);
  scan.Expect(':');
  const int64_t seconds = hours * kSecondsPerHour + int64_t{scan.Number(2, 0, 59)} * 60;
  return sign == '-' ? -seconds : seconds;
}

}  // namespace

Value AddTimes(const Value& a, const Value& b) {
  if (a.Is(Kind::kTimestamp) && b.Is(Kind::kDuration)) {
    return Shift(a.timestamp(), b.duration().count(), 1);
  }
  if (a.Is(Kind::kDuration) && b.Is(Kind::kTimestamp)) {
    return AddTimes(b, a);
  }
  if (a.Is(Kind::kDuration) && b.Is(Kind::kDuration)) {
    int64_t nanos = 0;
    return __builtin_add_overflow(a.duration().count(), b.duration().count(), &nanos)
               ? DurationOverflow()
               : Value::Duration(std::chrono::nanoseconds(nanos));
  }
  return NoOverload("_+_", a, b);
}

Value SubtractTimes(const Value& a, const Value& b) {
  if (a.Is(Kind::kTimestamp) && b.Is(Kind::kDuration)) {
    return Shift(a.timestamp(), b.duration().count(), -1);
  }
  if (a.Is(Kind::kTimestamp) && b.Is(Kind::kTimestamp)) {
    return Difference(a.timestamp(), b.timestamp());
  }
  if (a.Is(Kind::kDuration) && b.Is(Kind::kDuration)) {
    int64_t nanos = 0;
    return __builtin_sub_overflow(a.duration().count(), b.duration().count(), &nanos)
               ? DurationOverflow()
               : Value::Duration(std::chrono::nanoseconds(nanos));
  }
  return NoOverload("_-_", a, b);
}

Value TimestampFromSeconds(int64_t seconds) { return MakeTimestamp({seconds, 0}); }

Value ParseTimestamp(std::string_view text) {
  using std::chrono::day;
  using std::chrono::month;
  using std::chrono::year;
  Scanner scan(text);
  const int y = scan.Number(4, 0, 9999);
  scan.Expect('-');
  const int m = scan.Number(2, 1, 12);
  scan.Expect('-');
  const int d = scan.Number(2, 1, 31);
  scan.Expect('T');
  const int hour = scan.Number(2, 0, 23);
  scan.Expect(':');
  const int minute = scan.Number(2, 0, 59);
  scan.Expect(':');
  const int second = scan.Number(2, 0, 59);
  const int32_t nanos = ScanFraction(scan);
  const int64_t offset = ScanOffset(scan);
  const std::chrono::year_month_day date{year(y), month(static_cast<unsigned>(m)),
                                         day(static_cast<unsigned>(d))};
  if (scan.failed() || !scan.done() || !date.ok()) {
    return Value::Error("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  }
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  const int64_t clock = hour * kSecondsPerHour + minute * 60 + second;
  return MakeTimestamp({days * 24 * kSecondsPerHour + clock - offset, nanos});
}

std::optional<int64_t> ZoneOffset(std::string_view zone) {
  if (zone.empty() || zone == "UTC" || zone == "Etc/UTC" || zone == "GMT" || zone == "Z") {
    return 0;
  }
  const bool is_signed = zone.front() == '+' || zone.front() == '-';
  const std::string written = (is_signed ? "" : "+") + std::string(zone);
  Scanner scan(written);
  const int64_t offset = ScanOffset(scan);
  return scan.failed() || !scan.done() ? std::nullopt : std::optional(offset);
}

}  // namespace hearth::cel::internal
