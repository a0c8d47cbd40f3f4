#include "gms/server/access_policy.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "gms/protocol/errors.h"

namespace hearth::gms::server {

AccessPolicy AccessPolicy::ForThisProcess() { return {.own_uid = ::geteuid()}; }

Status AccessPolicy::MayConnect(uid_t uid, gid_t gid) const {
  const auto has = [](const auto& list, auto id) {
    return std::find(list.begin(), list.end(), id) != list.end();
  };
  if (uid == own_uid || uid == 0 || has(allowed_uids, uid) || has(allowed_gids, gid)) {
    return Status::Ok();
  }
  return MakeError(ErrorCode::kPeerRefused,
                   fmt::format("user {} (group {}) may not use this server, which runs as user {}; "
                               "start it with --allow-uid {} to change that",
                               uid, gid, own_uid, uid));
}

Status AccessPolicy::MayAdminister(uid_t uid) const {
  if (uid == own_uid || uid == 0) {
    return Status::Ok();
  }
  return MakeError(
      ErrorCode::kPeerRefused,
      fmt::format("user {} may not administer this server; user {} and root may", uid, own_uid));
}

mode_t AccessPolicy::socket_mode() const {
  return allowed_uids.empty() && allowed_gids.empty() ? 0600 : 0666;
}

}  // namespace hearth::gms::server
