#include "kube/client/await.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "json/parse.h"
#include "kube/model/api_status.h"

namespace hearth::kube {
namespace {

constexpr Duration kPauseBetweenWatches = std::chrono::milliseconds(250);
constexpr Duration kQuestionAfter = std::chrono::seconds(30);

// Takes the events of a watch to the thread that waits.
class Mailbox : public WatchHandler {
 public:
  Status OnEvent(WatchEventType type, std::string_view object, size_t /*capacity*/) override {
    ASSIGN_OR_RETURN(json::Blob blob, json::Parse(object));
    if (type == WatchEventType::kError) {
      return StatusFromObject(blob.view());
    }
    if (type != WatchEventType::kBookmark) {
      const std::lock_guard lock(mutex_);
      events_.push_back({Object(std::move(blob)), type == WatchEventType::kDeleted});
      changed_.notify_all();
    }
    return Status::Ok();
  }

  void OnEnd(Status /*status*/) override {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_all();
  }

  // The next object. kNotFound: it is deleted. kUnavailable: the watch has ended. The limit's
  // failure when it is over.
  Result<Object> Next(const WaitLimit& limit) {
    const std::stop_callback wake(limit.stop, [this] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    while (events_.empty() && !ended_) {
      RETURN_IF_ERROR(limit.Check(RealClock(), "waiting"));
      RealClock().WaitUntil(lock, changed_, limit.deadline);
    }
    if (events_.empty()) {
      return UnavailableError("the watch ended");
    }
    const Event event = std::move(events_.front());
    events_.pop_front();
    if (event.deleted) {
      return NotFoundError(event.object.meta().kind() + " " + event.object.meta().key().ToString() +
                           " was deleted meanwhile");
    }
    return event.object;
  }

 private:
  struct Event {
    Object object;
    bool deleted = false;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> events_;
  bool ended_ = false;
};

}  // namespace

Status Await(Client& client, const ResourceType& type, std::string_view name_space,
             const ListOptions& which, IfNone if_none, const WaitLimit& limit,
             const std::function<Result<bool>(const Object&)>& done) {
  while (true) {
    RETURN_IF_ERROR(limit.Check(RealClock(), "waiting"));
    ASSIGN_OR_RETURN(const ListPage page, client.List(type, name_space, limit, which));
    if (page.items.empty() && if_none == IfNone::kFail) {
      return NotFoundError(
          fmt::format("{} of namespace {} was deleted meanwhile", type.kind, name_space));
    }
    for (const Object& object : page.items) {
      ASSIGN_OR_RETURN(const bool enough, done(object));
      if (enough) {
        return Status::Ok();
      }
    }
    Mailbox mailbox;
    http::StreamOptions lasting;
    lasting.lasting = true;
    lasting.ask_for_life_after = kQuestionAfter;
    const auto stream = client.StartWatch(type, name_space,
                                          {.label_selector = which.label_selector,
                                           .field_selector = which.field_selector,
                                           .resource_version = page.resource_version},
                                          mailbox, lasting);
    Result<Object> object = mailbox.Next(limit);
    for (; object.ok(); object = mailbox.Next(limit)) {
      ASSIGN_OR_RETURN(const bool enough, done(*object));
      if (enough) {
        return Status::Ok();
      }
    }
    if (!object.status().Is(Code::kUnavailable)) {
      return object.status();
    }
    SleepFor(RealClock(), std::min(kPauseBetweenWatches, limit.Remaining(RealClock())), limit.stop);
  }
}

Status AwaitObject(Client& client, const ResourceType& type, const ObjectKey& key,
                   const WaitLimit& limit, const std::function<Result<bool>(const Object&)>& done) {
  RETURN_IF_ERROR(CheckKey(type, key));
  return Await(client, type, key.name_space, {.field_selector = "metadata.name=" + key.name},
               IfNone::kFail, limit, done);
}

}  // namespace hearth::kube
