#include "disk/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "json/builder.h"

namespace hearth::disk {
namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
constexpr int kWidth = 24;
constexpr Duration kBarPeriod = std::chrono::milliseconds(200);
constexpr Duration kLinePeriod = std::chrono::seconds(1);

double Rate(const Progress& p) {
  const double seconds = std::chrono::duration<double>(p.elapsed).count();
  return seconds > 0 ? static_cast<double>(p.done_bytes) / seconds : 0;
}

std::string TimeLeft(const Progress& p) {
  const double rate = Rate(p);
  if (rate <= 0 || p.done_bytes >= p.total_bytes) {
    return "";
  }
  return fmt::format("  {:.0f}s left", static_cast<double>(p.total_bytes - p.done_bytes) / rate);
}

}  // namespace

std::string ProgressBar(const Progress& p) {
  const double share =
      p.total_bytes == 0
          ? 0
          : std::min(1.0, static_cast<double>(p.done_bytes) / static_cast<double>(p.total_bytes));
  const int filled = static_cast<int>(share * kWidth);
  return fmt::format("{}  [{}{}] {:3.0f}%  {:.1f}/{:.1f} GiB  {:.2f} GB/s{}", p.phase,
                     std::string(static_cast<size_t>(filled), '#'),
                     std::string(static_cast<size_t>(kWidth - filled), '-'), share * 100,
                     static_cast<double>(p.done_bytes) / kGiB,
                     static_cast<double>(p.total_bytes) / kGiB, Rate(p) / 1e9, TimeLeft(p));
}

std::string ProgressJson(const Progress& p) {
  json::Builder b;
  b.BeginObject();
  b.Key("phase").String(p.phase);
  b.Key("done_bytes").Uint(p.done_bytes);
  b.Key("total_bytes").Uint(p.total_bytes);
  b.Key("elapsed_ms").Int(std::chrono::duration_cast<std::chrono::milliseconds>(p.elapsed).count());
  b.Key("bytes_per_second").Uint(static_cast<uint64_t>(Rate(p)));
  return b.EndObject().Take();
}

ProgressStyle StyleFor(int fd) {
  return ::isatty(fd) == 1 ? ProgressStyle::kBar : ProgressStyle::kJsonLines;
}

ProgressReporter::ProgressReporter(std::ostream& out, ProgressStyle style,
                                   std::function<Progress()> look, Clock& clock)
    : out_(out), style_(style), look_(std::move(look)) {
  if (style_ == ProgressStyle::kNone) {
    return;
  }
  const Duration period = style_ == ProgressStyle::kBar ? kBarPeriod : kLinePeriod;
  thread_ = std::jthread([this, period, &clock](const std::stop_token& stop) {
    while (SleepFor(clock, period, stop)) {
      Tell();
    }
  });
}

ProgressReporter::~ProgressReporter() {
  if (style_ == ProgressStyle::kNone) {
    return;
  }
  thread_.request_stop();
  thread_.join();
  Tell();
  if (style_ == ProgressStyle::kBar) {
    out_ << "\n" << std::flush;
  }
}

void ProgressReporter::Tell() {
  const Progress progress = look_();
  if (style_ == ProgressStyle::kBar) {
    out_ << "\r\033[K" << ProgressBar(progress) << std::flush;
  } else {
    out_ << ProgressJson(progress) << "\n" << std::flush;
  }
}

}  // namespace hearth::disk
