#include "agent/host/root_view.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <memory>
#include <optional>

#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

UniqueFd OpenWithin(int root, const std::string& path) {
  open_how how{};
  how.flags = O_PATH | O_CLOEXEC;
  how.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS;
  return UniqueFd(static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof(how))));
}

std::optional<std::string> PathOf(int fd) {
  const std::string link = "/proc/self/fd/" + std::to_string(fd);
  std::string path(4096, '\0');
  const ssize_t size = ::readlink(link.c_str(), path.data(), path.size());
  if (size <= 0) {
    return std::nullopt;
  }
  path.resize(static_cast<size_t>(size));
  return path;
}

// What the kernel calls a file of another mount namespace is its path from that namespace's root,
// which for the container's files is where the container has them.
std::string Resolve(int root, const std::string& path) {
  const UniqueFd file = OpenWithin(root, path);
  const auto found = file.valid() ? PathOf(file.get()) : std::nullopt;
  const auto top = PathOf(root);
  if (!found || !top) {
    return path;
  }
  if (*top != "/" && found->starts_with(*top + "/")) {
    return found->substr(top->size());
  }
  return *found;
}

std::optional<mode_t> ModeOf(int root, const std::string& path) {
  const UniqueFd file = OpenWithin(root, path);
  struct stat info {};
  if (!file.valid() || ::fstat(file.get(), &info) != 0) {
    return std::nullopt;
  }
  return info.st_mode;
}

}  // namespace

RootView ViewOfRoot(const std::string& root) {
  auto top = std::make_shared<UniqueFd>(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  return {.resolve = [top](const std::string& path) { return Resolve(top->get(), path); },
          .exists = [top](const std::string& path) { return ModeOf(top->get(), path).has_value(); },
          .is_directory =
              [top](const std::string& path) {
                const auto mode = ModeOf(top->get(), path);
                return mode && S_ISDIR(*mode);
              }};
}

}  // namespace hearth::agent
