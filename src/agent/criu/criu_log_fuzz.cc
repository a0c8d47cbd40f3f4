#include <string_view>

#include "agent/criu/failure.h"

// Logs hold names that the workload chose.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto failure =
      hearth::agent::criu::ExplainLog(std::string_view(reinterpret_cast<const char*>(data), size));
  (void)hearth::agent::criu::Describe(failure);
  return 0;
}
