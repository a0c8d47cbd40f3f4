#include "guide_steps.h"

#include <fstream>

namespace hearth {

std::vector<GuideStep> StepsOf(const std::string& file) {
  std::vector<GuideStep> steps;
  std::ifstream text(file);
  bool block = false;
  bool within = false;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("```")) {
      block = !block;
      within = block && line == "```";
    } else if (within && line.starts_with("$ ")) {
      steps.push_back({.command = line.substr(2)});
    } else if (within && !steps.empty()) {
      const bool more = line.starts_with("> ");
      (more ? steps.back().command += "\n" : steps.back().output)
          .append(more ? line.substr(2) : line + "\n");
    }
  }
  return steps;
}

}  // namespace hearth
