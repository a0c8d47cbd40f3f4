#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hearth::agent {

// The machine, as far as it matters to processes that are moved to another one.
struct Machine {
  std::string kernel;        // "6.18.2"
  std::string architecture;  // "x86_64"
  std::string cpu_model;
  std::vector<std::string> cpu_features;  // sorted

  friend bool operator==(const Machine&, const Machine&) = default;
};

// What cannot be told is empty.
Machine ThisMachine(const std::string& proc = "/proc");

// Of the features that a program had where it started, those that it may go on using and that are
// not `here`: sorted names. Programs choose their instructions at their start.
std::vector<std::string> MissingFeatures(const std::vector<std::string>& there,
                                         std::string_view architecture,
                                         const std::vector<std::string>& here);

// The text of /proc/cpuinfo: its first processor.
void ReadProcessor(std::string_view cpuinfo, Machine& machine);

}  // namespace hearth::agent
