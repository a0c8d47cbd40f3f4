// Measures the memory service beside fio and beside bare loops. Started by ./bench gms.
#include <fmt/format.h>

#include "base/options.h"
#include "control.h"
#include "data.h"
#include "machine.h"
#include "rows.h"
#include "suite.h"

namespace hearth::bench {
namespace {

constexpr const char* kAll = "all";
constexpr const char* kData = "data";
constexpr const char* kControl = "control";

struct Settings {
  std::string gms_server;
  std::string directory;
  std::string part = kAll;
  OptionTable::Bytes bytes;
  SuiteSettings suite;
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
  table.Add({.name = "bytes", .help = "How much data; 0: the plan's", .target = &s.bytes});
  AddSuiteOptions(table, s.suite);
  return table;
}

Plan PlanFor(const Settings& s) {
  Plan plan = s.suite.quick ? Plan::Quick() : Plan();
  plan.gms_server = s.gms_server;
  plan.directory = s.directory;
  plan.rounds = s.suite.RoundsOr(plan.rounds);
  plan.bytes = s.bytes.value > 0 ? s.bytes.value : plan.bytes;
  return plan;
}

Part PartOf(const Settings& s) {
  return s.part == kData ? Part::kData : s.part == kControl ? Part::kControl : Part::kAll;
}

std::vector<std::string> Conditions(const Plan& plan) {
  return {
      DescribeMachine() + "; server, clients and probes share them",
      fmt::format("{} MiB of weights, {} allocations where not said otherwise; {} rounds, "
                  "interleaved within each bench",
                  plan.bytes >> 20, kAllocationsUsual, plan.rounds),
      "files are read and written past the page cache; loads go into a new server each time, and "
      "contents are compared with the checkpoint after the first"};
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
  RETURN_IF_ERROR(TellRows("gms", s.suite, rows, Conditions(plan)));
  return measured;
}

int Main(int argc, const char* const* argv) {
  Settings settings;
  const OptionTable table = Options(settings);
  return SuiteMain(argc, argv, table, [&] { return Run(settings); });
}

}  // namespace
}  // namespace hearth::bench

int main(int argc, char** argv) { return hearth::bench::Main(argc, argv); }
