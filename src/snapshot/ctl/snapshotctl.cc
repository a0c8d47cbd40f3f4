#include "snapshot/ctl/snapshotctl.h"

#include "snapshot/ctl/exit_codes.h"
#include "snapshot/ctl/internal/commands.h"

namespace hearth::snapshot::ctl {

const command_line::Program& Snapshotctl() {
  static const command_line::Program kSnapshotctl(
      {.name = "snapshotctl",
       .purpose = "Captures running pods, restores them, and looks at what was captured.",
       .version = HEARTH_VERSION,
       .usage_exit = kExitFailed},
      {{"checkpoint", "Captures a pod, or with --local a container or process of this machine.",
        MakeCheckpoint},
       {"restore", "Brings a checkpoint back in a pod, or with --local on this machine.",
        MakeRestore},
       {"list", "Lists the artifacts of a storage.", MakeList},
       {"inspect", "Shows what an artifact holds.", MakeInspect},
       {"diff", "Tells in what two artifacts differ.", MakeDiff},
       {"verify", "Checks that artifacts are whole.", MakeVerify},
       {"explain", "Says why CRIU failed, from its log.", MakeExplain},
       {"check", "Tells whether this machine can capture and restore.", MakeCheck},
       {"lint", "Tells whether a process or container can be captured, and what it costs.",
        MakeLint},
       {"preflight", "Tells whether an artifact will restore on a machine.", MakePreflight},
       {"gc", "Removes what killed captures left, and artifacts nobody wants any more.", MakeGc}});
  return kSnapshotctl;
}

}  // namespace hearth::snapshot::ctl
