#include "controller/informer.h"

#include <malloc.h>

#include <condition_variable>
#include <future>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/prune.h"
#include "kube/model/api_status.h"
#include "kube/model/object.h"
#include "kube/model/resource_version.h"
#include "kube/model/selector.h"

namespace hearth::controller {
namespace {

constexpr std::string_view kInitialEventsEnd = "k8s.io/initial-events-end";
constexpr size_t kMaxNameBytes = 253;

// For a metric's label: two caches of one type are two series. Empty: everything.
std::string ScopeText(const Scope& scope) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : {std::pair("namespace", scope.name_space),
                                    {"labels", scope.label_selector},
                                    {"fields", scope.field_selector}}) {
    if (!value.empty()) {
      parts.push_back(std::string(name) + ":" + value);
    }
  }
  return Join(parts, " ");
}

}  // namespace

// Everything below runs on the loop, but for the parts that say otherwise.
struct Informer::Impl : std::enable_shared_from_this<Informer::Impl> {
  Impl(kube::Client& client, Clock& clock, Informer& owner, json::FieldSet keep,
       InformerOptions informer_options, const Logger& log, Metrics* metrics)
      : client(client),
        clock(clock),
        loop(client.transport().loop()),
        informer(owner),
        fields(std::move(keep)),
        options(informer_options),
        logger(log.With({{"resource", owner.type().ToString()}})),
        reflector(options.reflector, Random::Seeded()) {
    if (metrics != nullptr) {
      const MetricLabels labels = {{"resource", owner.type().ToString()},
                                   {"scope", ScopeText(owner.scope())}};
      objects = metrics->gauge("hearth_informer_objects", "Objects in the cache", labels);
      relists = metrics->counter("hearth_informer_relists_total",
                                 "Times the whole collection had to be read again", labels);
      failures = metrics->counter("hearth_informer_failures_total", "Lists and watches that failed",
                                  labels);
      events = metrics->counter("hearth_informer_events_total", "Watch events received", labels);
      skipped = metrics->counter("hearth_informer_skipped_total", "Objects that could not be read",
                                 labels);
    }
  }

  // One list or watch under way. Handlers refer to it, so it outlives its stream; a stream that
  // ended is taken down by a posted task, never inside its own callback.
  struct Running final : kube::WatchHandler, kube::ListHandler {
    explicit Running(Impl& owner) : impl(owner), serial(++owner.streams_started) {}
    Status OnEvent(kube::WatchEventType type, std::string_view object, size_t capacity) override {
      return impl.OnEvent(*this, type, object, capacity);
    }
    Status OnItem(std::string_view object, size_t capacity) override {
      return impl.OnItem(object, capacity);
    }
    void OnEnd(Status status) override {
      impl.EndedLater(*this, Reflector::WatchEnd{error.ok() ? std::move(status) : error});
    }
    void OnEnd(Result<Tail> tail) override {
      if (tail.ok()) {
        impl.EndedLater(*this, Reflector::ListEnd{tail->resource_version, tail->continue_token});
      } else {
        impl.EndedLater(*this, Reflector::ListFailed{tail.status()});
      }
    }

    Impl& impl;
    uint64_t serial;
    Status error;  // of an ERROR event
    std::unique_ptr<http::Stream> stream;
  };

  void Begin() {
    pruner.emplace(fields);
    Step(Reflector::Begin{});
  }

  void Step(const Reflector::Input& input) {
    if (!stopped) {
      Execute(reflector.Step(input, clock.Now()));
    }
  }

  void Execute(const std::vector<Reflector::Action>& actions) {
    for (const Reflector::Action& action : actions) {
      std::visit([this](const auto& what) { Do(what); }, action);
    }
  }

  void Do(const Reflector::BeginReplace& begin) {
    authoritative = begin.authoritative;
    if (authoritative) {
      std::move(relist_asked.begin(), relist_asked.end(), std::back_inserter(relist_running));
      relist_asked.clear();
    }
    informer.store_.BeginReplace(begin.authoritative);
  }

  void Do(const Reflector::EndReplace& end) {
    informer.store_.EndReplace(kube::ParseResourceVersion(end.resource_version).value_or(0),
                               change_callback);
    {
      const std::lock_guard lock(sync_mutex);
      synced = true;
    }
    sync_changed.notify_all();
    objects.Set(static_cast<double>(informer.store_.size()));
    ProgressLater();
    GiveMemoryBackLater();
    if (authoritative) {
      for (const auto& done : std::exchange(relist_running, {})) {
        done();
      }
    }
  }

  // A filling leaves holes behind, and so do the keys it put into queues: no longer needed once
  // they are worked off.
  void GiveMemoryBackLater() {
    constexpr auto kUsuallyWorkedOff = std::chrono::seconds(2);
    give_back_timer = loop.After(kUsuallyWorkedOff, [] { malloc_trim(0); });
  }

  void Do(const Reflector::StartList& start) {
    kube::ListOptions list = start.options;
    list.label_selector = informer.scope_.label_selector;
    list.field_selector = informer.scope_.field_selector;
    http::StreamOptions limits;
    limits.deadline = clock.Now() + options.list_timeout;
    limits.head_timeout = options.list_timeout;
    limits.ask_for_life_after = options.ask_for_life_after;
    auto next = std::make_unique<Running>(*this);
    next->stream =
        client.StartList(informer.type_, informer.scope_.name_space, list, *next, limits);
    running = std::move(next);
  }

  void Do(const Reflector::StartWatch& start) {
    kube::WatchOptions watch = start.options;
    watch.label_selector = informer.scope_.label_selector;
    watch.field_selector = informer.scope_.field_selector;
    http::StreamOptions limits;
    limits.head_timeout = options.head_timeout;
    limits.idle_timeout = options.watch_idle_timeout;
    limits.ask_for_life_after = options.ask_for_life_after;
    auto next = std::make_unique<Running>(*this);
    next->stream =
        client.StartWatch(informer.type_, informer.scope_.name_space, watch, *next, limits);
    running = std::move(next);
  }

  void Do(const Reflector::StopStream&) { running.reset(); }
  void Do(const Reflector::Upsert&) { informer.store_.Upsert(std::move(current), change_callback); }
  void Do(const Reflector::Remove&) {
    const ObjectPtr gone = std::move(current);
    informer.store_.Remove(gone->name_space(), gone->name(), gone, change_callback);
  }

  void Do(const Reflector::Advance& advance) {
    if (const auto version = kube::ParseResourceVersion(advance.resource_version)) {
      informer.store_.AdvanceTo(*version);
    }
    ProgressLater();
  }

  void Do(const Reflector::Wait& wait) {
    timer = loop.After(wait.delay, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->Step(Reflector::TimerFired{});
      }
    });
  }

  void Do(const Reflector::Report& report) {
    failures.Add();
    if (report.relist) {
      relists.Add();
    }
    logger.Warning(
        report.relist ? "reading the whole collection again" : "watch interrupted, resuming",
        {{"cause", report.status.ToString()}});
    const std::lock_guard lock(sync_mutex);
    last_failure = report.status;
  }

  // The object of the event or item at hand, read once into `current`. False when it cannot be
  // read: it is skipped, the stream goes on.
  bool Read(std::string_view object, size_t capacity) {
    auto pruned = pruner->Prune(object, capacity);
    Status problem = pruned.ok() ? Status() : pruned.status();
    if (problem.ok() &&
        (pruned->name.empty() || pruned->name.size() > kMaxNameBytes ||
         pruned->name_space.size() > kMaxNameBytes || pruned->uid.size() > kMaxNameBytes)) {
      problem = InvalidError(
          "it has no usable metadata.name; is the server answering with another kind?");
    }
    if (!problem.ok()) {
      skipped.Add();
      logger.Error("skipping an object that cannot be read",
                   {{"cause", problem.ToString()}, {"object", Excerpt(object, 200)}});
      return false;
    }
    current_version.assign(pruned->resource_version);
    current = CachedObject::Make(*pruned);
    return true;
  }

  Status OnItem(std::string_view object, size_t capacity) {
    if (Read(object, capacity)) {
      Step(Reflector::Item{});
    }
    return {};
  }

  Status OnEvent(Running& from, kube::WatchEventType type, std::string_view object,
                 size_t capacity) {
    events.Add();
    if (type == kube::WatchEventType::kError) {
      from.error = ErrorOf(object);
      return from.error;
    }
    if (type == kube::WatchEventType::kBookmark) {
      return OnBookmark(from, object);
    }
    if (!Read(object, capacity)) {
      return OnUnreadable(object, capacity);
    }
    if (current->resource_version() == 0) {
      return NoVersion(from);
    }
    Step(Reflector::Event{type, current_version});
    return {};
  }

  // As in a list, where what cannot be read is left out: a former state must not stay and be taken
  // for the present one. Its name is read all the same, if there is one.
  Status OnUnreadable(std::string_view object, size_t capacity) {
    const auto named = name_reader.Prune(object, capacity);
    if (named.ok() && kube::ParseResourceVersion(named->resource_version).has_value()) {
      current_version.assign(named->resource_version);
      current = informer.store_.Get(named->name_space, named->name);
      Step(Reflector::Event{
          current ? kube::WatchEventType::kDeleted : kube::WatchEventType::kBookmark,
          current_version});
    }
    return {};
  }

  // Where the watch stands is not known from here on: resumed, it might leave something out.
  static Status NoVersion(Running& from) {
    from.error = InvalidError("the server sent an event without a usable resource version");
    return from.error;
  }

  static Status ErrorOf(std::string_view object) {
    const auto status = json::Parse(object);
    if (!status.ok()) {
      return status.status().WithContext("reading an ERROR event of a watch");
    }
    Status error = kube::StatusFromObject(status->view());
    return error.ok() ? InternalError("the watch ended with an ERROR event that names no error")
                      : error;
  }

  Status OnBookmark(Running& from, std::string_view object) {
    ASSIGN_OR_RETURN(const json::Blob bookmark, json::Parse(object));
    const kube::Meta meta(bookmark.view());
    const std::string version = meta.resource_version();
    if (kube::ParseResourceVersion(version).value_or(0) == 0) {
      return NoVersion(from);
    }
    Step(Reflector::Event{kube::WatchEventType::kBookmark, version,
                          meta.annotation(kInitialEventsEnd) == "true"});
    return {};
  }

  void EndedLater(const Running& which, Reflector::Input input) {
    loop.Post([weak = weak_from_this(), serial = which.serial, input = std::move(input)] {
      const auto self = weak.lock();
      if (self && self->running && self->running->serial == serial) {
        const auto old = std::move(self->running);
        self->Step(input);
      }
    });
  }

  // Once for all events of a batch: posted behind the batch that is being read now.
  void ProgressLater() {
    if (std::exchange(progress_posted, true)) {
      return;
    }
    loop.Post([weak = weak_from_this()] {
      if (const auto self = weak.lock()) {
        self->progress_posted = false;
        if (self->stopped) {
          return;  // whoever stopped us may already have let go of the store
        }
        self->objects.Set(static_cast<double>(self->informer.store_.size()));
        for (const auto& callback : self->progress_callbacks) {
          callback();
        }
      }
    });
  }

  void Stop() {
    stopped = true;
    timer.reset();
    give_back_timer.reset();
    running.reset();
  }

  kube::Client& client;
  Clock& clock;
  net::EventLoop& loop;
  Informer& informer;
  json::FieldSet fields;
  InformerOptions options;
  Logger logger;
  Reflector reflector;
  Gauge objects;
  Counter relists, failures, events, skipped;

  std::optional<json::Pruner> pruner;
  const json::FieldSet no_fields;
  json::Pruner name_reader{no_fields};
  ObjectPtr current;
  std::string current_version;
  uint64_t streams_started = 0;
  std::unique_ptr<Running> running;
  std::unique_ptr<net::EventLoop::Timer> timer;
  std::unique_ptr<net::EventLoop::Timer> give_back_timer;
  std::vector<ObjectStore::OnChange> change_callbacks;
  ObjectStore::OnChange change_callback = [this](const Change& change) {
    for (const auto& callback : change_callbacks) {
      callback(change);
    }
  };
  std::vector<std::function<void()>> progress_callbacks;
  std::vector<std::function<void()>> relist_asked, relist_running;
  bool authoritative = false;
  bool progress_posted = false;
  bool stopped = false;

  // Shared with other threads.
  std::mutex sync_mutex;
  std::condition_variable sync_changed;
  bool synced = false;
  bool started = false;
  Status last_failure;
};

Informer::Informer(kube::Client& client, Clock& clock, kube::ResourceType type, Scope scope,
                   json::FieldSet fields, std::vector<Index> indexes, InformerOptions options,
                   const Logger& logger, Metrics* metrics)
    : type_(std::move(type)), scope_(std::move(scope)), store_(std::move(indexes)) {
  impl_ = std::make_shared<Impl>(client, clock, *this, std::move(fields), options, logger, metrics);
}

Informer::~Informer() { Stop(); }

void Informer::AddFields(const json::FieldSet& fields) { impl_->fields.Include(fields); }

void Informer::AddIndexes(std::vector<Index> indexes) {
  for (Index& index : indexes) {
    store_.AddIndex(std::move(index));
  }
}

void Informer::OnChange(ObjectStore::OnChange callback) {
  impl_->change_callbacks.push_back(std::move(callback));
}
void Informer::OnProgress(std::function<void()> callback) {
  impl_->progress_callbacks.push_back(std::move(callback));
}

void Informer::Start() {
  {
    const std::lock_guard lock(impl_->sync_mutex);
    CHECK(!impl_->started) << "informer of " << type_.ToString() << " started twice";
    impl_->started = true;
  }
  impl_->loop.Post([impl = impl_] { impl->Begin(); });
}

void Informer::Stop() {
  {
    const std::lock_guard lock(impl_->sync_mutex);
    if (!std::exchange(impl_->started, false)) {
      return;
    }
  }
  CHECK(!impl_->loop.OnLoopThread()) << "an informer must not be stopped from its own callbacks";
  // Shared, so that a loop that has ended and drops the work breaks the promise instead of leaving
  // us here.
  auto stopped = std::make_shared<std::promise<void>>();
  std::future<void> done = stopped->get_future();
  impl_->loop.Post([impl = impl_, stopped = std::move(stopped)] {
    impl->Stop();
    stopped->set_value();
  });
  done.wait();
}

bool Informer::synced() const {
  const std::lock_guard lock(impl_->sync_mutex);
  return impl_->synced;
}

Status Informer::WaitForSync(const WaitLimit& limit) {
  const std::stop_callback wake(limit.stop, [this] {
    const std::lock_guard lock(impl_->sync_mutex);
    impl_->sync_changed.notify_all();
  });
  std::unique_lock lock(impl_->sync_mutex);
  while (!impl_->synced) {
    Status over =
        limit.Check(impl_->clock, "the cache of " + type_.ToString() + " is not filled yet");
    if (!over.ok()) {
      return impl_->last_failure.ok()
                 ? over
                 : over.WithCause({"LastFailure", impl_->last_failure.ToString(), ""});
    }
    impl_->clock.WaitUntil(lock, impl_->sync_changed, limit.deadline);
  }
  return {};
}

void Informer::RequestRelist(std::function<void()> done) {
  impl_->loop.Post([weak = std::weak_ptr(impl_), done = std::move(done)]() mutable {
    const auto self = weak.lock();
    if (!self) {
      return;
    }
    if (done) {
      self->relist_asked.push_back(std::move(done));
    }
    self->Step(Reflector::RelistWanted{});
  });
}

net::EventLoop& Informer::loop() const { return impl_->loop; }

std::optional<bool> Informer::InScope(json::View object) const {
  const kube::Meta meta(object);
  if (!scope_.field_selector.empty()) {
    return std::nullopt;
  }
  if (!scope_.name_space.empty() && scope_.name_space != meta.name_space()) {
    return false;
  }
  const auto selector = kube::LabelSelector::Parse(scope_.label_selector);
  return selector.ok() ? std::optional<bool>(selector->Matches(meta.labels())) : std::nullopt;
}

}  // namespace hearth::controller
