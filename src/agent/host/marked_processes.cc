#include "agent/host/marked_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "agent/host/end_processes.h"
#include "agent/host/process_facts.h"
#include "base/file_system.h"
#include "base/strings.h"

namespace hearth::agent {
namespace {

constexpr uint64_t kLongestEnvironment = 4 << 20;
constexpr uint64_t kLongestStat = 4 << 10;

// Where an environment was read as empty.
enum class Place {
  kNone,     // no memory: a kernel thread, or who has given it up because it ends
  kNotYet,   // in the middle of execve, which has not put the environment in the new memory yet
  kEmpty,    // there is nothing in it
  kNotRead,  // there is something in it: execve took the memory away that was being read
};

Place PlaceOfEnvironment(int pid) {
  // Of those behind the name in /proc/PID/stat.
  constexpr size_t kVirtualSize = 20;
  constexpr size_t kEnvironmentStart = 47;
  constexpr size_t kEnvironmentEnd = 48;
  const auto text = RealFileSystem().Read(fmt::format("/proc/{}/stat", pid), kLongestStat);
  const size_t name_end = text.ok() ? text->rfind(')') : std::string::npos;
  if (name_end == std::string::npos || name_end + 2 > text->size()) {
    return Place::kNone;
  }
  const auto fields = Split(std::string_view(*text).substr(name_end + 2), ' ');
  if (fields.size() <= kEnvironmentEnd || fields[kVirtualSize] == "0") {
    return Place::kNone;
  }
  if (fields[kEnvironmentEnd] == "0") {
    return Place::kNotYet;
  }
  return fields[kEnvironmentStart] == fields[kEnvironmentEnd] ? Place::kEmpty : Place::kNotRead;
}

Match HasMark(int pid, const std::string& entry) {
  // More often it is not execve: a process may have given up the memory of its environment alone.
  constexpr int kMostReads = 8;
  for (int reads = 0; reads < kMostReads; ++reads) {
    const auto text =
        RealFileSystem().Read(fmt::format("/proc/{}/environ", pid), kLongestEnvironment);
    if (!text.ok()) {
      return Match::kNo;  // it has ended
    }
    if (!text->empty()) {
      const auto entries = Split(*text, '\0');
      return std::find(entries.begin(), entries.end(), entry) != entries.end() ? Match::kYes
                                                                               : Match::kNo;
    }
    const Place place = PlaceOfEnvironment(pid);
    if (place != Place::kNotRead) {
      return place == Place::kNotYet ? Match::kUnsure : Match::kNo;
    }
  }
  return Match::kNo;
}

}  // namespace

Status EndMarked(const ProcessMark& mark, const WaitLimit& limit) {
  const std::string entry = fmt::format("{}={}", mark.first, mark.second);
  return EndProcesses(
      ProcReader(), [&entry](int pid) { return HasMark(pid, entry); }, limit);
}

}  // namespace hearth::agent
