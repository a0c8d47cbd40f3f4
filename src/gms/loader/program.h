#pragma once

#include <stop_token>

#include "gms/storage/program.h"

namespace hearth::gms::loader {

// gms-loader: reads its command line and environment, loads, tells how it went. The exit code: 0
// loaded and committed, 1 any failure, 2 usage. With --linger it stays until stopped.
int RunLoader(int argc, const char* const* argv, const storage::ProgramStreams& streams,
              const std::stop_token& stop);

}  // namespace hearth::gms::loader
