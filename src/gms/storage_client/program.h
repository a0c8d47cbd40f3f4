#pragma once

#include <stop_token>

#include "gms/storage/program.h"

namespace hearth::gms::storage_client {

// gms-storage-client: saves or loads one device by hand, with the command line that existing
// scripts use. All work is that of gms-saver and gms-loader. The exit code is theirs, and 1 without
// a subcommand.
int RunStorageClient(int argc, const char* const* argv, const storage::ProgramStreams& streams,
                     const std::stop_token& stop);

}  // namespace hearth::gms::storage_client
