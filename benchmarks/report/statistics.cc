#include "statistics.h"

#include <algorithm>
#include <cmath>

namespace hearth::bench {
namespace {

// With linear interpolation between the two nearest.
double Quantile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(std::floor(place));
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

Spread Summarize(std::vector<double> values) {
  if (values.empty()) {
    return {};
  }
  std::sort(values.begin(), values.end());
  return {Quantile(values, 0.25), Quantile(values, 0.5), Quantile(values, 0.75), values.size()};
}

void Samples::Add(const std::string& contestant, const std::string& metric, double value) {
  values_[{contestant, metric}].push_back(value);
}

const std::vector<double>& Samples::Get(const std::string& contestant,
                                        const std::string& metric) const {
  static const std::vector<double> kNone;
  const auto found = values_.find({contestant, metric});
  return found == values_.end() ? kNone : found->second;
}

std::vector<double> Ratios(const std::vector<double>& above, const std::vector<double>& below) {
  std::vector<double> ratios;
  for (size_t i = 0; i < std::min(above.size(), below.size()); ++i) {
    ratios.push_back(below[i] == 0 ? 0 : above[i] / below[i]);
  }
  return ratios;
}

}  // namespace hearth::bench
