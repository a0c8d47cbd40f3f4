#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "json/parse.h"
#include "kube/client/client.h"
#include "kube/model/api_status.h"

namespace hearth::kube {

// What a watch tells, as lines: "ADDED a", "MODIFIED a", ...
class EventLog : public WatchHandler {
 public:
  Status OnEvent(WatchEventType type, std::string_view object, size_t) override {
    constexpr const char* kNames[] = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"};
    ASSIGN_OR_RETURN(const json::Blob blob, json::Parse(object));
    std::lock_guard lock(mutex_);
    if (type == WatchEventType::kError) {
      error_ = StatusFromObject(blob.view());
    }
    lines_.push_back(std::string(kNames[static_cast<int>(type)]) + " " + Meta(blob.view()).name());
    objects_.emplace_back(blob);
    changed_.notify_all();
    return Status::Ok();
  }
  void OnEnd(Status status) override {
    std::lock_guard lock(mutex_);
    end_ = std::move(status);
    changed_.notify_all();
  }

  // False when there are not so many after minutes.
  bool Await(size_t count) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(3), [&] { return lines_.size() >= count; });
  }
  bool AwaitEnd() {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(3), [&] { return end_.has_value(); });
  }
  std::vector<std::string> lines() {
    std::lock_guard lock(mutex_);
    return lines_;
  }
  std::vector<Object> objects() {
    std::lock_guard lock(mutex_);
    return objects_;
  }
  Status end() {
    std::lock_guard lock(mutex_);
    return end_.value_or(Status::Ok());
  }
  Status error() {
    std::lock_guard lock(mutex_);
    return error_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::vector<Object> objects_;
  std::optional<Status> end_;
  Status error_;
};

}  // namespace hearth::kube
