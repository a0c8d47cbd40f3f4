#pragma once

#include <sys/types.h>

#include <vector>

#include "base/status.h"

namespace hearth::gms::server {

// Who may connect, by what the kernel says of the peer: the user that the server runs as and root;
// of the sockets for clients also those that are named. Whoever may connect may replace the
// weights, so the list is short by default. A value.
struct AccessPolicy {
  uid_t own_uid = 0;
  std::vector<uid_t> allowed_uids;
  std::vector<gid_t> allowed_gids;  // the peer's first group only: the kernel tells no others

  static AccessPolicy ForThisProcess();
  // kPermissionDenied, told to the peer.
  Status MayConnect(uid_t uid, gid_t gid) const;
  Status MayAdminister(uid_t uid) const;
  // 0600, or 0666 when others are named: the kernel asks for write permission before we see who it
  // is.
  mode_t socket_mode() const;
};

}  // namespace hearth::gms::server
