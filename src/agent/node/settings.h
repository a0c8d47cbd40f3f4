#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/criu/settings.h"
#include "agent/node/agent_options.h"
#include "base/options.h"
#include "base/result.h"
#include "controller/manager.h"

namespace hearth::agent::node {

// Everything that the program snapshot-agent is told: options, environment, configuration file.
struct Settings {
  AgentOptions agent;
  controller::ManagerOptions manager;
  std::string config_file = "/etc/snapshot/config.yaml";
  std::string runtime = "containerd";
  std::string runtime_socket;     // the runtime's usual one when empty
  std::string storage_directory;  // instead of that of the file; for machines without a volume
  std::string binaries = "/snapshot-binaries";  // what restores take into containers
  std::string host_proc = "/host/proc";
  // Where what is under way is written down; must outlive this process, its container and its pod.
  std::string journal_directory = "/run/hearth/journal";
  std::vector<std::string> exclusions;  // of the files of a capture
  bool other_images = false;            // restore into other images than those that were captured
  bool compress = false;                // the memory of a capture, with zstd
  criu::Settings criu;
  std::vector<std::string> notes;  // for the log: what was passed over

  // Rows for the program's option table.
  void AddTo(OptionTable& table);
};

// The only directory that the volume of artifacts is mounted at.
inline constexpr std::string_view kStorageDirectory = "/checkpoints";

// What the configuration file says. Keys that are not known are noted and passed over; a value of
// the wrong kind, or one that cannot be, is kInvalid and names its key.
Status ReadConfiguration(std::string_view yaml, Settings& settings);
// SNAPSHOT_LOG_LEVEL: trace, debug, info, warn, error; anything else is info, with a note.
void ReadLogLevel(std::string_view word, Settings& settings);
// What only shows when all is read: storage, node, runtime. Fills in what follows from the rest,
// and makes paths absolute.
Status CompleteSettings(Settings& settings);

}  // namespace hearth::agent::node
