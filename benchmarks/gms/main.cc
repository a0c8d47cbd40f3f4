// Measures the memory service beside fio and beside bare loops. Started by ./bench gms.
#include <fmt/format.h>

#include <csignal>
#include <iostream>

#include "base/options.h"
#include "control.h"
#include "data.h"
#include "machine.h"
#include "rows.h"

namespace hearth::bench {
namespace {

constexpr const char* kAll = "all";
constexpr const char* kData = "data";
constexpr const char* kControl = "control";

struct Settings {
  std::string gms_server;
  std::string directory;
  std::string part = kAll;
  bool quick = false;
  int64_t rounds = 0;
  OptionTable::Bytes bytes;
  std::string json;
  std::string markdown;
  std::vector<std::string> notes;
};

OptionTable Options(Settings& s) {
  OptionTable table("bench-gms", "Measures the memory service beside fio and bare loops.");
  table.Add({.name = "gms-server",
             .help = "The server to measure",
             .target = &s.gms_server,
             .required = true});
  table.Add({.name = "dir",
             .help = "A directory on the disk to measure; what is made there is removed",
             .target = &s.directory,
             .required = true});
  table.Add({.name = "part",
             .help = "What to run",
             .target = &s.part,
             .choices = {kAll, kData, kControl}});
  table.Add({.name = "quick",
             .help = "Little data, one short round: shows that it works, not how fast",
             .target = &s.quick});
  table.Add({.name = "rounds",
             .help = "How many rounds; 0: the plan's",
             .target = &s.rounds,
             .check = Between(0, 1000)});
  table.Add({.name = "bytes", .help = "How much data; 0: the plan's", .target = &s.bytes});
  table.Add({.name = "json", .help = "Write one object a line to this file", .target = &s.json});
  table.Add(
      {.name = "markdown", .help = "Write a Markdown table to this file", .target = &s.markdown});
  table.Add({.name = "note",
             .help = "A line about the conditions, for the Markdown",
             .target = &s.notes});
  return table;
}

Plan PlanFor(const Settings& s) {
  Plan plan = s.quick ? Plan::Quick() : Plan();
  plan.gms_server = s.gms_server;
  plan.directory = s.directory;
  plan.rounds = s.rounds > 0 ? static_cast<size_t>(s.rounds) : plan.rounds;
  plan.bytes = s.bytes.value > 0 ? s.bytes.value : plan.bytes;
  return plan;
}

Part PartOf(const Settings& s) {
  return s.part == kData ? Part::kData : s.part == kControl ? Part::kControl : Part::kAll;
}

std::vector<std::string> Conditions(const Settings& s, const Plan& plan) {
  std::vector<std::string> lines = {
      DescribeMachine() + "; server, clients and probes share them",
      fmt::format("{} MiB of weights, {} allocations where not said otherwise; {} rounds, "
                  "interleaved within each bench",
                  plan.bytes >> 20, kAllocationsUsual, plan.rounds),
      "files are read and written past the page cache; loads go into a new server each time, and "
      "contents are compared with the checkpoint after the first"};
  lines.insert(lines.end(), s.notes.begin(), s.notes.end());
  return lines;
}

Status Measure(const Plan& plan, Part part, Figures& figures) {
  if (part != Part::kData) {
    RETURN_IF_ERROR(MeasureControl(plan, figures));
  }
  return part != Part::kControl ? MeasureData(plan, figures) : Status();
}

Status Run(const Settings& s) {
  const Plan plan = PlanFor(s);
  Figures figures;
  const Status measured = Measure(plan, PartOf(s), figures);
  const std::vector<Row> rows = MakeRows(figures, PartOf(s));
  std::cout << ToTable(rows) << std::flush;
  RETURN_IF_ERROR(WriteText(s.json, ToJsonLines(rows)));
  RETURN_IF_ERROR(WriteText(s.markdown, ToMarkdown("gms", rows, Conditions(s, plan))));
  return measured;
}

int Main(int argc, const char* const* argv) {
  std::signal(SIGPIPE, SIG_IGN);
  Settings settings;
  const OptionTable table = Options(settings);
  const auto parsed = table.Parse(argc, argv);
  if (parsed.ok() && *parsed != OptionTable::Parsed::kRun) {
    std::cout << table.Help();
    return 0;
  }
  const Status status = parsed.ok() ? Run(settings) : parsed.status();
  if (!status.ok()) {
    std::cerr << "bench: " << status.message() << "\n";
  }
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace hearth::bench

int main(int argc, char** argv) { return hearth::bench::Main(argc, argv); }
