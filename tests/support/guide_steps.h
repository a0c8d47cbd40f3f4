#pragma once

#include <string>
#include <vector>

namespace hearth {

// A command of a guide and what it prints.
struct GuideStep {
  std::string command;
  std::string output;
};

// Of blocks without a language: "$ " begins a command, "> " goes on with it.
std::vector<GuideStep> StepsOf(const std::string& file);

}  // namespace hearth
