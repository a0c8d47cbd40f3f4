// gmsctl: looks into a GPU memory service and at what it saved.
#include "base/stop_signal.h"
#include "gms/ctl/exit_codes.h"
#include "gms/ctl/gmsctl.h"

int main(int argc, char** argv) {
  const hearth::StopSignal signal;
  return hearth::command_line::Main(hearth::gms::ctl::Gmsctl(), argc, argv,
                                    hearth::gms::ctl::kExitFailed, signal.token());
}
