#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearth::gms::ctl {

// One line of a Prometheus exposition.
struct Sample {
  std::string name;
  std::vector<std::pair<std::string, std::string>> labels;
  std::string value;  // as written: "1", "0.25", "+Inf"

  friend bool operator==(const Sample&, const Sample&) = default;
};

// Comments and lines that make no sense are left out.
std::vector<Sample> ReadExposition(std::string_view text);

}  // namespace hearth::gms::ctl
