#include "snapshot/ctl/internal/cluster.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>

#include "json/parse.h"
#include "kube/model/api_status.h"

namespace hearth::snapshot::ctl {
namespace {

constexpr Duration kPauseBetweenWatches = std::chrono::milliseconds(250);
constexpr Duration kQuestionAfter = std::chrono::seconds(30);

// Takes the events of a watch to the thread that waits.
class Mailbox : public kube::WatchHandler {
 public:
  Status OnEvent(kube::WatchEventType type, std::string_view object, size_t /*capacity*/) override {
    ASSIGN_OR_RETURN(json::Blob blob, json::Parse(object));
    if (type == kube::WatchEventType::kError) {
      return kube::StatusFromObject(blob.view());
    }
    if (type != kube::WatchEventType::kBookmark) {
      const std::lock_guard lock(mutex_);
      events_.push_back({kube::Object(std::move(blob)), type == kube::WatchEventType::kDeleted});
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
  Result<kube::Object> Next(const WaitLimit& limit) {
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
    kube::Object object;
    bool deleted = false;
  };
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Event> events_;
  bool ended_ = false;
};

}  // namespace

const kube::ResourceType& PodSnapshots() {
  static const kube::ResourceType type{"nvidia.com", "v1alpha1", "podsnapshots", "PodSnapshot",
                                       true};
  return type;
}

const kube::ResourceType& Jobs() {
  static const kube::ResourceType type{"batch", "v1", "jobs", "Job", true};
  return type;
}

Result<std::unique_ptr<Cluster>> Cluster::Connect(const kube::ConfigRequest& request) {
  const kube::ConfigSources sources = kube::ConfigSources::Real();
  ASSIGN_OR_RETURN(const kube::Config config, kube::LoadConfig(request, sources));
  std::unique_ptr<Cluster> cluster(
      new Cluster(config.name_space.empty() ? "default" : config.name_space));
  ASSIGN_OR_RETURN(cluster->transport_,
                   kube::MakeHttpTransport(cluster->loop_, config, sources,
                                           {.http = {}, .user_agent = "snapshotctl"}));
  cluster->client_ = std::make_unique<kube::Client>(
      *cluster->transport_, RealClock(), kube::ClientOptions{.field_manager = "snapshotctl"});
  return cluster;
}

Status Cluster::Await(const kube::ResourceType& type, std::string_view name_space,
                      const kube::ListOptions& which, IfNone if_none, const WaitLimit& limit,
                      const std::function<Result<bool>(const kube::Object&)>& done) {
  while (true) {
    RETURN_IF_ERROR(limit.Check(RealClock(), "waiting"));
    ASSIGN_OR_RETURN(const kube::ListPage page, client_->List(type, name_space, limit, which));
    if (page.items.empty() && if_none == IfNone::kFail) {
      return NotFoundError(
          fmt::format("{} of namespace {} was deleted meanwhile", type.kind, name_space));
    }
    for (const kube::Object& object : page.items) {
      ASSIGN_OR_RETURN(const bool enough, done(object));
      if (enough) {
        return Status::Ok();
      }
    }
    Mailbox mailbox;
    http::StreamOptions lasting;
    lasting.lasting = true;
    lasting.ask_for_life_after = kQuestionAfter;
    const auto stream = client_->StartWatch(type, name_space,
                                            {.label_selector = which.label_selector,
                                             .field_selector = which.field_selector,
                                             .resource_version = page.resource_version},
                                            mailbox, lasting);
    Result<kube::Object> object = mailbox.Next(limit);
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

}  // namespace hearth::snapshot::ctl
