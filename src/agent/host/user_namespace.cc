#include "agent/host/user_namespace.h"

#include <unistd.h>

namespace hearth::agent {

bool HasUsersOfItsOwn(const ProcReader& proc, int pid) {
  const auto its = proc.NamespaceInode(pid, "user");
  const auto ours = ProcReader().NamespaceInode(::getpid(), "user");
  return its.ok() && ours.ok() && *its != *ours;
}

}  // namespace hearth::agent
