#pragma once

namespace hearth::gms::internal {

// Descriptors that must not live on in a child made by fork(): a lock that a dead engine's child
// still holds keeps the standby out. Close-on-exec covers only children that start a program.
// Thread-safe; the child closes them before fork() returns in it. At most 64 at a time, false when
// there is no place left.
bool CloseOnFork(int fd);
void ForgetCloseOnFork(int fd);

}  // namespace hearth::gms::internal
