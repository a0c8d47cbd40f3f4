#pragma once

#include <string>
#include <vector>

#include "agent/files/file_entry.h"
#include "base/result.h"

namespace hearth::agent::files {

// A file whose extended attributes are meant: one that is open, or one that cannot be opened (a
// link, a device), by the directory that it is in.
class XattrPlace {
 public:
  static XattrPlace Of(int fd);
  static XattrPlace Of(int directory, const std::string& name);

  // Sorted by name; empty where the file system knows none.
  Result<std::vector<Xattr>> Read() const;
  Status Set(const Xattr& xattr) const;
  Status Remove(const std::string& name) const;

 private:
  ssize_t List(char* names, size_t size) const;
  ssize_t Get(const char* name, char* value, size_t size) const;
  Result<std::string> Names() const;
  Result<std::string> Value(const std::string& name) const;

  int fd_ = -1;
  std::string path_;  // of what cannot be opened, by way of /proc
};

// Whether we take care of it when files are put into a container. Labels of security modules are
// the machine's business unless the archive has them.
bool IsOurs(const std::string& name);

// Makes those of a file equal to `wanted`: sets what differs, removes what is ours and not wanted.
// True when something had to be changed.
Result<bool> ChangeXattrs(const XattrPlace& place, const std::vector<Xattr>& wanted);

}  // namespace hearth::agent::files
