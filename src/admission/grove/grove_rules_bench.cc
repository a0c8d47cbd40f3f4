#include <benchmark/benchmark.h>

#include <algorithm>
#include <ctime>

#include "admission/grove/grove_rules.h"
#include "base/check.h"
#include "json/parse.h"

namespace hearth::admission {
namespace {

using json::Value;

// One clique of `pods` pods whose containers are configured as those of real engines are.
Value Clique(const std::string& name, int pods, const Value& after) {
  Value env = Value::Array();
  for (int i = 0; i < 12; ++i) {
    env.Append(Value::Object({{"name", "ENGINE_OPTION_" + std::to_string(i)}, {"value", "on"}}));
  }
  const Value container = Value::Object({{"name", "main"},
                                         {"image", "registry.example/engine:1"},
                                         {"args", Value::Array({"--model", "m", "--tp", "8"})},
                                         {"env", std::move(env)}});
  Value clique = Value::Object({{"name", name}, {"labels", Value::Object({{"app", "engine"}})}});
  clique.Set("resourceSharing",
             Value::Array({Value::Object({{"name", "gpu"}, {"scope", "PerReplica"}})}));
  clique.Set(
      "spec",
      Value::Object({{"roleName", name},
                     {"replicas", pods},
                     {"startsAfter", after},
                     {"podSpec", Value::Object({{"containers", Value::Array({container})}})}}));
  return clique;
}

// 1,000 pods: 100 cliques of 5 pods, half of them in ten scaling groups of three replicas.
Value Set() {
  Value cliques = Value::Array();
  Value groups = Value::Array();
  for (int i = 0; i < 100; ++i) {
    const Value after = i == 0 ? Value::Array() : Value::Array({"worker-" + std::to_string(i - 1)});
    cliques.Append(Clique("worker-" + std::to_string(i), 5, after));
  }
  for (int i = 0; i < 10; ++i) {
    Value members = Value::Array();
    for (int k = 0; k < 5; ++k) {
      members.Append("worker-" + std::to_string(i * 5 + k));
    }
    groups.Append(Value::Object({{"name", "group-" + std::to_string(i)},
                                 {"cliqueNames", std::move(members)},
                                 {"replicas", 3},
                                 {"minAvailable", 1}}));
  }
  Value set = Value::Object({{"apiVersion", "grove.io/v1alpha1"}, {"kind", "PodCliqueSet"}});
  set.MakePath("metadata.name") = "large";
  set.MakePath("spec.replicas") = 1;
  Value& set_template = set.MakePath("spec.template");
  set_template["cliqueStartupType"] = "CliqueStartupTypeExplicit";
  set_template["resourceClaimTemplates"] =
      json::ParseValue(R"([{"name":"gpu","templateSpec":{"spec":{"devices":{"requests":[)"
                       R"({"name":"gpu","exactly":{"deviceClassName":"gpu.example"}}]}}}}])")
          .value();
  set_template["cliques"] = std::move(cliques);
  set_template["podCliqueScalingGroups"] = std::move(groups);
  return set;
}

double MicrosOf(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

double At(std::vector<double>& sorted, size_t percent) {
  std::sort(sorted.begin(), sorted.end());
  return sorted[sorted.size() * percent / 100];
}

// The slowest one in a hundred is what is promised, so every run is timed; by the processor as
// well, since on a busy machine the clock mostly tells how long others ran.
template <typename Run>
void Time(benchmark::State& state, const Run& run) {
  std::vector<double> wall;
  std::vector<double> processor;
  for (auto _ : state) {
    const double start = MicrosOf(CLOCK_MONOTONIC);
    const double processor_start = MicrosOf(CLOCK_THREAD_CPUTIME_ID);
    run();
    processor.push_back(MicrosOf(CLOCK_THREAD_CPUTIME_ID) - processor_start);
    wall.push_back(MicrosOf(CLOCK_MONOTONIC) - start);
  }
  state.counters["p50_us"] = At(wall, 50);
  state.counters["p99_us"] = At(wall, 99);
  state.counters["p99_cpu_us"] = At(processor, 99);
}

Value Defaulted() {
  Value set = Set();
  GroveRules().front().set_defaults(set, {});
  return set;
}

void Validate(const Value& set, const Request& request) {
  Findings findings;
  GroveRules().front().validate(set, request, findings);
  CHECK(findings.ok()) << findings.errors()[0].error.ToString();
}

void BM_ValidateSetOf1000Pods(benchmark::State& state) {
  const Value set = Defaulted();
  Time(state, [&] { Validate(set, {}); });
  state.counters["bytes"] = static_cast<double>(set.Write().size());
}
BENCHMARK(BM_ValidateSetOf1000Pods);

void BM_ValidateUpdateOf1000Pods(benchmark::State& state) {
  const Value set = Defaulted();
  Request request;
  request.operation = Operation::kUpdate;
  request.old = &set;
  Time(state, [&] { Validate(set, request); });
}
BENCHMARK(BM_ValidateUpdateOf1000Pods);

void BM_DefaultSetOf1000Pods(benchmark::State& state) {
  const Value given = Set();
  for (auto _ : state) {
    state.PauseTiming();
    Value set = given;
    state.ResumeTiming();
    GroveRules().front().set_defaults(set, {});
  }
}
BENCHMARK(BM_DefaultSetOf1000Pods);

}  // namespace
}  // namespace hearth::admission
