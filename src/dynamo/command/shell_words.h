#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace hearth::dynamo {

// A word of a shell script: its text as a shell would pass it on, quotes taken away and expansions
// left as they are, and where it stands in the script.
struct ShellWord {
  std::string text;
  size_t begin = 0;
  size_t end = 0;
};

// One simple command: what stands between operators (| & ; && || and line ends), redirections and
// comments left out.
using ShellCommand = std::vector<ShellWord>;

// The commands of a script in their order. Knows quotes, escapes, comments, $(...), `...`, ${...}
// and redirections; what is within a substitution or a quoted text is part of its word and not a
// command. A script that ends within a quote gives what there is.
std::vector<ShellCommand> ShellCommands(std::string_view script);

// The word as a shell reads it back, quoted where needed.
std::string ShellQuoted(std::string_view word);

}  // namespace hearth::dynamo
