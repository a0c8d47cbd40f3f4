#pragma once

#include <mutex>
#include <utility>

namespace hearth {

// A value that can only be reached with its lock held:
//   Guarded<std::map<K, V>> table;
//   table.Lock()->emplace(k, v);
template <typename T>
class Guarded {
 public:
  class Locked {
   public:
    T* operator->() const { return value_; }
    T& operator*() const { return *value_; }
    // For condition variables.
    std::unique_lock<std::mutex>& lock() { return lock_; }

   private:
    friend class Guarded;
    Locked(std::mutex& mutex, T* value) : lock_(mutex), value_(value) {}
    std::unique_lock<std::mutex> lock_;
    T* value_;
  };

  template <typename... Args>
  explicit Guarded(Args&&... args) : value_(std::forward<Args>(args)...) {}
  Guarded(const Guarded&) = delete;
  Guarded& operator=(const Guarded&) = delete;

  Locked Lock() { return Locked(mutex_, &value_); }
  Locked Lock() const { return Locked(mutex_, const_cast<T*>(&value_)); }

 private:
  mutable std::mutex mutex_;
  T value_;
};

}  // namespace hearth
