#pragma once

#include <stop_token>

#include "gms/storage/program.h"

namespace hearth::gms::saver {

// gms-saver: reads its command line and environment, saves, tells how it went. The exit code: 0
// saved, 1 any failure, 2 usage. A stop cancels and leaves what was there.
int RunSaver(int argc, const char* const* argv, const storage::ProgramStreams& streams,
             const std::stop_token& stop);

}  // namespace hearth::gms::saver
