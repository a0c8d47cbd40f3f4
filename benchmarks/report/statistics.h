#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace hearth::bench {

// Median and quartiles of what several rounds gave.
struct Spread {
  double low = 0;  // first quartile
  double median = 0;
  double high = 0;  // third quartile
  size_t rounds = 0;
};
Spread Summarize(std::vector<double> values);

// What was measured: for each contestant and each metric one value a round, in the order of the
// rounds.
class Samples {
 public:
  void Add(const std::string& contestant, const std::string& metric, double value);
  // Empty when it was not measured.
  const std::vector<double>& Get(const std::string& contestant, const std::string& metric) const;

 private:
  std::map<std::pair<std::string, std::string>, std::vector<double>> values_;
};

// Element by element, as far as both go: values of one round belong together.
std::vector<double> Ratios(const std::vector<double>& above, const std::vector<double>& below);

}  // namespace hearth::bench
