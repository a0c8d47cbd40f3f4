#pragma once

#include <mutex>

// Clang's thread-safety annotations; nothing elsewhere.
#if defined(__clang__)
#define HEARTH_TSA(x) __attribute__((x))
#else
#define HEARTH_TSA(x)
#endif
#define GUARDED_BY(x) HEARTH_TSA(guarded_by(x))
#define REQUIRES(...) HEARTH_TSA(requires_capability(__VA_ARGS__))
#define EXCLUDES(...) HEARTH_TSA(locks_excluded(__VA_ARGS__))

namespace hearth {

// std::mutex that Clang's analysis understands. native() is for condition variables.
class HEARTH_TSA(capability("mutex")) Mutex {
 public:
  void Lock() HEARTH_TSA(acquire_capability()) { mutex_.lock(); }
  void Unlock() HEARTH_TSA(release_capability()) { mutex_.unlock(); }
  std::mutex& native() { return mutex_; }

 private:
  std::mutex mutex_;
};

class HEARTH_TSA(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) HEARTH_TSA(acquire_capability(mutex)) : lock_(mutex.native()) {}
  ~MutexLock() HEARTH_TSA(release_capability()) = default;
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;
  // For condition variables: they give the lock up and take it again.
  std::unique_lock<std::mutex>& native() { return lock_; }

 private:
  std::unique_lock<std::mutex> lock_;
};

}  // namespace hearth
