#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace hearth::agent {

struct ProcessFacts {
  int pid = 0;
  int parent = 0;
  std::string name;
  char state = '?';          // R, S, D, Z, ...
  std::vector<int> ns_pids;  // its pid in each pid namespace, from the outermost on
  // Who it acts as on files.
  uint32_t file_user = 0;
  uint32_t file_group = 0;
  uint64_t own_bytes = 0;          // of memory that is there and its own
  uint64_t shared_bytes = 0;       // of shared memory that is there, without files
  uint64_t most_capabilities = 0;  // that it can ever have, one bit each
  bool no_new_privileges = false;  // programs that it starts have no more rights than it has

  bool IsZombie() const { return state == 'Z' || state == 'X'; }
};

// The text of /proc/PID/status.
Result<ProcessFacts> ParseProcessStatus(std::string_view text);
// When a process started, in ticks since the machine did: the text of /proc/PID/stat, in which its
// name may hold anything. Nothing when that is none.
std::optional<uint64_t> ParseStartTicks(std::string_view text);
// One line of /proc/PID/cgroup.
struct CgroupMembership {
  std::string controllers;  // "cpu,cpuacct", "name=systemd"; empty: the unified hierarchy
  std::string path;         // within the hierarchy
};
// Lines that are none, or whose path leads upwards, are left out.
std::vector<CgroupMembership> ParseCgroups(std::string_view text);

// Processes as a proc file system tells them, which need not be our own (/host/proc). kNotFound
// when the process is gone. Thread-safe.
class ProcReader {
 public:
  explicit ProcReader(std::string proc = "/proc") : proc_(std::move(proc)) {}

  Result<ProcessFacts> Process(int pid) const;
  // The process and all that descend from it, parents first. Processes that end meanwhile are left
  // out, except the first.
  Result<std::vector<ProcessFacts>> Tree(int pid) const;
  // How long ago it started, to a hundredth of a second or so.
  Result<Duration> Age(int pid) const;
  // All that there are.
  std::vector<int> Pids() const;
  Result<std::string> MountInfo(int pid) const;
  Result<std::string> CgroupText(int pid) const;
  // "pipe:[8812]", "/dev/null", ... of descriptor `fd`.
  Result<std::string> DescriptorTarget(int pid, int fd) const;
  // Inode of /proc/PID/ns/NAME.
  Result<uint64_t> NamespaceInode(int pid, std::string_view name) const;
  // Whether a file is mapped whose path has `part` in it.
  Result<bool> HasMapped(int pid, std::string_view part) const;
  // Where the process sees its root.
  std::string RootOf(int pid) const;

 private:
  Result<std::string> Read(int pid, std::string_view file) const;

  std::string proc_;
};

}  // namespace hearth::agent
