#pragma once

#include <string>

#include "base/result.h"
#include "contestant.h"

namespace hearth::bench {

// Seconds from before the process is made until the first byte of its first HTTP request arrives at
// a server that we play. `directory` takes a kubeconfig and the log.
Result<double> SecondsToFirstRequest(const Contestant& contestant, const std::string& directory);

}  // namespace hearth::bench
