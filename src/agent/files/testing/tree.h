#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace hearth::agent::files {

// Everything about every file below `root`, one line for each path: kind, permissions, owner, time
// of modification, size, content, holes, extended attributes, where links lead, and which names are
// of the same file. Two trees are the same when their descriptions are.
std::map<std::string, std::string> DescribeTree(const std::string& root);

// The first paths in which two descriptions differ, for the message of a test; empty when in none.
std::string Difference(const std::map<std::string, std::string>& a,
                       const std::map<std::string, std::string>& b);

UniqueFd OpenDirectory(const std::string& path);
void WriteFile(const std::string& path, std::string_view bytes);  // CHECKs
std::string ReadFile(const std::string& path);                    // empty when it is not there
bool Exists(const std::string& path);                             // links are not followed

}  // namespace hearth::agent::files
