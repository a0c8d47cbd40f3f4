#include "door_figures.h"

#include <algorithm>
#include <ctime>
#include <vector>

#include "admission/grove/grove_rules.h"
#include "admission/grove/testing/large_set.h"
#include "api/conversion/convert.h"
#include "api/conversion/testing/full_graph.h"
#include "rows.h"

namespace hearth::bench {
namespace {

using json::Value;

double ProcessorSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

// Of `times` runs, each timed on its own and prepared untimed.
template <typename Prepare, typename Run>
std::vector<double> Timed(size_t times, const Prepare& prepare, const Run& run) {
  std::vector<double> seconds;
  for (size_t i = 0; i < times; ++i) {
    auto prepared = prepare();
    const double begin = ProcessorSeconds();
    run(prepared);
    seconds.push_back(ProcessorSeconds() - begin);
  }
  std::sort(seconds.begin(), seconds.end());
  return seconds;
}

double Quantile(const std::vector<double>& sorted, size_t percent) {
  return sorted[sorted.size() * percent / 100];
}

Status MeasureAdmission(const Plan& plan, Samples& samples) {
  const admission::KindRules& rules = admission::GroveRules().front();
  const Value set = admission::grove::SetOf1000Pods();
  size_t found = 0;
  const auto seconds = Timed(
      plan.door_runs, [&] { return set; },
      [&](Value& given) {
        admission::Findings findings;
        rules.set_defaults(given, {});
        rules.validate(given, {}, findings);
        found += findings.errors().size();
      });
  if (found > 0) {
    return InvalidError("the set of 1,000 pods is refused");
  }
  samples.Add(names::kOurs, metric::kAdmissionP99Seconds, Quantile(seconds, 99));
  return Status::Ok();
}

Status MeasureConversion(const Plan& plan, const Value& object, std::string_view version,
                         const char* metric, Samples& samples) {
  Status failed;
  const auto seconds = Timed(
      plan.door_runs, [] { return 0; },
      [&](int) {
        if (auto converted = api::conversion::Convert(object, version); !converted.ok()) {
          failed = converted.status();
        }
      });
  RETURN_IF_ERROR(failed);
  samples.Add(names::kOurs, metric, Quantile(seconds, 50));
  return Status::Ok();
}

}  // namespace

Status MeasureDoor(const Plan& plan, Samples& samples) {
  RETURN_IF_ERROR(MeasureAdmission(plan, samples));
  const Value older = api::conversion::testing::FullGraph();
  ASSIGN_OR_RETURN(const Value newer, api::conversion::Convert(older, "v1beta1"));
  RETURN_IF_ERROR(MeasureConversion(plan, older, "v1beta1", metric::kToBetaSeconds, samples));
  return MeasureConversion(plan, newer, "v1alpha1", metric::kToAlphaSeconds, samples);
}

}  // namespace hearth::bench
