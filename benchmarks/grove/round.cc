#include "round.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>
#include <utility>

#include "copied_pods.h"
#include "manifests.h"
#include "raw_loop.h"
#include "scratch.h"

namespace hearth::bench {
namespace {

// Resident memory is read when nothing has happened for so long.
constexpr auto kRest = std::chrono::seconds(1);

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

}  // namespace

Round::Round(const Plan& plan, Contestant contestant, std::string hearth_operator,
             std::string directory, Figures& figures)
    : plan_(plan),
      contestant_(std::move(contestant)),
      hearth_operator_(std::move(hearth_operator)),
      directory_(std::move(directory)),
      figures_(figures) {}

void Round::Add(const char* figure, double value) {
  figures_.Add(Of(contestant_.name, figure), value);
}

Status Round::SetStage() {
  ASSIGN_OR_RETURN(stage_, Stage::Set(hearth_operator_, directory_));
  return StartOperator();
}

Status Round::StartOperator() {
  ASSIGN_OR_RETURN(operator_,
                   OperatorProcess::Start(contestant_, stage_->operator_kubeconfig(), directory_));
  return {};
}

Status Round::Run(const std::vector<Part>& parts) {
  RETURN_IF_ERROR(SetStage());
  for (const Part part : parts) {
    RETURN_IF_ERROR(RunPart(part));
  }
  return {};
}

Status Round::RunPart(Part part) {
  switch (part) {
    case Part::kStart:
      return MeasureStart();
    case Part::kBare:
      return ours() ? MeasureBare() : Status();
    case Part::kDeploy:
      return MeasureDeploy();
    case Part::kSmall:
      RETURN_IF_ERROR(MeasureChurn());
      return MeasureSmall();
    case Part::kClaims:
      return MeasureClaims();
    case Part::kMemory:
      return MeasureMemory();
  }
  return {};
}

Status Round::MeasureStart() {
  ASSIGN_OR_RETURN(const double start,
                   OperatorProcess::SecondsToFirstRequest(contestant_, directory_));
  Add(figure::kStart, start);
  ASSIGN_OR_RETURN(const Memory idle, MemoryAtRest());
  Add(figure::kIdleBytes, idle.resident_bytes);
  return {};
}

Result<Memory> Round::MemoryAtRest() {
  SleepFor(RealClock(), kRest, {});
  return operator_->ReadMemory();
}

Status Round::MeasureBare() {
  stage_->stub().Switch(false);
  ASSIGN_OR_RETURN(Deployment set, Deployment::In(*stage_, plan_, "bare"));
  RETURN_IF_ERROR(stage_->requests().Take());
  RETURN_IF_ERROR(set.Apply(plan_.replicas));
  RETURN_IF_ERROR(set.AwaitPods(plan_.replicas));
  RequestCounts counts;
  RETURN_IF_ERROR(stage_->requests().TakeUntilQuiet(plan_.quiet, Limit(), counts));
  figures_.Add(figure::kBareSeconds, Seconds(counts.last_created() - set.begun()));
  figures_.Add(figure::kBareWriteRate,
               static_cast<double>(counts.writes()) / Seconds(counts.last_write() - set.begun()));

  ASSIGN_OR_RETURN(const std::vector<Made> made, set.Objects());
  ASSIGN_OR_RETURN(const RawObjects raw, MakeRaw(*stage_, made));
  ASSIGN_OR_RETURN(const double seconds, CreateRaw(*stage_, raw, kRawConnections));
  figures_.Add(figure::kRawSeconds, seconds);
  figures_.Add(figure::kRawWriteRate, static_cast<double>(raw.objects.size()) / seconds);
  stage_->stub().Switch(true);
  RETURN_IF_ERROR(set.AwaitAvailable(plan_.replicas));
  return set.Delete().status();
}

void Round::AddCounts(const RequestCounts& counts, int replicas) {
  const double pods = replicas * kPodsPerReplica;
  const auto parts =
      static_cast<double>(counts.status_writes("podcliques") + counts.status_writes("podgangs"));
  Add(figure::kRequests, static_cast<double>(counts.requests()) / pods);
  const size_t writes = counts.writes() - counts.writes_to("podcliquesets");
  Add(figure::kWrites, static_cast<double>(writes) / static_cast<double>(counts.created()));
  Add(figure::kSetStatus, static_cast<double>(counts.status_writes("podcliquesets")));
  Add(figure::kPartStatus, parts / (2.0 * replicas));
  Add(figure::kEvents, static_cast<double>(counts.events()));
  Add(figure::kConflicts, static_cast<double>(counts.conflicts()));
  std::cerr << fmt::format("bench: {}: {}\n", contestant_.name, counts.ToString());
}

Status Round::MeasureDeploy() {
  stage_->stub().Switch(true);
  ASSIGN_OR_RETURN(Deployment set, Deployment::In(*stage_, plan_, "deploy"));
  RETURN_IF_ERROR(stage_->requests().Take());
  ASSIGN_OR_RETURN(const double cpu_before, operator_->CpuSeconds());
  RETURN_IF_ERROR(set.Apply(plan_.replicas));
  RETURN_IF_ERROR(set.AwaitPods(plan_.replicas));
  Add(figure::kCreated, set.seconds());
  RETURN_IF_ERROR(set.AwaitRunning(plan_.replicas));
  Add(figure::kReady, set.seconds());
  RETURN_IF_ERROR(set.AwaitAvailable(plan_.replicas));
  Add(figure::kAvailable, set.seconds());
  RequestCounts counts;
  RETURN_IF_ERROR(stage_->requests().TakeUntilQuiet(plan_.quiet, Limit(), counts));
  ASSIGN_OR_RETURN(const double cpu_after, operator_->CpuSeconds());
  Add(figure::kDeployCpu, cpu_after - cpu_before);
  AddCounts(counts, plan_.replicas);
  RETURN_IF_ERROR(MeasureResync(set));
  RETURN_IF_ERROR(MeasureScaling(set));
  ASSIGN_OR_RETURN(const double gone, set.Delete());
  Add(figure::kGone, gone);
  return {};
}

// What it takes anyway is not the resync's.
Status Round::MeasureResync(Deployment& set) {
  ASSIGN_OR_RETURN(const double at_first, operator_->CpuSeconds());
  const SteadyTime begin = RealClock().Now();
  SleepFor(RealClock(), plan_.quiet, {});
  ASSIGN_OR_RETURN(const double idle_end, operator_->CpuSeconds());
  const double idle_rate = (idle_end - at_first) / SecondsSince(begin);

  RETURN_IF_ERROR(stage_->requests().Take());
  RETURN_IF_ERROR(set.Touch());
  RequestCounts counts;
  RETURN_IF_ERROR(stage_->requests().TakeUntilQuiet(plan_.quiet, Limit(), counts));
  ASSIGN_OR_RETURN(const double end, operator_->CpuSeconds());
  Add(figure::kResyncCpu, std::max(end - idle_end - idle_rate * set.seconds(), 0.0));
  double statuses = 0;
  for (const char* part : {"podcliquesets", "podcliquescalinggroups", "podcliques", "podgangs"}) {
    statuses += static_cast<double>(counts.status_writes(part));
  }
  Add(figure::kResyncWrites, static_cast<double>(counts.writes()) + statuses);
  return {};
}

Status Round::MeasureScaling(Deployment& set) {
  const struct {
    const char* figure;
    int replicas;
  } kSteps[] = {{figure::kHalf, plan_.replicas / 2},
                {figure::kWhole, plan_.replicas},
                {figure::kZero, 0},
                {figure::kAgain, plan_.replicas}};
  for (const auto& [figure, replicas] : kSteps) {
    ASSIGN_OR_RETURN(const double seconds, set.Scale(replicas));
    Add(figure, seconds);
    // The next step begins when the set has arrived.
    RETURN_IF_ERROR(set.AwaitRunning(replicas));
    RETURN_IF_ERROR(set.AwaitAvailable(replicas));
  }
  return {};
}

Status Round::MeasureChurn() {
  stage_->stub().Switch(true);
  ASSIGN_OR_RETURN(Deployment set, Deployment::In(*stage_, plan_, "churn"));
  RETURN_IF_ERROR(set.Apply(plan_.churn_low));
  RETURN_IF_ERROR(set.AwaitAvailable(plan_.churn_low));
  std::vector<double> cycles;
  for (int i = 0; i < plan_.churn_cycles; ++i) {
    ASSIGN_OR_RETURN(const double up, set.Scale(plan_.churn_high));
    RETURN_IF_ERROR(set.AwaitAvailable(plan_.churn_high));
    ASSIGN_OR_RETURN(const double down, set.Scale(plan_.churn_low));
    RETURN_IF_ERROR(set.AwaitAvailable(plan_.churn_low));
    cycles.push_back(up + down);
  }
  Add(figure::kChurnMedian, Quantile(cycles, 0.5));
  Add(figure::kChurnWorst, Quantile(cycles, 1));
  return set.Delete().status();
}

Status Round::MeasureSmall() {
  constexpr int kReplicas = 5;
  std::vector<double> ours_seconds;
  std::vector<double> raw_seconds;
  for (int i = 0; i < plan_.small_sets; ++i) {
    ASSIGN_OR_RETURN(Deployment set, Deployment::In(*stage_, plan_, "small"));
    RETURN_IF_ERROR(set.Apply(kReplicas));
    RETURN_IF_ERROR(set.AwaitPods(kReplicas));
    ours_seconds.push_back(set.seconds());
    RETURN_IF_ERROR(set.AwaitAvailable(kReplicas));
    if (ours()) {
      ASSIGN_OR_RETURN(const std::vector<Made> pods, set.Objects(kube::types::Pods()));
      ASSIGN_OR_RETURN(const RawObjects raw, MakeRaw(*stage_, pods));
      ASSIGN_OR_RETURN(const double seconds, CreateRaw(*stage_, raw, 1));
      raw_seconds.push_back(seconds);
    }
    RETURN_IF_ERROR(set.Delete().status());
  }
  Add(figure::kSmall, Quantile(ours_seconds, 0.5));
  Add(figure::kSmallP99, Quantile(ours_seconds, 0.99));
  if (ours()) {
    figures_.Add(figure::kRawSmall, Quantile(raw_seconds, 0.5));
  }
  return {};
}

Status Round::MeasureClaims() {
  stage_->stub().Switch(false);
  ASSIGN_OR_RETURN(Deployment set, Deployment::In(*stage_, plan_, "claims"));
  const size_t wanted = static_cast<size_t>(plan_.replicas) + 1;
  RETURN_IF_ERROR(set.ApplySharing(plan_.replicas));
  RETURN_IF_ERROR(stage_->claims().Await(
      set.key().name_space, [&](const Population& claims) { return claims.there == wanted; },
      Limit()));
  Add(figure::kClaimRate, static_cast<double>(wanted) / set.seconds());
  RETURN_IF_ERROR(set.AwaitPods(plan_.replicas));
  if (ours()) {
    RequestCounts counts;
    RETURN_IF_ERROR(stage_->requests().TakeUntilQuiet(plan_.quiet, Limit(), counts));
    ASSIGN_OR_RETURN(const std::vector<Made> claims, set.Objects(ResourceClaims()));
    ASSIGN_OR_RETURN(const RawObjects raw, MakeRaw(*stage_, claims));
    ASSIGN_OR_RETURN(const double seconds, CreateRaw(*stage_, raw, kRawConnections));
    figures_.Add(figure::kRawClaimRate, static_cast<double>(wanted) / seconds);
  }
  stage_->stub().Switch(true);
  RETURN_IF_ERROR(set.AwaitAvailable(plan_.replicas));
  return set.Delete().status();
}

// Of what an operator made, copies that it caches and has nothing to do with.
Status Round::MeasureMemory() {
  stage_->stub().Switch(true);
  ASSIGN_OR_RETURN(Deployment set, Deployment::In(*stage_, plan_, "pattern"));
  RETURN_IF_ERROR(set.Apply(1));
  RETURN_IF_ERROR(set.AwaitAvailable(1));
  ASSIGN_OR_RETURN(const std::vector<Made> pods, set.Objects(kube::types::Pods()));
  RETURN_IF_ERROR(set.Delete().status());
  operator_.reset();

  ASSIGN_OR_RETURN(CopiedPods copies, CopiedPods::Of(*stage_, pods.front().object));
  double few = 0;
  for (const size_t count : {plan_.few_pods, plan_.many_pods}) {
    RETURN_IF_ERROR(copies.GrowTo(count, Limit()));
    RETURN_IF_ERROR(StartOperator());
    ASSIGN_OR_RETURN(const Memory memory, MemoryAtRest());
    operator_.reset();
    if (count == plan_.few_pods) {
      few = memory.resident_bytes;
      continue;
    }
    Add(figure::kFullBytes, memory.resident_bytes);
    Add(figure::kPeakBytes, memory.peak_bytes);
    Add(figure::kPodBytes,
        (memory.resident_bytes - few) / static_cast<double>(plan_.many_pods - plan_.few_pods));
  }
  return {};
}

Status Round::Grow() {
  RETURN_IF_ERROR(SetStage());
  stage_->stub().Switch(true);
  for (size_t step = 0; step < plan_.growth.size(); ++step) {
    const int replicas = plan_.growth[step];
    std::cerr << fmt::format("bench: a set of {} pods\n", replicas * kPodsPerReplica);
    ASSIGN_OR_RETURN(Deployment set, Deployment::In(*stage_, plan_, "growth"));
    RETURN_IF_ERROR(stage_->requests().Take());
    RETURN_IF_ERROR(set.Apply(replicas));
    RETURN_IF_ERROR(set.AwaitPods(replicas));
    RETURN_IF_ERROR(set.AwaitAvailable(replicas));
    const double pods = replicas * kPodsPerReplica;
    figures_.Add(At(figure::kGrowthSeconds, step), set.seconds() / pods);
    RequestCounts counts;
    RETURN_IF_ERROR(stage_->requests().TakeUntilQuiet(plan_.quiet, Limit(), counts));
    figures_.Add(At(figure::kGrowthRequests, step), static_cast<double>(counts.requests()) / pods);
    std::cerr << fmt::format("bench: {}\n", counts.ToString());
  }
  return {};
}

}  // namespace hearth::bench
