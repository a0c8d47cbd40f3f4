#pragma once

#include <optional>
#include <string>

#include "figures.h"
#include "report.h"

namespace hearth::bench {

// From seconds and bytes to what people read.
inline constexpr double kMs = 1e3;
inline constexpr double kUs = 1e6;
inline constexpr double kGb = 1e-9;
inline constexpr double kMiB = 1 / 1024.0 / 1024.0;

// A goal for one figure of ours against another one.
struct Question {
  std::string bench;
  std::string what;
  std::string ours;
  std::string peer;  // a figure
  std::string peer_name;
  std::string unit;
  double scale = 1;  // from the figures to the unit
  Better better = Better::kLower;
  std::optional<double> goal;
  bool inverse = false;         // peer by ours
  std::optional<double> limit;  // instead of a peer, in the unit
};

// Both bytes a second.
Question Rate(std::string bench, std::string what, const char* ours, const char* peer,
              std::string peer_name, std::optional<double> goal);
// Both seconds; `scale` is kMs or kUs.
Question Time(std::string bench, std::string what, const char* ours, const char* peer,
              std::string peer_name, double scale, std::optional<double> goal);
// At most so much.
Question Limit(std::string bench, std::string what, const char* ours, std::string unit,
               double scale, double limit);

// What the figures say about it, round by round. Pure.
Row Answer(const Figures& figures, const Question& q);

}  // namespace hearth::bench
