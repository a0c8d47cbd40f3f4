#pragma once

#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "json/value.h"

namespace hearth::snapshot::ctl {

// What of a machine decides whether captures and restores work on it.
struct NodeFacts {
  std::string kernel;        // "6.1.0-18-amd64"
  std::string architecture;  // "x86_64"
  std::string cpu_model;
  std::vector<std::string> cpu_features;  // sorted
  bool root = false;
  std::string criu_path;
  std::string criu_version;  // empty: there is none
  std::string criu_check;    // what `criu check` complains about; empty: nothing
  std::string iptables;      // version; empty: there is none
  std::string cgroups;       // "v2", "v1", "hybrid", "none"
  bool freezer = false;
  bool overlay = false;
  int ptrace_scope = 0;
  int gpus = 0;
};

json::Value WriteNodeFacts(const NodeFacts& facts);
// kInvalid: no such facts. Members that are missing are as unknown as facts can be: empty.
Result<NodeFacts> ReadNodeFacts(const json::Value& value);

// Where a machine shows what it is.
struct NodePlaces {
  std::string proc = "/proc";
  std::string cgroups = "/sys/fs/cgroup";
  std::string devices = "/dev";
  std::string criu = "criu";  // program, or the directory of one with its own libraries
};
// Only looks; what cannot be told is empty.
NodeFacts GatherNodeFacts(const NodePlaces& places, FileSystem& files, ProcessRunner& processes,
                          const WaitLimit& limit);

}  // namespace hearth::snapshot::ctl
