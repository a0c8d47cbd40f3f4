// snapshotctl: captures running pods, restores them, and looks at what was captured.
#include "base/stop_signal.h"
#include "snapshot/ctl/exit_codes.h"
#include "snapshot/ctl/snapshotctl.h"

int main(int argc, char** argv) {
  const hearth::StopSignal signal;
  return hearth::command_line::Main(hearth::snapshot::ctl::Snapshotctl(), argc, argv,
                                    hearth::snapshot::ctl::kExitFailed, signal.token());
}
