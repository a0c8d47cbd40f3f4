#include "base/check.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace hearth::internal {

CheckFailure::CheckFailure(const char* file, int line, const char* condition) {
  text_ << file << ":" << line << ": CHECK failed: " << condition << " ";
}

CheckFailure::~CheckFailure() {
  // One write, past all buffers: other threads may be logging, and nothing runs after abort().
  std::string line = text_.str() + "\n";
  [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
  std::abort();
}

}  // namespace hearth::internal
