#include "gms/failover/internal/fork_guard.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>

namespace hearth::gms::internal {
namespace {

constexpr int kNone = -1;

// Plain numbers that a child may read whatever other threads did at the moment of the fork.
class Guarded64 {
 public:
  Guarded64() {
    for (std::atomic<int>& place : places_) {
      place = kNone;
    }
  }

  bool Add(int fd) {
    for (std::atomic<int>& place : places_) {
      int none = kNone;
      if (place.compare_exchange_strong(none, fd)) {
        return true;
      }
    }
    return false;
  }

  void Remove(int fd) {
    for (std::atomic<int>& place : places_) {
      int expected = fd;
      if (place.compare_exchange_strong(expected, kNone)) {
        return;
      }
    }
  }

  void CloseAll() {
    for (std::atomic<int>& place : places_) {
      int fd = place.exchange(kNone);
      if (fd != kNone) {
        ::close(fd);
      }
    }
  }

 private:
  std::array<std::atomic<int>, 64> places_;
};

Guarded64& Descriptors() {
  static auto* descriptors = new Guarded64;  // for ever: a fork may come at any time
  return *descriptors;
}

void CloseInChild() { Descriptors().CloseAll(); }

}  // namespace

bool CloseOnFork(int fd) {
  static std::once_flag once;
  std::call_once(once, [] { ::pthread_atfork(nullptr, nullptr, &CloseInChild); });
  return Descriptors().Add(fd);
}

void ForgetCloseOnFork(int fd) { Descriptors().Remove(fd); }

}  // namespace hearth::gms::internal
