#pragma once

#include <string_view>
#include <vector>

#include "json/value.h"

namespace hearth::dynamo::internal {

inline constexpr std::string_view kProbes[] = {"startupProbe", "livenessProbe", "readinessProbe"};

// In seconds and times; 0 is left out.
struct ProbeTimes {
  int delay = 0;
  int period = 10;
  int timeout = 1;
  int failures = 3;
};
json::Value HttpProbe(std::string_view path, std::string_view port, const ProbeTimes& times);
json::Value ExecProbe(const std::vector<std::string>& command, const ProbeTimes& times);

// Gives HTTP and TCP probes of a container another port.
void RetargetProbes(json::Value& container, std::string_view port);

}  // namespace hearth::dynamo::internal
