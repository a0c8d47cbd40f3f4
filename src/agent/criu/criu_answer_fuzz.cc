#include <string_view>

#include "agent/criu/request.h"

// Answers come over a socket from a program that may be of any version.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  (void)hearth::agent::criu::DecodeAnswer(
      std::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
