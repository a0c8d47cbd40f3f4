#include "rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "names.h"
#include "question.h"

namespace hearth::bench {
namespace {

const std::vector<const char*>& AllFigures() {
  static const std::vector<const char*> kAll = {
      figure::kStart,       figure::kIdleBytes,    figure::kCreated,  figure::kReady,
      figure::kAvailable,   figure::kDeployCpu,    figure::kRequests, figure::kWrites,
      figure::kSetStatus,   figure::kPartStatus,   figure::kEvents,   figure::kConflicts,
      figure::kResyncCpu,   figure::kResyncWrites, figure::kHalf,     figure::kWhole,
      figure::kZero,        figure::kAgain,        figure::kGone,     figure::kChurnWorst,
      figure::kChurnMedian, figure::kSmall,        figure::kSmallP99, figure::kClaimRate,
      figure::kPodBytes,    figure::kFullBytes,    figure::kPeakBytes};
  return kAll;
}

std::string Ours(const char* figure) { return Of(who::kOurs, figure); }

// How a figure is told.
struct Told {
  const char* figure;
  const char* unit;
  double scale = 1;
};

// How many times better than upstream, whose figure is larger when it is worse.
Question Against(const char* peer, std::string bench, std::string what, const Told& told,
                 std::optional<double> goal) {
  return {.bench = std::move(bench),
          .what = std::move(what),
          .ours = Ours(told.figure),
          .peer = Of(peer, told.figure),
          .peer_name = peer,
          .unit = told.unit,
          .scale = told.scale,
          .better = Better::kHigher,
          .goal = goal,
          .inverse = true};
}

class Questions {
 public:
  // Against upstream as it comes, and without its limit.
  void Upstream(const std::string& bench, const std::string& what, const Told& told,
                std::optional<double> goal, std::optional<double> unlimited_goal = {}) {
    all_.push_back(Against(who::kUpstream, bench, what, told, goal));
    all_.push_back(Against(who::kUnlimited, bench + ".unlimited", what, told, unlimited_goal));
  }
  void Budget(const std::string& bench, const std::string& what, const Told& told, double limit) {
    all_.push_back(Limit(bench, what, Ours(told.figure).c_str(), told.unit, told.scale, limit));
  }
  // Of two figures that belong together.
  void Part(Question question) { all_.push_back(std::move(question)); }
  std::vector<Question> Take() { return std::move(all_); }

 private:
  std::vector<Question> all_;
};

void AskDeploy(Questions& ask, const Plan& plan) {
  const std::string set = fmt::format("a set of {} pods", plan.replicas * kPodsPerReplica);
  ask.Upstream("D1", set + ", apply until all are created", {figure::kCreated, "ms", kMs}, 6, 1.5);
  ask.Upstream("D1.ready", set + ", until all are ready", {figure::kReady, "ms", kMs}, {});
  ask.Upstream("D1.available", set + ", until its status says available",
               {figure::kAvailable, "ms", kMs}, {});
  ask.Upstream("D1.cpu", set + ", CPU time of the operator", {figure::kDeployCpu, "ms", kMs}, {});
  ask.Part({.bench = "D2",
            .what = set + ", writes a second, pods not run, against a loop that only creates",
            .ours = figure::kBareWriteRate,
            .peer = figure::kRawWriteRate,
            .peer_name = "32 connections",
            .unit = "/s",
            .better = Better::kHigher,
            .goal = 0.75});
  ask.Part({.bench = "D2.time",
            .what = set + ", until all objects are there, against that loop",
            .ours = figure::kBareSeconds,
            .peer = figure::kRawSeconds,
            .peer_name = "32 connections",
            .unit = "ms",
            .scale = kMs,
            .goal = 1.35});
  ask.Upstream("D3", set + ", requests for each pod", {figure::kRequests, "/pod"}, 1.7);
  ask.Budget("D3.writes", "writes for each object made, without statuses and events",
             {figure::kWrites, "/object"}, 1);
  ask.Budget("D3.set_status", "status writes for the set", {figure::kSetStatus, "writes"}, 3);
  ask.Upstream("D3.set_status.upstream", "status writes for the set",
               {figure::kSetStatus, "writes"}, {});
  ask.Upstream("D3.part_status", "status writes for each clique and gang",
               {figure::kPartStatus, "writes"}, {});
}

void AskScaling(Questions& ask, const Plan& plan) {
  const int all = plan.replicas;
  ask.Upstream("D4.down", fmt::format("{} replicas to {}", all, all / 2),
               {figure::kHalf, "ms", kMs}, 6);
  ask.Upstream("D4.up_half", fmt::format("{} replicas to {}", all / 2, all),
               {figure::kWhole, "ms", kMs}, {});
  ask.Upstream("D4.zero", fmt::format("{} replicas to 0", all), {figure::kZero, "ms", kMs}, 6);
  ask.Upstream("D4.up", fmt::format("0 replicas to {}", all), {figure::kAgain, "ms", kMs}, 6);
  ask.Upstream("D4.gone", fmt::format("a set of {} replicas deleted, until nothing is left", all),
               {figure::kGone, "ms", kMs}, {});
}

void AskSmall(Questions& ask, const Plan& plan) {
  ask.Part({.bench = "D5",
            .what = "a set of 10 pods, apply until all are created, against ten creates in a row",
            .ours = Ours(figure::kSmall),
            .peer = figure::kRawSmall,
            .peer_name = "1 connection",
            .unit = "ms",
            .scale = kMs,
            .goal = 3});
  ask.Budget("D5.median", "a set of 10 pods, median", {figure::kSmall, "ms", kMs}, 60);
  ask.Budget("D5.p99", "a set of 10 pods, p99", {figure::kSmallP99, "ms", kMs}, 100);
  ask.Upstream("D5.upstream", "a set of 10 pods, median", {figure::kSmall, "ms", kMs}, {});
  ask.Part(
      {.bench = "D6",
       .what = fmt::format("{} cycles between {} and {} replicas, the worst against the median",
                           plan.churn_cycles, plan.churn_low, plan.churn_high),
       .ours = Ours(figure::kChurnWorst),
       .peer = Ours(figure::kChurnMedian),
       .peer_name = "median",
       .unit = "ms",
       .scale = kMs,
       .goal = 1.5});
  ask.Upstream("D6.worst", "the worst of these cycles", {figure::kChurnWorst, "ms", kMs}, {});
}

void AskProgram(Questions& ask, const Plan& plan) {
  ask.Budget("D8", "memory for one more cached pod", {figure::kPodBytes, "B/pod"}, 700);
  ask.Upstream("D8.upstream", "memory for one more cached pod", {figure::kPodBytes, "B/pod"}, 10);
  const Told idle{figure::kIdleBytes, "MiB", kMiB};
  ask.Budget("D9", "resident memory with nothing to do", idle, 8);
  ask.Upstream("D9.upstream", "resident memory with nothing to do", idle, 6);
  const Told start{figure::kStart, "ms", kMs};
  ask.Budget("D9.start", "start until the first request", start, 10);
  ask.Upstream("D9.start.upstream", "start until the first request", start, 10);
  ask.Part({.bench = "D10",
            .what = fmt::format("peak memory of a start with {} pods there", plan.many_pods),
            .ours = Ours(figure::kPeakBytes),
            .peer = Ours(figure::kFullBytes),
            .peer_name = "at rest",
            .unit = "MiB",
            .scale = kMiB,
            .goal = 1.2});
  ask.Part({.bench = "D11",
            .what = fmt::format("writes of a look at {} settled replicas", plan.replicas),
            .ours = Ours(figure::kResyncWrites),
            .peer_name = "one",
            .unit = "writes",
            .goal = 0,
            .limit = 1});
  ask.Budget("D11.cpu", fmt::format("CPU time of a look at {} settled replicas", plan.replicas),
             {figure::kResyncCpu, "ms", kMs}, 20);
  ask.Upstream("D11.upstream", "CPU time of such a look", {figure::kResyncCpu, "ms", kMs}, {});
}

void AskClaims(Questions& ask, const Plan& plan) {
  ask.Part({.bench = "D13",
            .what = fmt::format("{} claims of a set that shares devices, against a loop",
                                plan.replicas + 1),
            .ours = Ours(figure::kClaimRate),
            .peer = figure::kRawClaimRate,
            .peer_name = "32 connections",
            .unit = "/s",
            .better = Better::kHigher,
            .goal = 0.75});
  for (const char* peer : {who::kUpstream, who::kUnlimited}) {
    ask.Part({.bench = fmt::format("D13.{}", peer),
              .what = "claims a second",
              .ours = Ours(figure::kClaimRate),
              .peer = Of(peer, figure::kClaimRate),
              .peer_name = peer,
              .unit = "/s",
              .better = Better::kHigher});
  }
}

// More of the same must not cost more each.
void AskGrowth(Questions& ask, const Plan& plan) {
  for (size_t step = 1; step < plan.growth.size(); ++step) {
    const int from = plan.growth[step - 1] * kPodsPerReplica;
    const int to = plan.growth[step] * kPodsPerReplica;
    const struct {
      const char* bench;
      const char* what;
      const char* figure;
      const char* unit;
      double scale;
    } kGrowth[] = {{"growth.requests", "requests for each pod", figure::kGrowthRequests, "/pod", 1},
                   {"growth.time", "time for each pod until available", figure::kGrowthSeconds,
                    "ms/pod", kMs}};
    for (const auto& [bench, what, figure, unit, scale] : kGrowth) {
      ask.Part({.bench = fmt::format("{}.{}", bench, to),
                .what = fmt::format("{}, {} pods against {}", what, to, from),
                .ours = At(figure, step),
                .peer = At(figure, step - 1),
                .peer_name = fmt::format("{} pods", from),
                .unit = unit,
                .scale = scale,
                .goal = 1.1});
    }
  }
}

}  // namespace

void NotRun(Figures& figures, const std::string& operator_name, const std::string& why) {
  for (const char* figure : AllFigures()) {
    figures.NotRun(Of(operator_name, figure), why);
  }
}

std::vector<Row> MakeRows(const Figures& figures, const Plan& plan) {
  Questions ask;
  AskDeploy(ask, plan);
  AskScaling(ask, plan);
  AskSmall(ask, plan);
  AskProgram(ask, plan);
  AskClaims(ask, plan);
  AskGrowth(ask, plan);
  const std::vector<Question> questions = ask.Take();
  std::vector<Row> rows;
  rows.reserve(questions.size());
  std::transform(questions.begin(), questions.end(), std::back_inserter(rows),
                 [&](const Question& question) { return Answer(figures, question); });
  return rows;
}

}  // namespace hearth::bench
