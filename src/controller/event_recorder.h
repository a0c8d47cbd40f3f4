#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "kube/client/client.h"
#include "kube/model/names.h"

namespace hearth::controller {

enum class EventType { kNormal, kWarning };

struct EventSubject {
  kube::ResourceType type;
  kube::ObjectKey key;
  std::string uid;
  std::string resource_version;
};

// Publishes events (events.k8s.io/v1) about objects. Never blocks and never fails its caller: what
// cannot be sent is dropped and counted. Like events within six minutes become one with a series
// that counts them; the series is written again at most every half hour and when it ends. One
// subject gets 25 at once, then one per five minutes. Thread-safe.
class EventRecorder {
 public:
  struct Options {
    std::string reporting_controller = "hearth";
    std::string reporting_instance;  // host name when empty
    size_t max_queued = 1000;
    int burst = 25;
    Duration refill = std::chrono::minutes(5);
    Duration series_window = std::chrono::minutes(6);
    Duration series_refresh = std::chrono::minutes(30);
  };
  EventRecorder(kube::Client& client, Clock& clock, Options options, Logger logger);
  ~EventRecorder();

  void Record(const EventSubject& about, EventType type, std::string_view reason,
              std::string_view action, std::string_view note);
  // Waits until everything recorded so far was sent or dropped.
  Status Flush(const WaitLimit& limit);
  // Drops what has not been sent and everything recorded from here on. Does not wait.
  void Abandon();
  uint64_t dropped() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hearth::controller
