// Measures our operator beside upstream's Grove, on a real API server. Started by ./bench grove.
#include <fmt/format.h>

#include <iostream>
#include <utility>
#include <vector>

#include "base/testing/temp_directory.h"
#include "machine.h"
#include "names.h"
#include "round.h"
#include "rows.h"
#include "suite.h"

namespace hearth::bench {
namespace {

using Part = Round::Part;

constexpr const char* kAll = "all";
constexpr const char* kGrowth = "growth";
const std::vector<std::pair<std::string, Part>> kParts = {
    {"start", Part::kStart}, {"raw", Part::kBare},      {"deploy", Part::kDeploy},
    {"small", Part::kSmall}, {"claims", Part::kClaims}, {"memory", Part::kMemory}};

struct Settings {
  std::string hearth_operator;
  std::string upstream;
  std::string upstream_not_run = "no program was given";
  std::string part = kAll;
  int64_t pods = 0;
  SuiteSettings suite;
};

OptionTable Options(Settings& s) {
  OptionTable table("bench-grove", "Measures the operator of pod groups beside upstream's.");
  std::vector<std::string> parts = {kAll, kGrowth};
  for (const auto& [name, part] : kParts) {
    parts.push_back(name);
  }
  table.Add({.name = "hearth-operator",
             .help = "Our operator's program",
             .target = &s.hearth_operator,
             .required = true});
  table.Add({.name = "upstream", .help = "Upstream's operator's program", .target = &s.upstream});
  table.Add(
      {.name = "upstream-not-run", .help = "Why there is none", .target = &s.upstream_not_run});
  table.Add({.name = "part", .help = "What to run", .target = &s.part, .choices = parts});
  table.Add({.name = "pods",
             .help = "Pods of the largest set that growth goes to; 0: the plan's",
             .target = &s.pods,
             .check = Between(0, 20000)});
  AddSuiteOptions(table, s.suite);
  return table;
}

Plan PlanFor(const Settings& s) {
  Plan plan = s.suite.quick ? Plan::Quick() : Plan();
  plan.rounds = s.suite.RoundsOr(plan.rounds);
  if (s.pods > 0) {
    plan.growth.back() = static_cast<int>(s.pods) / kPodsPerReplica;
  }
  return plan;
}

std::vector<Contestant> Contestants(const Settings& s) {
  const std::string why_not = s.upstream.empty() ? s.upstream_not_run : "";
  return {{who::kOurs, s.hearth_operator, Contestant::Kind::kHearth, ""},
          {who::kUpstream, s.upstream, Contestant::Kind::kUpstream, why_not},
          {who::kUnlimited, s.upstream, Contestant::Kind::kUpstreamUnlimited, why_not}};
}

std::vector<Part> Parts(const std::string& wanted) {
  std::vector<Part> parts;
  for (const auto& [name, part] : kParts) {
    if (wanted == kAll || wanted == name) {
      parts.push_back(part);
    }
  }
  return parts;
}

// A directory for one operator's turn, removed with it.
class Turn {
 public:
  Turn(const Settings& s, const Plan& plan, const Contestant& contestant, Figures& figures)
      : round_(plan, contestant, s.hearth_operator, directory_.path(), figures) {}
  Round* operator->() { return &round_; }

 private:
  TempDirectory directory_;
  Round round_;
};

// Everybody once, each on a stage of its own, another one first each time. A peer that fails is out
// and told; without ours nothing is measured.
Status RunRound(const Settings& s, const Plan& plan, size_t number,
                std::vector<Contestant>& contestants, Figures& figures) {
  for (size_t i = 0; i < contestants.size(); ++i) {
    Contestant& contestant = contestants[(i + number) % contestants.size()];
    if (!contestant.not_run.empty()) {
      continue;
    }
    std::cerr << fmt::format("bench: round {}, {}\n", number + 1, contestant.name);
    const Status done = Turn(s, plan, contestant, figures)->Run(Parts(s.part));
    if (done.ok()) {
      continue;
    }
    RETURN_IF_ERROR(contestant.kind == Contestant::Kind::kHearth ? done : Status());
    contestant.not_run = std::string(done.message());
    std::cerr << "bench: " << contestant.not_run << "\n";
  }
  return {};
}

Status Measure(const Settings& s, const Plan& plan, std::vector<Contestant>& contestants,
               Figures& figures) {
  const size_t rounds = Parts(s.part).empty() ? 0 : plan.rounds;
  for (size_t number = 0; number < rounds; ++number) {
    RETURN_IF_ERROR(RunRound(s, plan, number, contestants, figures));
  }
  if (s.part != kAll && s.part != kGrowth) {
    return {};
  }
  return Turn(s, plan, contestants.front(), figures)->Grow();
}

std::vector<std::string> Conditions(const Plan& plan) {
  return {
      DescribeMachine() + "; API server, etcd, operator and whoever plays the nodes share them",
      fmt::format("{} rounds, a fresh API server for each operator's turn, who is first "
                  "alternates; etcd without fsync; growth once",
                  plan.rounds),
      "both operators: definitions of deploy/crds, no webhooks, no leader election, their own "
      "defaults otherwise; -unlimited is upstream with its client's limit of 100 requests a second "
      "off",
      "requests are counted from the API server's audit log, without watches; pods are bound and "
      "reported ready by a stand-in for scheduler and kubelets"};
}

Status Run(const Settings& s) {
  const Plan plan = PlanFor(s);
  std::vector<Contestant> contestants = Contestants(s);
  Figures figures;
  const Status measured = Measure(s, plan, contestants, figures);
  for (const Contestant& contestant : contestants) {
    if (!contestant.not_run.empty()) {
      NotRun(figures, contestant.name, contestant.not_run);
    }
  }
  std::vector<Row> rows = MakeRows(figures, plan);
  if (s.part != kAll) {
    std::erase_if(rows, [](const Row& row) { return !row.ratio; });
  }
  RETURN_IF_ERROR(TellRows("grove", s.suite, rows, Conditions(plan)));
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
