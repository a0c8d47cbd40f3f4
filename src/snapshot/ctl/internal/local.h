#pragma once

#include <string>
#include <vector>

#include "agent/capture/capture.h"
#include "agent/restore/restore.h"
#include "snapshot/ctl/internal/ctl_command.h"
#include "snapshot/ctl/internal/runtime_options.h"

// Captures and restores on this machine, without a cluster: containers, or
// processes that are in none.
namespace hearth::snapshot::ctl {

struct LocalOptions {
  bool on = false;  // --local
  std::string storage = "/checkpoints";
  std::string criu = "/usr/local/sbin/criu";
  std::string nsrestore;  // beside this program when empty
  std::string journal = "/run/hearth/journal";
  RuntimeOptions runtime;

  void AddTo(OptionTable& table);
};

struct LocalCapture {
  std::string container;  // id; empty: `pid` is meant
  int pid = 0;
  std::string checkpoint_id;
  std::string name_space;  // whose it is; empty: everybody's
  bool compress = false;   // its memory; of containers only
};
// What is captured runs on. A bar is drawn on `terminal.err` when somebody looks.
Result<agent::Captured> CaptureLocally(const LocalOptions& options, const LocalCapture& order,
                                       Terminal& terminal, bool bar, const WaitLimit& limit);

struct LocalRestore {
  std::string container;  // that waits for it; empty: for processes that were in none
  std::string checkpoint_id;
  std::string name_space;
  bool any_image = false;  // also into another image than it was captured from
};
Result<agent::RestoredContainer> RestoreLocally(const LocalOptions& options,
                                                const LocalRestore& order, Terminal& terminal,
                                                bool bar, const WaitLimit& limit);

// "criu_dump 12.3 ms, publish 0.4 ms"
std::string PhasesText(const std::vector<agent::Phase>& phases);
Value PhasesJson(const std::vector<agent::Phase>& phases);  // names to seconds

}  // namespace hearth::snapshot::ctl
