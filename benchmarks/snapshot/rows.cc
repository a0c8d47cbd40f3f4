#include "rows.h"

#include <fmt/format.h>

#include "names.h"
#include "plan.h"
#include "question.h"

namespace hearth::bench {
namespace {

using figure::Of;

constexpr const char* kNoPeer =
    "the Go agent of github.com/ai-dynamo/snapshot cannot be built here: the module proxy has none";

std::string Ours(const char* subject, const char* what) { return Of(subject, what, figure::kOurs); }
std::string Bare(const char* subject, const char* what) { return Of(subject, what, figure::kBare); }

// How many times faster than bare CRIU.
Question Faster(std::string bench, std::string what, const char* subject, const char* did,
                double goal) {
  Question question = Time(std::move(bench), std::move(what), "", "", "CRIU", kMs, goal);
  question.ours = Ours(subject, did);
  question.peer = Bare(subject, did);
  question.inverse = true;
  question.better = Better::kHigher;
  return question;
}

// What we add to bare CRIU.
Question Overhead(std::string bench, std::string what, const char* subject, const char* did,
                  std::optional<double> goal) {
  Question question = Faster(std::move(bench), std::move(what), subject, did, 0);
  question.inverse = false;
  question.better = Better::kLower;
  question.goal = goal;
  return question;
}

Question OfDisk(std::string bench, std::string what, const std::string& ours, const char* peer,
                std::string peer_name, double goal) {
  return Rate(std::move(bench), std::move(what), ours.c_str(), peer, std::move(peer_name), goal);
}

std::vector<Question> Questions() {
  using namespace figure;
  const std::string capture = "captured, until it runs again, ";
  const std::string warm = "restored, warm and verified, ";
  const std::string cold = "restored, cold and verified, ";
  return {
      Overhead("C1.capture.1M", capture + "1 MiB", kSmall, kUntilReleased, {}),
      Overhead("C1.capture.256M", capture + "256 MiB", kMiddle, kUntilReleased, {}),
      Overhead("C1.capture", capture + "2 GiB", kLarge, kUntilReleased, 1.02),
      Overhead("C1.restore.1M", warm + "1 MiB", kSmall, kWarm, {}),
      Overhead("C1.restore.256M", warm + "256 MiB", kMiddle, kWarm, {}),
      Overhead("C1.restore", warm + "2 GiB", kLarge, kWarm, 1.02),
      Faster("C2", cold + "2 GiB and 2 GiB shared", kMixed, kCold, 2.5),
      Faster("C2.own", cold + "2 GiB", kLarge, kCold, 2.5),
      OfDisk("C2.disk", cold + "2 GiB", Ours(kLarge, kColdRate), kFioRead, "fio", 0.75),
      Faster("C3", warm + "2 GiB", kLarge, kWarm, 1.6),
      Faster("C3.mixed", warm + "2 GiB and 2 GiB shared", kMixed, kWarm, 1.6),
      Faster("C4", "captured, durable, 2 GiB", kLarge, kDurable, 1.8),
      Faster("C4.mixed", "captured, durable, 2 GiB and 2 GiB shared", kMixed, kDurable, 1.8),
      OfDisk("C4.disk", "captured, durable, 2 GiB", Ours(kLarge, kDurableRate), kFioWrite,
             "fio, room made first", 0.8),
      {.bench = "C5",
       .what = "stored, 57 % of the pages zero",
       .ours = kStoredBytes,
       .peer = kFullBytes,
       .peer_name = "what is not zero",
       .unit = "MiB",
       .scale = kMiB,
       .goal = 1.02},
      Time("C5.time", "captured, durable, 57 % of the pages zero", kZeroTime, kZeroShare,
           "43 % of one without", kMs, 1.1),
      {.bench = "C7",
       .what = "10,000 changed files saved, durable",
       .ours = kSmallFiles,
       .peer = kSmallFilesTar,
       .peer_name = "tar",
       .unit = "ms",
       .scale = kMs,
       .better = Better::kHigher,
       .goal = 2,
       .inverse = true},
      Rate("C7.disk", "one large changed file saved, durable", kLargeFile, kLargeFileFio,
           "fio, room made first", 0.9),
      Time("C9", "four restores at once, cold", kFourRestores, kOneRestore, "one of the same bytes",
           kMs, 1.15),
      Limit("C6", "order in the API server until CRIU starts, p99", kEventToCriu, "ms", kMs, 5),
      Limit("C6.median", "the same, median", kEventToCriuMedian, "ms", kMs, 5),
  };
}

// Milliseconds that we add to bare CRIU, of 8 that we may.
Row Added(const Figures& figures, std::string bench, std::string what, const char* subject,
          const char* did) {
  const std::vector<double>& ours = figures.Get(Ours(subject, did));
  const std::vector<double>& bare = figures.Get(Bare(subject, did));
  Figures added;
  for (size_t i = 0; i < std::min(ours.size(), bare.size()); ++i) {
    added.Add("added", ours[i] - bare[i]);
  }
  return Answer(added, Limit(std::move(bench), std::move(what), "added", "ms", kMs, 8));
}

// A figure of ours whose peer does not run here.
Row Beside(const Figures& figures, std::string bench, std::string what, const char* ours,
           std::string unit, double scale, double goal) {
  const std::vector<double>& values = figures.Get(ours);
  Row row{.bench = std::move(bench),
          .what = std::move(what),
          .better = Better::kHigher,
          .goal = goal,
          .peer_name = "Go agent",
          .unit = std::move(unit)};
  row.ours = Quantile(values, 0.5) * scale;
  row.not_run = values.empty() ? "not measured"
                               : fmt::format("ours is {:.1f} {}; {}", row.ours, row.unit, kNoPeer);
  return row;
}

}  // namespace

std::vector<Row> MakeRows(const Figures& figures) {
  std::vector<Row> rows = {
      Added(figures, "C1.added.capture", "added to CRIU's capture, 1 MiB", kSmall,
            figure::kUntilReleased),
      Added(figures, "C1.added.restore", "added to CRIU's restore, 1 MiB", kSmall, figure::kWarm)};
  for (const Question& question : Questions()) {
    rows.push_back(Answer(figures, question));
  }
  rows.push_back(Beside(figures, "C8", "the agent's memory with nothing to do",
                        figure::kAgentMemory, "MiB", kMiB, 5));
  rows.push_back(Beside(figures, "C8.start", "the agent's start until its first request",
                        figure::kAgentStart, "ms", kMs, 10));
  return rows;
}

}  // namespace hearth::bench
