#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "gms/server/internal/folder_lock.h"

namespace hearth::gms::server {

// A name by a device's number that leads to the device's socket in the same folder, for clients
// that outlive a move to another device. Removed with it, unless it leads elsewhere by then; to go
// before the socket, as a later server of the device makes the same link.
class NumberLink {
 public:
  // `target` is ours already. A link that leads to nobody is replaced.
  // kConflict as CheckNumberIsFree. Other errors when there is something else than a link, a link
  // that leads to somebody who may not be asked (kPermissionDenied), or none can be made: a server
  // goes on then, as the link is a courtesy.
  static Result<std::unique_ptr<NumberLink>> Make(const std::string& path,
                                                  const std::string& target, FolderLocks& locks);
  ~NumberLink();
  void Remove(FolderLocks& locks);
  NumberLink(const NumberLink&) = delete;
  NumberLink& operator=(const NumberLink&) = delete;

 private:
  NumberLink(std::string path, std::string leads_to);

  std::string path_;
  std::string leads_to_;
};

// kConflict when the link leads to another socket than `target` whose server lives for certain:
// names that server and says what to do.
Status CheckNumberIsFree(const std::string& path, const std::string& target);

}  // namespace hearth::gms::server
