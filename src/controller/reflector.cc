#include "controller/reflector.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "base/check.h"
#include "kube/model/api_status.h"
#include "kube/model/resource_version.h"

namespace hearth::controller {
namespace {

bool VersionIsUseless(const Status& status) {
  return status.Is(Code::kGone) || kube::HasCause(status, kube::reason::kResourceVersionTooLarge);
}

// The server is there and says that it will not do this, in contrast to not being there or being
// busy.
bool RefusedByServer(const Status& status) {
  switch (status.code()) {
    case Code::kInvalid:
    case Code::kUnsupported:
    case Code::kInternal:
    case Code::kNotFound:
      return true;
    default:
      return false;
  }
}

template <typename... Ts>
std::vector<Reflector::Action> Do(Ts&&... actions) {
  std::vector<Reflector::Action> list;
  list.reserve(sizeof...(actions));
  (list.emplace_back(std::forward<Ts>(actions)), ...);
  return list;
}

std::vector<Reflector::Action> Joined(std::vector<Reflector::Action> first,
                                      std::vector<Reflector::Action> second) {
  std::move(second.begin(), second.end(), std::back_inserter(first));
  return first;
}

}  // namespace

Reflector::Reflector(Options options, Random random)
    : options_(options),
      random_(random),
      backoff_(options.backoff, Random(random_.Next())),
      use_watch_list_(options.watch_list) {}

std::vector<Reflector::Action> Reflector::Step(const Input& input, SteadyTime now) {
  now_ = now;
  return std::visit([this](const auto& what) { return On(what); }, input);
}

Reflector::Actions Reflector::On(const Begin&) {
  CHECK(state_ == State::kIdle);
  return StartFilling();
}

Reflector::Actions Reflector::On(const Item&) { return Do(Upsert{}); }

Reflector::Actions Reflector::On(const ListEnd& end) {
  if (state_ != State::kListing) {
    return {};
  }
  continue_token_ = end.continue_token;
  if (!continue_token_.empty()) {
    return NextPage();
  }
  if (kube::ParseResourceVersion(end.resource_version).value_or(0) == 0) {
    return FillingFailed(InvalidError("the server's list has no usable resource version"));
  }
  Actions done = FillingDone(end.resource_version);  // first: the watch begins where the list ended
  return state_ == State::kWatching ? Joined(std::move(done), StartWatching()) : done;
}

Reflector::Actions Reflector::On(const ListFailed& failed) {
  if (state_ != State::kListing) {
    return {};
  }
  if (failed.status.Is(Code::kGone) && !continue_token_.empty() && paging_) {
    // The token expired under way: once more, in one piece.
    paging_ = false;
    return Joined(Do(Report{failed.status, true}), StartListing());
  }
  return FillingFailed(failed.status);
}

Reflector::Actions Reflector::On(const Event& event) {
  if (state_ == State::kStreamingList) {
    switch (event.type) {
      case kube::WatchEventType::kBookmark:
        return event.initial_events_end ? FillingDone(std::string(event.resource_version))
                                        : Actions{};
      case kube::WatchEventType::kDeleted:
        return Do(Remove{});
      default:
        // These come in the order of their names, not of their versions: where we are is known only
        // at the end.
        return Do(Upsert{});
    }
  }
  if (state_ != State::kWatching) {
    return {};
  }
  resource_version_.assign(event.resource_version);
  if (event.type == kube::WatchEventType::kBookmark) {
    return Do(Advance{resource_version_});
  }
  watch_had_events_ = true;
  if (event.type == kube::WatchEventType::kDeleted) {
    return Do(Remove{}, Advance{resource_version_});
  }
  return Do(Upsert{}, Advance{resource_version_});
}

Reflector::Actions Reflector::On(const WatchEnd& end) {
  if (state_ == State::kStreamingList) {
    if (end.status.ok() || RefusedByServer(end.status)) {
      // It cannot stream a first filling, or gave up doing so: list instead, now and later.
      use_watch_list_ = false;
      return Joined(Do(Report{end.status, true}), StartFilling());
    }
    return FillingFailed(end.status);
  }
  if (state_ != State::kWatching) {
    return {};
  }
  return WatchFailed(end.status);
}

Reflector::Actions Reflector::On(const TimerFired&) {
  if (state_ != State::kWaiting) {
    return {};
  }
  return after_wait_list_ ? StartFilling() : StartWatching();
}

Reflector::Actions Reflector::On(const RelistWanted&) {
  if (state_ == State::kListing || state_ == State::kStreamingList) {
    // Who begins anew each time somebody asks never comes to an end.
    relist_again_ = true;
    return {};
  }
  authoritative_ = true;
  after_wait_list_ = true;
  return state_ == State::kWatching ? Joined(Do(StopStream{}), StartFilling()) : Actions{};
}

// "" asks for the newest state, a version for one that is not older. The first filling asks for the
// newest, too: what a server has cached may lag behind what a controller wrote before it was
// restarted.
std::string Reflector::FillingVersion() const { return authoritative_ ? "" : resource_version_; }

int64_t Reflector::WatchSeconds() {
  const auto least = std::chrono::duration_cast<std::chrono::seconds>(options_.min_watch).count();
  return least +
         static_cast<int64_t>(random_.Below(static_cast<uint64_t>(std::max<int64_t>(least, 1))));
}

Reflector::Actions Reflector::StartFilling() {
  if (!use_watch_list_) {
    return StartListing();
  }
  state_ = State::kStreamingList;
  watch_started_ = now_;
  watch_had_events_ = false;
  kube::WatchOptions options;
  options.send_initial_events = true;
  options.resource_version_match = "NotOlderThan";
  options.resource_version = FillingVersion();
  options.timeout_seconds = WatchSeconds();
  return Do(BeginReplace{authoritative_}, StartWatch{std::move(options)});
}

Reflector::Actions Reflector::StartListing() {
  state_ = State::kListing;
  continue_token_.clear();
  return Joined(Do(BeginReplace{authoritative_}), NextPage());
}

Reflector::Actions Reflector::NextPage() {
  kube::ListOptions options;
  if (continue_token_.empty()) {
    options.resource_version = FillingVersion();
    if (!options.resource_version.empty()) {
      options.resource_version_match = "NotOlderThan";
    }
  } else {
    options.continue_token = continue_token_;
  }
  // Pages of a given version would come from storage instead of the server's cache.
  if (paging_ && options.resource_version_match.empty()) {
    options.limit = options_.page_size;
  }
  return Do(StartList{std::move(options)});
}

Reflector::Actions Reflector::StartWatching() {
  state_ = State::kWatching;
  watch_started_ = now_;
  watch_had_events_ = false;
  kube::WatchOptions options;
  options.resource_version = resource_version_;
  options.timeout_seconds = WatchSeconds();
  return Do(StartWatch{std::move(options)});
}

Reflector::Actions Reflector::FillingDone(const std::string& resource_version) {
  state_ = State::kWatching;
  resource_version_ = resource_version;
  synced_ = true;
  authoritative_ = std::exchange(relist_again_, false);
  paging_ = true;
  if (authoritative_) {
    // By way of the timer: a stream that is running is not taken down inside its own callback.
    state_ = State::kWaiting;
    after_wait_list_ = true;
    return Do(EndReplace{resource_version_}, Wait{Duration::zero()});
  }
  return Do(EndReplace{resource_version_});
}

Reflector::Actions Reflector::FillingFailed(const Status& status) {
  if (std::exchange(relist_again_, false)) {
    authoritative_ = true;  // the next try begins late enough
    return WaitThen(/*list=*/true, status);
  }
  if (VersionIsUseless(status) && !authoritative_) {
    authoritative_ = true;
    return Joined(Do(Report{status, true}), StartFilling());
  }
  return WaitThen(/*list=*/true, status);
}

Reflector::Actions Reflector::WatchFailed(const Status& status) {
  const Duration lived = now_ - watch_started_;
  if (lived >= options_.healthy_after) {
    backoff_.Reset();
  }
  const bool relist = status.Is(Code::kInvalid) || VersionIsUseless(status);
  if (status.retry_after().has_value()) {
    return WaitThen(relist, status);
  }
  if (relist) {
    return Relist(status);
  }
  // One that did its work for a while is resumed at once; one that ends as soon as it begins must
  // not make us spin. A refusal did no work, however long it took.
  const bool worked = lived >= options_.shortest_watch && status.http_code() == 0;
  if (worked || (status.ok() && watch_had_events_)) {
    return status.ok() ? StartWatching() : Joined(Do(Report{status, false}), StartWatching());
  }
  return WaitThen(
      /*list=*/false,
      status.ok() ? UnavailableError("the server ended the watch as soon as it began") : status);
}

// At once the first time, then with growing delays: a server that forgets everything again and
// again must not be drowned in lists.
Reflector::Actions Reflector::Relist(const Status& status) {
  if (backoff_.attempts() == 0) {
    (void)backoff_.Next();
    return Joined(Do(Report{status, true}), StartFilling());
  }
  return WaitThen(/*list=*/true, status);
}

Reflector::Actions Reflector::WaitThen(bool list, const Status& status) {
  state_ = State::kWaiting;
  after_wait_list_ = list;
  const Duration asked = status.retry_after().value_or(std::chrono::milliseconds(0));
  return Do(Report{status, list}, Wait{std::max<Duration>(asked, backoff_.Next())});
}

}  // namespace hearth::controller
