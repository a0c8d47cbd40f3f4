#include "agent/host/freezer.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

// kNotFound when this hierarchy has no such file.
Status WriteControl(const std::string& path, std::string_view value) {
  const UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid() || ::write(fd.get(), value.data(), value.size()) < 0) {
    return Status::FromErrno(errno, "thaw " + path);
  }
  return Status::Ok();
}

}  // namespace

Status Thaw(const std::string& directory) {
  if (directory.empty()) {
    return Status::Ok();
  }
  const Status old = WriteControl(directory + "/freezer.state", "THAWED");
  if (!old.Is(Code::kNotFound)) {
    return old;
  }
  const Status unified = WriteControl(directory + "/cgroup.freeze", "0");
  return unified.Is(Code::kNotFound) ? Status::Ok() : unified;
}

}  // namespace hearth::agent
