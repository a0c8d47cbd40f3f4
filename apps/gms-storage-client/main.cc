// gms-storage-client: saves and loads one device by hand.
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "base/stop_signal.h"
#include "gms/storage_client/program.h"

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  const hearth::StopSignal stop;
  return hearth::gms::storage_client::RunStorageClient(
      argc, argv, {std::cout, std::cerr, hearth::disk::StyleFor(STDOUT_FILENO)}, stop.token());
}
