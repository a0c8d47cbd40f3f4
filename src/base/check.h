#pragma once

#include <sstream>

// CHECK(condition) << "what broke": ends the process with file, line and text when one of our own
// invariants does not hold. Never for input: bad input is a Status.
#define CHECK(condition)                             \
  (condition) ? static_cast<void>(0)                 \
              : ::hearth::internal::CheckVoidify() & \
                    ::hearth::internal::CheckFailure(__FILE__, __LINE__, #condition).stream()

namespace hearth::internal {

class CheckFailure {
 public:
  CheckFailure(const char* file, int line, const char* condition);
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure();  // prints and aborts
  std::ostream& stream() { return text_; }

 private:
  std::ostringstream text_;
};

struct CheckVoidify {
  void operator&(std::ostream&) const {}
};

}  // namespace hearth::internal
