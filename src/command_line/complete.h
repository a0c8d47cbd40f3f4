#pragma once

#include <string>
#include <vector>

#include "command_line/program.h"

namespace hearth::command_line {

// What may stand in the place of the last of `words`, which is what was typed of it so far; those
// before it are whole. Without the program's name.
struct Completions {
  std::vector<std::string> words;
  bool files = false;  // a file name, too
};
Completions Complete(const Program& program, const std::vector<std::string>& words);

// The same as kubectl wants it of the completion of a plugin (`kubectl_complete-<name>`): a line
// for each word, then what else it may offer.
std::string KubectlCompletions(const Completions& completions);

}  // namespace hearth::command_line
