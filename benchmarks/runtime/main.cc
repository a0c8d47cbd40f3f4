// Measures our controller runtime beside its peers, against a real API server. Started by ./bench
// runtime.
#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "base/options.h"
#include "base/testing/temp_directory.h"
#include "cluster.h"
#include "door_figures.h"
#include "machine.h"
#include "pod_load.h"
#include "report.h"
#include "round.h"
#include "rows.h"
#include "suite.h"
#include "validate_race.h"

namespace hearth::bench {
namespace {

constexpr const char* kPodsNameSpace = "bench";
constexpr const char* kFewNameSpace = "bench-few";
constexpr const char* kEmptyNameSpace = "bench-empty";

// What to run.
constexpr const char* kAll = "all";
constexpr const char* kControllers = "controllers";
constexpr const char* kValidate = "validate";
constexpr const char* kDoor = "door";

constexpr const char* kNoUpstream =
    "the Go module registry does not offer the modules of upstream's operators";

struct Settings {
  std::string podwatch;
  std::string hearth;
  std::string controller_runtime;
  std::string kube_rs;
  std::string kube_rs_not_run = "no program was given";
  std::string part = kAll;
  int64_t pods = 0;
  SuiteSettings suite;
};

OptionTable Options(Settings& s) {
  OptionTable table("bench-runtime", "Measures the controller runtime beside its peers.");
  table.Add(
      {.name = "podwatch", .help = "Our own podwatch", .target = &s.podwatch, .required = true});
  table.Add({.name = "hearth",
             .help = "The command line program, for hearth validate",
             .target = &s.hearth});
  table.Add({.name = "controller-runtime",
             .help = "The podwatch on controller-runtime",
             .target = &s.controller_runtime});
  table.Add({.name = "kube-rs", .help = "The podwatch on kube-rs", .target = &s.kube_rs});
  table.Add({.name = "kube-rs-not-run", .help = "Why there is none", .target = &s.kube_rs_not_run});
  table.Add({.name = "part",
             .help = "What to run",
             .target = &s.part,
             .choices = {kAll, kControllers, kValidate, kDoor}});
  table.Add({.name = "pods",
             .help = "How many Pods; 0: the plan's",
             .target = &s.pods,
             .check = Between(0, 150000)});
  AddSuiteOptions(table, s.suite);
  return table;
}

struct Entry {
  Contestant contestant;
  Tasks tasks;
};

std::vector<Entry> Entries(const Settings& s) {
  const std::string no_go = s.controller_runtime.empty() ? "no program was given" : "";
  const std::string no_rust = s.kube_rs.empty() ? s.kube_rs_not_run : "";
  return {
      {{names::kOurs, {s.podwatch}, ""}, {.start = true, .queue = true, .decode = true}},
      {{names::kGo, {s.controller_runtime}, no_go}, {.start = true, .queue = true}},
      {{names::kOursCache, {s.podwatch, "--no-reconcile"}, ""}, {.idle = false, .storm = false}},
      {{names::kRust, {s.kube_rs}, no_rust}, {.start = true}},
      {{names::kOursWhole, {s.podwatch, "--keep-all"}, ""}, {.events = false, .storm = false}},
      {{names::kGoUnstructured, {s.controller_runtime, "--unstructured"}, no_go}, {}},
  };
}

Plan PlanFor(const Settings& s) {
  Plan plan = s.suite.quick ? Plan::Quick() : Plan();
  plan.pods = s.pods > 0 ? static_cast<size_t>(s.pods) : plan.pods;
  plan.rounds = s.suite.RoundsOr(plan.rounds);
  return plan;
}

// Everybody once, another one first each time, so that no one always follows the same one. A
// contestant that fails is out.
void RunRound(Round& round, size_t number, std::vector<Entry>& entries, Samples& samples) {
  for (size_t i = 0; i < entries.size(); ++i) {
    auto& [contestant, tasks] = entries[(i + number) % entries.size()];
    if (!contestant.not_run.empty()) {
      continue;
    }
    std::cerr << fmt::format("bench: round {}, {}\n", number + 1, contestant.name);
    if (const Status done = round.Run(contestant, tasks, samples); !done.ok()) {
      contestant.not_run = std::string(done.message());
      std::cerr << "bench: " << contestant.not_run << "\n";
    }
  }
}

std::vector<std::string> Conditions(const Plan& plan, double listed_bytes_per_pod) {
  return {DescribeMachine() + "; server, load and contestants share them",
          fmt::format("{} Pods of {:.0f} bytes of JSON as listed, {} Pods to an app; {} rounds, "
                      "contestants interleaved",
                      plan.pods, listed_bytes_per_pod, 100, plan.rounds)};
}

// What it measured until it failed stays.
Status RunValidate(const Settings& s, const Plan& plan, const Cluster& cluster,
                   const std::string& directory, Samples& samples) {
  if (s.hearth.empty()) {
    return NotFoundError("no program was given");
  }
  ValidateRace race(s.hearth, cluster.kubeconfig(), directory + "/manifests", plan);
  RETURN_IF_ERROR(race.Prepare());
  for (size_t round = 0; round < std::min(plan.rounds, plan.validate_rounds); ++round) {
    std::cerr << fmt::format("bench: round {}, hearth validate\n", round + 1);
    RETURN_IF_ERROR(race.Run(samples));
  }
  return Status::Ok();
}

Status Report(const Settings& s, const Plan& plan, const Samples& samples,
              const std::vector<Entry>& entries, const Status& validated) {
  std::vector<Contestant> contestants = {{names::kKubectl, {}, std::string(validated.message())},
                                         {names::kUpstream, {}, kNoUpstream}};
  for (const Entry& entry : entries) {
    contestants.push_back(entry.contestant);
  }
  std::vector<Row> rows = MakeRows(samples, plan, contestants);
  if (s.part != kAll) {
    std::erase_if(rows, [](const Row& row) { return !row.ratio && row.not_run != kNoUpstream; });
  }
  const double listed = Summarize(samples.Get(names::kOurs, metric::kListedBytesPerPod)).median;
  RETURN_IF_ERROR(TellRows("runtime", s.suite, rows, Conditions(plan, listed)));
  if (s.part == kValidate || s.part == kDoor) {
    return s.part == kValidate ? validated : Status::Ok();
  }
  // A peer may fail and is reported; without ours nothing was measured.
  const bool failed = !entries.front().contestant.not_run.empty();
  return failed ? UnavailableError(entries.front().contestant.not_run) : Status();
}

Status RunControllers(const Plan& plan, Cluster& cluster, const std::string& directory,
                      std::vector<Entry>& entries, Samples& samples) {
  std::cerr << fmt::format("bench: creating {} Pods\n", plan.pods);
  RETURN_IF_ERROR(CreatePods(cluster.client(), kEmptyNameSpace, 0));
  RETURN_IF_ERROR(CreatePods(cluster.client(), kFewNameSpace, plan.few_pods));
  RETURN_IF_ERROR(CreatePods(cluster.client(), kPodsNameSpace, plan.pods));
  Round round(cluster, plan, kPodsNameSpace, kFewNameSpace, kEmptyNameSpace, directory);
  for (size_t number = 0; number < plan.rounds; ++number) {
    RunRound(round, number, entries, samples);
  }
  return Status::Ok();
}

Status RunDoor(const Plan& plan, Samples& samples) {
  for (size_t round = 0; round < plan.rounds; ++round) {
    std::cerr << fmt::format("bench: round {}, admission and conversion\n", round + 1);
    RETURN_IF_ERROR(MeasureDoor(plan, samples));
  }
  return Status::Ok();
}

Status Run(const Settings& s) {
  const Plan plan = PlanFor(s);
  std::vector<Entry> entries = Entries(s);
  Samples samples;
  if (s.part == kAll || s.part == kDoor) {
    RETURN_IF_ERROR(RunDoor(plan, samples));
  }
  if (s.part == kDoor) {
    return Report(s, plan, samples, entries, NotFoundError("not asked for"));
  }
  const TempDirectory scratch;
  ASSIGN_OR_RETURN(const auto cluster, Cluster::Start());
  if (s.part != kValidate) {
    RETURN_IF_ERROR(RunControllers(plan, *cluster, scratch.path(), entries, samples));
  }
  const Status validated = s.part == kControllers
                               ? NotFoundError("not asked for")
                               : RunValidate(s, plan, *cluster, scratch.path(), samples);
  return Report(s, plan, samples, entries, validated);
}

int Main(int argc, const char* const* argv) {
  Settings settings;
  const OptionTable table = Options(settings);
  return SuiteMain(argc, argv, table, [&] { return Run(settings); });
}

}  // namespace
}  // namespace hearth::bench

int main(int argc, char** argv) { return hearth::bench::Main(argc, argv); }
