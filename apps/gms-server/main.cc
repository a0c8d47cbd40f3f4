// gms-server: owns device memory and hands it out under leases.
#include <pthread.h>
#include <sys/signalfd.h>

#include <csignal>
#include <cstdio>

#include "program.h"

namespace {

// SIGTERM and SIGINT come by a descriptor; whatever thread begins later has them blocked, too.
int OpenStopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  return ::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
}

}  // namespace

int main(int argc, char** argv) {
  return hearth::gms::server::RunProgram(argc, argv, OpenStopSignals());
}
