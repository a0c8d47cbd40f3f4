// Measures captures and restores of containers beside bare CRIU. Started by ./bench snapshot.
#include <fmt/format.h>

#include "agent_figures.h"
#include "machine.h"
#include "rounds.h"
#include "rows.h"
#include "scratch.h"
#include "suite.h"

namespace hearth::bench {
namespace {

constexpr const char* kAll = "all";
constexpr const char* kOverhead = "overhead";
constexpr const char* kMemory = "memory";
constexpr const char* kRest = "rest";
constexpr const char* kAgent = "agent";

struct Settings {
  Programs programs;
  std::string directory;
  std::string part = kAll;
  OptionTable::Bytes bytes;
  SuiteSettings suite;
};

OptionTable Options(Settings& s) {
  OptionTable table("bench-snapshot", "Measures captures and restores beside bare CRIU.");
  table.Add({.name = "criu",
             .help = "The directory with CRIU, as tools/criu makes it",
             .target = &s.programs.criu,
             .required = true});
  table.Add({.name = "nsrestore",
             .help = "Our program that restores within a container",
             .target = &s.programs.nsrestore,
             .required = true});
  table.Add({.name = "bare-restore",
             .help = "The program that does so with bare CRIU",
             .target = &s.programs.bare_restore,
             .required = true});
  table.Add({.name = "snapshot-agent",
             .help = "Our agent's program",
             .target = &s.programs.snapshot_agent,
             .required = true});
  table.Add({.name = "dir",
             .help = "A directory on the disk to measure; what is made there is removed",
             .target = &s.directory,
             .required = true});
  table.Add({.name = "part",
             .help = "What to run",
             .target = &s.part,
             .choices = {kAll, kOverhead, kMemory, kRest, kAgent}});
  table.Add({.name = "bytes", .help = "How much memory; 0: the plan's", .target = &s.bytes});
  AddSuiteOptions(table, s.suite);
  return table;
}

Plan PlanFor(const Settings& s, const std::string& directory) {
  Plan plan = s.suite.quick ? Plan::Quick() : Plan();
  plan.programs = s.programs;
  plan.directory = directory;
  plan.rounds = s.suite.RoundsOr(plan.rounds);
  plan.mebibytes = s.bytes.value > 0 ? s.bytes.value >> 20U : plan.mebibytes;
  return plan;
}

std::vector<std::string> Conditions(const Plan& plan) {
  return {DescribeMachine() + "; workload, CRIU and we share them",
          fmt::format("{} MiB where the table says 2 GiB; {} rounds, who is first alternates",
                      plan.mebibytes, plan.rounds),
          "containers of runc; both sides restore the same artifact with the same CRIU options, "
          "CRIU through its command line and without verifying; ours verifies every byte",
          fmt::format("C6: {} orders a round; the API server is in memory and the runtime is a "
                      "stand-in that speaks CRI: neither's own time is in it",
                      plan.events),
          "cold: the artifact's files are synced and dropped from the page cache first; memory is "
          "compared after the first restore"};
}

Status Measure(const Plan& plan, const std::string& part, Stage& stage, Figures& figures) {
  if (part == kAll || part == kOverhead) {
    RETURN_IF_ERROR(MeasureSubject(plan, stage, kSmall, {.own_mebibytes = 1}, false, figures));
    RETURN_IF_ERROR(MeasureSubject(plan, stage, kMiddle, {.own_mebibytes = plan.middle_mebibytes},
                                   false, figures));
  }
  if (part == kAll || part == kMemory) {
    RETURN_IF_ERROR(
        MeasureSubject(plan, stage, kLarge, {.own_mebibytes = plan.mebibytes}, true, figures));
    RETURN_IF_ERROR(
        MeasureSubject(plan, stage, kMixed, {plan.mebibytes, plan.mebibytes, 0}, false, figures));
  }
  if (part == kAll || part == kRest) {
    RETURN_IF_ERROR(MeasureZeros(plan, stage, figures));
    RETURN_IF_ERROR(MeasureAtOnce(plan, stage, figures));
    RETURN_IF_ERROR(MeasureFiles(plan, figures));
  }
  if (part == kAll || part == kAgent) {
    RETURN_IF_ERROR(MeasureEvents(plan, stage, figures));
    RETURN_IF_ERROR(MeasureProgram(plan, figures));
  }
  return Status::Ok();
}

Status Run(const Settings& s) {
  ASSIGN_OR_RETURN(const Scratch scratch, Scratch::Make(s.directory));
  const Plan plan = PlanFor(s, scratch / "stage");
  Figures figures;
  ASSIGN_OR_RETURN(const auto stage, Stage::Set(s.programs, plan.directory));
  const Status measured = Measure(plan, s.part, *stage, figures);
  RETURN_IF_ERROR(TellRows("snapshot", s.suite, MakeRows(figures), Conditions(plan)));
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
