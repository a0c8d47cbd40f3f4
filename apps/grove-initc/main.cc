// grove-initc: the init container that waits for pods of other cliques.
#include <csignal>

#include "base/stop_signal.h"
#include "grove/initc/program.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const hearth::StopSignal stop;
  return hearth::grove::initc::RunInitc(argc, argv, stop);
}
