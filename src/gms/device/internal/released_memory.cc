#include "gms/device/internal/released_memory.h"

#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "gms/device/internal/host_piece.h"

namespace hearth::gms::internal {

ReleasedMemory::ReleasedMemory() : news_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

uint64_t ReleasedMemory::held_bytes() {
  ReadNews();
  return bytes_;
}

bool ReleasedMemory::Watch(int fd, uint64_t size) {
  if (!news_.valid()) {
    return false;
  }
  int watch = ::inotify_add_watch(news_.get(), DescriptorPath(fd).c_str(), IN_DELETE_SELF);
  if (watch < 0) {
    return false;
  }
  if (held_.emplace(watch, size).second) {
    bytes_ += size;
  }
  return true;
}

void ReleasedMemory::ReadNews() {
  alignas(inotify_event) std::array<char, 4096> buffer;
  for (;;) {
    ssize_t read = ::read(news_.get(), buffer.data(), buffer.size());
    if (read <= 0) {
      return;
    }
    for (size_t at = 0; at < static_cast<size_t>(read);) {
      inotify_event event;
      std::memcpy(&event, buffer.data() + at, sizeof(event));
      at += sizeof(event) + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) {
        Forget();
      } else {
        Gone(event.wd);
      }
    }
  }
}

void ReleasedMemory::Gone(int watch) {
  auto found = held_.find(watch);
  if (found == held_.end()) {
    return;
  }
  bytes_ -= found->second;
  held_.erase(found);
}

// News was lost. A memory that counts as held for ever would be worse than one that counts as free
// too early: the kernel still refuses what it does not have.
void ReleasedMemory::Forget() {
  for (const auto& [watch, size] : held_) {
    ::inotify_rm_watch(news_.get(), watch);
  }
  held_.clear();
  bytes_ = 0;
}

}  // namespace hearth::gms::internal
