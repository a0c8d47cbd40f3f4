#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"

// What the completion scripts have in common.
namespace hearth::command_line::internal {

bool IsFlag(const OptionTable::Row& row);
bool IsList(const OptionTable::Row& row);
bool TakesFile(const OptionTable::Row& row);

// The ways to write an option: "-o", "--output".
std::vector<std::string> Spellings(const OptionTable::Row& row);
// Of all options, with --help and --version.
std::vector<std::string> AllSpellings(const OptionTable& table);

// For between single quotes: a single quote ends them, stands escaped, begins them again.
std::string InQuotes(std::string_view text);

// The text of a script with the program's name in place of every @; "kubectl x" is the program
// kubectl-x.
std::string Named(std::string_view script, std::string_view program);

}  // namespace hearth::command_line::internal
