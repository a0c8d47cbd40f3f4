#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "controller/informer.h"
#include "kube/model/object.h"

namespace hearth::controller {

// What one pass wrote: objects at a version, and objects that are gone.
struct Write {
  kube::ResourceType type;
  kube::ObjectKey key;
  std::string uid;
  uint64_t resource_version = 0;  // 0 for a deletion that left nothing
  bool gone = false;
  kube::Object object;  // as the server answered; may be empty
};

// The read-your-writes gate. A key whose pass wrote something is held back until every informer
// concerned shows it. There are no expectations to count and nothing sleeps: the informers'
// progress releases the keys. An informer that has not caught up in `relist_after` is told to read
// the server's newest state; the key stays held until that was done. Thread-safe. Must go before
// the informers, and not on their loop: it waits for what runs there.
class WrittenGate {
 public:
  WrittenGate(Clock& clock, Logger logger, Duration relist_after = std::chrono::seconds(15));
  ~WrittenGate();

  // Before the informers start.
  void Watch(Informer& informer);
  // Calls `release` once the caches show all of `writes`: at once when they do already, else later,
  // on a loop thread.
  void HoldUntilSeen(const std::vector<Write>& writes, std::function<void()> release);
  size_t held() const;

 private:
  struct Impl;
  std::shared_ptr<Impl> impl_;
};

}  // namespace hearth::controller
