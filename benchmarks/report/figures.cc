#include "figures.h"

#include <algorithm>
#include <cmath>

namespace hearth::bench {

void Figures::Add(const std::string& name, double value) { samples_.Add("", name, value); }

void Figures::NotRun(const std::string& name, std::string why) {
  not_run_.emplace(name, std::move(why));
}

std::string Figures::WhyNot(const std::string& name) const {
  const auto known = not_run_.find(name);
  return known == not_run_.end() ? "" : known->second;
}

double Quantile(std::vector<double> values, double fraction) {
  if (values.empty()) {
    return 0;
  }
  std::sort(values.begin(), values.end());
  const double place = fraction * static_cast<double>(values.size() - 1);
  return values[static_cast<size_t>(std::lround(place))];
}

}  // namespace hearth::bench
