#include "scratch.h"

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace hearth::bench {

Result<Scratch> Scratch::Make(const std::string& below) {
  std::error_code error;
  std::filesystem::create_directories(below, error);
  std::string path = below + "/bench-XXXXXX";
  if (::mkdtemp(path.data()) == nullptr) {
    return Status::FromErrno(errno, "make a directory in " + below);
  }
  return Scratch(std::move(path));
}

Scratch::~Scratch() {
  if (!path_.empty()) {
    std::error_code error;  // what stays lies in a directory for such things
    std::filesystem::remove_all(path_, error);
  }
}

double SecondsSince(SteadyTime then) {
  return std::chrono::duration<double>(RealClock().Now() - then).count();
}

}  // namespace hearth::bench
