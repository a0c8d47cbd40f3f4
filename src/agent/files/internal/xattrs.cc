#include "agent/files/internal/xattrs.h"

#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>

#include "base/strings.h"

namespace hearth::agent::files {
namespace {

const Xattr* Find(const std::vector<Xattr>& xattrs, const std::string& name) {
  const auto found = std::find_if(xattrs.begin(), xattrs.end(),
                                  [&name](const Xattr& xattr) { return xattr.name == name; });
  return found == xattrs.end() ? nullptr : &*found;
}

}  // namespace

XattrPlace XattrPlace::Of(int fd) {
  XattrPlace place;
  place.fd_ = fd;
  return place;
}

XattrPlace XattrPlace::Of(int directory, const std::string& name) {
  XattrPlace place;
  place.path_ = "/proc/self/fd/" + std::to_string(directory) + "/" + name;
  return place;
}

ssize_t XattrPlace::List(char* names, size_t size) const {
  return fd_ >= 0 ? ::flistxattr(fd_, names, size) : ::llistxattr(path_.c_str(), names, size);
}

ssize_t XattrPlace::Get(const char* name, char* value, size_t size) const {
  return fd_ >= 0 ? ::fgetxattr(fd_, name, value, size)
                  : ::lgetxattr(path_.c_str(), name, value, size);
}

// The names, each ended by a zero byte.
Result<std::string> XattrPlace::Names() const {
  std::array<char, 1024> usual;
  const ssize_t size = List(usual.data(), usual.size());
  if (size >= 0) {
    return std::string(usual.data(), static_cast<size_t>(size));
  }
  if (errno == ENOTSUP) {
    return std::string();
  }
  std::string names(XATTR_LIST_MAX, '\0');
  const ssize_t all = errno == ERANGE ? List(names.data(), names.size()) : -1;
  if (all < 0) {
    return Status::FromErrno(errno, "cannot list its extended attributes");
  }
  names.resize(static_cast<size_t>(all));
  return names;
}

Result<std::string> XattrPlace::Value(const std::string& name) const {
  std::array<char, 256> usual;
  const ssize_t size = Get(name.c_str(), usual.data(), usual.size());
  if (size >= 0) {
    return std::string(usual.data(), static_cast<size_t>(size));
  }
  std::string value(XATTR_SIZE_MAX, '\0');
  const ssize_t all = errno == ERANGE ? Get(name.c_str(), value.data(), value.size()) : -1;
  if (all < 0) {
    return Status::FromErrno(errno, "cannot read its extended attribute " + Excerpt(name, 256));
  }
  value.resize(static_cast<size_t>(all));
  return value;
}

Result<std::vector<Xattr>> XattrPlace::Read() const {
  ASSIGN_OR_RETURN(const std::string names, Names());
  std::vector<Xattr> xattrs;
  for (size_t begin = 0; begin < names.size();) {
    std::string name = names.c_str() + begin;
    begin += name.size() + 1;
    ASSIGN_OR_RETURN(std::string value, Value(name));
    xattrs.push_back({std::move(name), std::move(value)});
  }
  std::sort(xattrs.begin(), xattrs.end(),
            [](const Xattr& a, const Xattr& b) { return a.name < b.name; });
  return xattrs;
}

Status XattrPlace::Set(const Xattr& xattr) const {
  const char* name = xattr.name.c_str();
  const int result =
      fd_ >= 0 ? ::fsetxattr(fd_, name, xattr.value.data(), xattr.value.size(), 0)
               : ::lsetxattr(path_.c_str(), name, xattr.value.data(), xattr.value.size(), 0);
  return result == 0 ? Status::Ok()
                     : Status::FromErrno(
                           errno, "cannot set its extended attribute " + Excerpt(xattr.name, 256));
}

Status XattrPlace::Remove(const std::string& name) const {
  const int result =
      fd_ >= 0 ? ::fremovexattr(fd_, name.c_str()) : ::lremovexattr(path_.c_str(), name.c_str());
  return result == 0 || errno == ENODATA
             ? Status::Ok()
             : Status::FromErrno(errno,
                                 "cannot remove its extended attribute " + Excerpt(name, 256));
}

bool IsOurs(const std::string& name) {
  return (name.starts_with("user.") || name.starts_with("trusted.") ||
          name.starts_with("system.posix_acl_") || name == "security.capability");
}

Result<bool> ChangeXattrs(const XattrPlace& place, const std::vector<Xattr>& wanted) {
  ASSIGN_OR_RETURN(const std::vector<Xattr> present, place.Read());
  bool changed = false;
  for (const Xattr& xattr : present) {
    if (IsOurs(xattr.name) && Find(wanted, xattr.name) == nullptr) {
      RETURN_IF_ERROR(place.Remove(xattr.name));
      changed = true;
    }
  }
  for (const Xattr& xattr : wanted) {
    const Xattr* const now = Find(present, xattr.name);
    if (now == nullptr || now->value != xattr.value) {
      RETURN_IF_ERROR(place.Set(xattr));
      changed = true;
    }
  }
  return changed;
}

}  // namespace hearth::agent::files
