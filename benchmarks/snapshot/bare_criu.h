#pragma once

#include <string>
#include <vector>

#include "agent/criu/request.h"
#include "agent/criu/worker.h"

namespace hearth::bench {

// What we ask CRIU for over its socket, as its command line. Pure.
std::vector<std::string> BareDump(const agent::criu::DumpRequest& request,
                                  const agent::criu::Program& criu, const std::string& images);
std::vector<std::string> BareRestore(const agent::criu::RestoreRequest& request,
                                     const agent::criu::Program& criu, const std::string& images,
                                     const std::string& work);

}  // namespace hearth::bench
