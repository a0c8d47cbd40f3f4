#include <benchmark/benchmark.h>

#include "cel/json_value.h"
#include "cel/program.h"
#include "json/parse.h"

namespace hearth::cel {
namespace {

constexpr std::string_view kComparison = "self.minReplicas <= self.replicas";
constexpr std::string_view kRule =
    "self.containers.all(c, c.name.matches('^[a-z]+$') && (!has(c.ports) || "
    "c.ports.all(p, p > 0 && p < 65536)))";

const json::Value& Self() {
  static const json::Value self =
      json::ParseValue(R"({"minReplicas":1,"replicas":2,"containers":[)"
                       R"({"name":"a","ports":[80,443]},{"name":"b"},{"name":"c","ports":[1]}]})")
          .value();
  return self;
}

Environment WithSelf() { return {.variables = {{"self", std::nullopt}}}; }

void BM_Compile(benchmark::State& state, std::string_view text) {
  for (auto _ : state) {
    auto program = Compile(text, WithSelf());
    benchmark::DoNotOptimize(program);
  }
}
BENCHMARK_CAPTURE(BM_Compile, comparison, kComparison);
BENCHMARK_CAPTURE(BM_Compile, rule, kRule);

void BM_Evaluate(benchmark::State& state, std::string_view text) {
  const auto program = Compile(text, WithSelf()).value();
  const Activation variables = {FromJson(Self())};
  for (auto _ : state) {
    CostBudget budget;
    auto value = program->Evaluate(variables, budget);
    benchmark::DoNotOptimize(value);
  }
}
BENCHMARK_CAPTURE(BM_Evaluate, comparison, kComparison);
BENCHMARK_CAPTURE(BM_Evaluate, rule, kRule);

}  // namespace
}  // namespace hearth::cel
