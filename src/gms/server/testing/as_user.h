#pragma once

#include <sys/types.h>

namespace hearth::gms::server {

// This thread is another user as long as it lives, for everything that the kernel asks: what it
// makes is that user's, and what is not for that user it may not have. Only root can.
class AsUser {
 public:
  explicit AsUser(uid_t user);
  ~AsUser();
  AsUser(const AsUser&) = delete;
  AsUser& operator=(const AsUser&) = delete;
};

}  // namespace hearth::gms::server
