#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/result.h"
#include "command_line/command.h"

namespace hearth::cli {

// One text to look at.
struct Source {
  std::string name;  // for messages: the path as given, or <stdin>
  std::string path;
  // What is known without opening it: standard input, or why it cannot be read.
  std::optional<Result<std::string>> text;
};

// The files that are meant: a path is itself, "-" is standard input (read here, once, up to `limit`
// bytes), a folder is its .yaml, .yml and .json files by name, with `recursive` also those in
// folders below. What cannot be looked into becomes a source that cannot be read.
std::vector<Source> FindSources(const std::vector<std::string>& paths, bool recursive, size_t limit,
                                command_line::Terminal& terminal);

// kExhausted when it is larger than `limit`.
Result<std::string> ReadSource(const Source& source, FileSystem& files, size_t limit);

}  // namespace hearth::cli
