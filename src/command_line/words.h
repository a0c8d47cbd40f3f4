#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Numbers as people read them.
namespace hearth::command_line {

// "0 B", "512 KiB", "66.5 MiB"
std::string SizeText(uint64_t bytes);
// Two units at most: "350ms", "12s", "3m12s", "4h05m", "12d3h".
std::string AgeText(int64_t milliseconds);
// "2026-11-16 12:00:00.250", in UTC
std::string TimeText(int64_t ms_since_1970);
// The first characters of a hash.
std::string ShortHash(std::string_view hash);

}  // namespace hearth::command_line
