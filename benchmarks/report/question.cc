#include "question.h"

#include <utility>
#include <vector>

namespace hearth::bench {
namespace {

std::vector<double> Scaled(std::vector<double> values, double scale) {
  for (double& value : values) {
    value *= scale;
  }
  return values;
}

}  // namespace

Question Rate(std::string bench, std::string what, const char* ours, const char* peer,
              std::string peer_name, std::optional<double> goal) {
  return {std::move(bench),
          std::move(what),
          ours,
          peer,
          std::move(peer_name),
          "GB/s",
          kGb,
          Better::kHigher,
          goal};
}

Question Time(std::string bench, std::string what, const char* ours, const char* peer,
              std::string peer_name, double scale, std::optional<double> goal) {
  return {std::move(bench),           std::move(what), ours,           peer, std::move(peer_name),
          scale == kMs ? "ms" : "us", scale,           Better::kLower, goal};
}

Question Limit(std::string bench, std::string what, const char* ours, std::string unit,
               double scale, double limit) {
  return {.bench = std::move(bench),
          .what = std::move(what),
          .ours = ours,
          .peer_name = "limit",
          .unit = std::move(unit),
          .scale = scale,
          .goal = 1,
          .limit = limit};
}

Row Answer(const Figures& figures, const Question& q) {
  const std::vector<double> ours = Scaled(figures.Get(q.ours), q.scale);
  const std::vector<double> peer =
      q.limit ? std::vector<double>(ours.size(), *q.limit) : Scaled(figures.Get(q.peer), q.scale);
  Row row{.bench = q.bench,
          .what = q.what,
          .better = q.better,
          .goal = q.goal,
          .peer_name = q.peer_name,
          .unit = q.unit};
  const std::vector<double> ratios = q.inverse ? Ratios(peer, ours) : Ratios(ours, peer);
  if (ratios.empty()) {
    const std::string why = figures.WhyNot(figures.Get(q.ours).empty() ? q.ours : q.peer);
    row.not_run = why.empty() ? "not measured" : why;
    row.ours = ours.empty() ? 0 : Summarize(ours).median;
    return row;
  }
  row.ratio = Summarize(ratios);
  row.ours = Summarize(ours).median;
  row.peer = Summarize(peer).median;
  return row;
}

}  // namespace hearth::bench
