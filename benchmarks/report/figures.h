#pragma once

#include <map>
#include <string>
#include <vector>

#include "statistics.h"

namespace hearth::bench {

// What was measured, by name, one value a round; and why something was not.
class Figures {
 public:
  void Add(const std::string& name, double value);
  void NotRun(const std::string& name, std::string why);
  const std::vector<double>& Get(const std::string& name) const { return samples_.Get("", name); }
  std::string WhyNot(const std::string& name) const;

 private:
  Samples samples_;
  std::map<std::string, std::string> not_run_;
};

// Of many values; 0 without any.
double Quantile(std::vector<double> values, double fraction);

}  // namespace hearth::bench
