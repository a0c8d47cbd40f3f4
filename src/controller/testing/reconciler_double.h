#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "controller/reconciler.h"

namespace hearth::controller {

// Does what a test says and remembers for which keys it was called. Thread-safe.
class ReconcilerDouble : public Reconciler {
 public:
  using Body = std::function<Result<Outcome>(Pass& pass, const kube::ObjectKey& key)>;
  explicit ReconcilerDouble(Body body = [](Pass&,
                                           const kube::ObjectKey&) { return Outcome::Done(); })
      : body_(std::move(body)) {}

  Result<Outcome> Reconcile(Pass& pass, const kube::ObjectKey& key) override {
    {
      std::lock_guard lock(mutex_);
      calls_.push_back(key);
      called_.notify_all();
    }
    return body_(pass, key);
  }

  // Waits until it has been called so often, and tells for what.
  std::vector<kube::ObjectKey> AwaitCalls(size_t count) {
    std::unique_lock lock(mutex_);
    called_.wait(lock, [&] { return calls_.size() >= count; });
    return calls_;
  }
  size_t calls() const {
    std::lock_guard lock(mutex_);
    return calls_.size();
  }

 private:
  Body body_;
  mutable std::mutex mutex_;
  std::condition_variable called_;
  std::vector<kube::ObjectKey> calls_;
};

}  // namespace hearth::controller
