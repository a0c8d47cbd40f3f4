// gms-loader: loads saved weights and commits them.
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "base/stop_signal.h"
#include "gms/loader/program.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const hearth::StopSignal stop;
  return hearth::gms::loader::RunLoader(
      argc, argv, {std::cout, std::cerr, hearth::disk::StyleFor(STDOUT_FILENO)}, stop.token());
}
