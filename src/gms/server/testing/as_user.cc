#include "gms/server/testing/as_user.h"

#include <sys/syscall.h>
#include <unistd.h>

#include "base/check.h"

namespace hearth::gms::server {
namespace {

// Not the library's, which would change all threads.
bool Become(uid_t user) { return ::syscall(SYS_setresuid, uid_t(-1), user, uid_t(-1)) == 0; }

}  // namespace

AsUser::AsUser(uid_t user) { CHECK(Become(user)) << "only root can become others"; }

AsUser::~AsUser() { CHECK(Become(0)); }

}  // namespace hearth::gms::server
