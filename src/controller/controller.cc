#include "controller/controller.h"

#include <algorithm>
#include <condition_variable>
#include <optional>
#include <stop_token>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/seeded_hash.h"
#include "base/stop_waker.h"
#include "base/strings.h"
#include "controller/internal/named_thread.h"
#include "controller/internal/pass_runner.h"

namespace hearth::controller {
namespace {

WorkQueue::Options QueueOptions(const ControllerOptions& options, Metrics& metrics) {
  return {.retry = options.retry, .metrics = &metrics, .name = options.name};
}

Controller::Wiring WithName(Controller::Wiring wiring, const std::string& name) {
  wiring.logger = wiring.logger.With({{"controller", name}});
  return wiring;
}

// Each key once: added twice, an idle worker that is quick would make two passes of one change.
// One change may concern tens of thousands of keys.
class DistinctKeys {
 public:
  void Clear() {
    keys_.clear();
    seen_.clear();
  }
  void Add(const kube::ObjectKey& key) {
    if (keys_.size() < kFew) {
      if (std::find(keys_.begin(), keys_.end(), key) == keys_.end()) {
        keys_.push_back(key);
      }
      return;
    }
    if (seen_.empty()) {
      seen_.insert(keys_.begin(), keys_.end());
    }
    if (seen_.insert(key).second) {
      keys_.push_back(key);
    }
  }
  const std::vector<kube::ObjectKey>& keys() const { return keys_; }

 private:
  struct Hash {
    size_t operator()(const kube::ObjectKey& key) const {
      return SeededHash()(key.name) ^ 31 * SeededHash()(key.name_space);
    }
  };
  static constexpr size_t kFew = 16;  // among which looking is as quick
  std::vector<kube::ObjectKey> keys_;
  std::unordered_set<kube::ObjectKey, Hash> seen_;  // all of them, once they are many
};

// Both states: an object that moved from one owner to another concerns both. `keys` is memory to
// use.
void MapChange(const Change& change, const Mapper& mapper, DistinctKeys& keys) {
  keys.Clear();
  const Enqueue collect = [&keys](const kube::ObjectKey& key) { keys.Add(key); };
  if (change.before) {
    mapper(*change.before, collect);
  }
  if (change.after) {
    mapper(*change.after, collect);
  }
}

// Wakes nobody.
void AddAll(const Informer& informer, const Mapper& mapper, WorkQueue& queue) {
  const Enqueue enqueue = [&queue](const kube::ObjectKey& key) {
    queue.AddQuietly(key, Priority::kLow);
  };
  for (const ObjectPtr& object : informer.store().List()) {
    mapper(*object, enqueue);
  }
}

// Carries one informer's changes into the queue, on the loop.
struct Feed {
  void OnChange(const Change& change) {
    if (change.initial || !Concerns(change, fields)) {
      return;
    }
    MapChange(change, mapper, keys);
    for (const kube::ObjectKey& key : keys.keys()) {
      queue->AddQuietly(key);
    }
  }

  // The first filling is added once it is complete: keys that came between its objects would leave
  // holes in memory when they go.
  void OnProgress() {
    if (!std::exchange(filled, true)) {
      AddAll(informer, mapper, *queue);
    }
    queue->Flush();
  }

  const Informer& informer;
  const std::shared_ptr<WorkQueue> queue;
  const Mapper mapper;
  const json::FieldSet& fields;
  DistinctKeys keys = {};
  bool filled = false;
};

}  // namespace

struct Controller::Impl {
  Impl(ControllerOptions the_options, Reconciler& reconciler, const Wiring& wiring)
      : options(std::move(the_options)),
        clock(wiring.clock),
        queue(std::make_shared<WorkQueue>(clock, QueueOptions(options, wiring.metrics))),
        runner(options, reconciler, WithName(wiring, options.name), queue) {}

  void Work(size_t worker);
  void Resync();
  void Ended();
  std::string StillRunning() REQUIRES(mutex);

  const ControllerOptions options;
  Clock& clock;
  const std::shared_ptr<WorkQueue>
      queue;  // shared with the informers' callbacks and the gate's releases
  internal::PassRunner runner;
  const Informer* primary = nullptr;
  Mapper primary_mapper;

  std::stop_source stop;
  std::vector<std::jthread> threads;
  Mutex mutex;
  std::condition_variable ended;
  size_t live GUARDED_BY(mutex) = 0;  // threads that have not ended
  std::vector<std::optional<kube::ObjectKey>> current GUARDED_BY(mutex);  // by worker
};

void Controller::Impl::Work(size_t worker) {
  Random random = Random::Seeded();
  kube::ObjectKey key;
  while (queue->Get(stop.get_token(), key)) {
    {
      MutexLock lock(mutex);
      current[worker] = key;
    }
    runner.Run(key, random, stop.get_token());
    MutexLock lock(mutex);
    current[worker].reset();
  }
  Ended();
}

void Controller::Impl::Resync() {
  Random random = Random::Seeded();
  // A tenth of it at random, so that the controllers of a program do not come all together.
  const BackoffPolicy period{.initial = options.resync, .max = options.resync, .jitter = 0.1};
  while (SleepFor(clock, period.DelayFor(0, random), stop.get_token())) {
    AddAll(*primary, primary_mapper, *queue);
    queue->Flush();
  }
  Ended();
}

void Controller::Impl::Ended() {
  MutexLock lock(mutex);
  --live;
  ended.notify_all();
}

std::string Controller::Impl::StillRunning() {
  std::vector<std::string> keys;
  for (const auto& key : current) {
    if (key.has_value()) {
      keys.push_back(key->ToString());
    }
  }
  return Join(keys, ", ");
}

Controller::Controller(ControllerOptions options, Reconciler& reconciler, const Wiring& wiring)
    : impl_(std::make_unique<Impl>(std::move(options), reconciler, wiring)) {
  CHECK(impl_->options.workers > 0) << "controller " << impl_->options.name << " has no workers";
}

// Threads are joined whatever they do: nothing of ours runs on after we are gone.
Controller::~Controller() { static_cast<void>(Stop(WaitLimit::Forever())); }

void Controller::Watch(Informer& informer, Mapper mapper, const json::FieldSet& fields) {
  if (impl_->primary == nullptr) {
    impl_->primary = &informer;
    impl_->primary_mapper = mapper;
  }
  // Shared by the two callbacks.
  const auto feed = std::make_shared<Feed>(Feed{informer, impl_->queue, std::move(mapper), fields});
  informer.OnChange([feed](const Change& change) { feed->OnChange(change); });
  informer.OnProgress([feed] { feed->OnProgress(); });
}

void Controller::Enqueue(const kube::ObjectKey& key, Priority priority) {
  impl_->queue->Add(key, priority);
}

void Controller::Start() {
  CHECK(impl_->threads.empty()) << "controller " << name() << " is started twice";
  const bool resyncs = impl_->options.resync != Duration::max() && impl_->primary != nullptr;
  const auto workers = static_cast<size_t>(impl_->options.workers);
  {
    MutexLock lock(impl_->mutex);
    impl_->live = workers + (resyncs ? 1 : 0);
    impl_->current.resize(workers);
  }
  const std::string short_name = name().substr(0, 11);
  for (size_t i = 0; i < workers; ++i) {
    impl_->threads.push_back(internal::NamedThread(short_name + "-" + std::to_string(i),
                                                   [impl = impl_.get(), i] { impl->Work(i); }));
  }
  if (resyncs) {
    impl_->threads.push_back(
        internal::NamedThread(short_name + "-all", [impl = impl_.get()] { impl->Resync(); }));
  }
}

Status Controller::Stop(const WaitLimit& limit) {
  impl_->queue->ShutDown();
  impl_->stop.request_stop();
  {
    StopWaker waker(limit.stop, impl_->mutex.native(), impl_->ended);
    MutexLock lock(impl_->mutex);
    while (impl_->live > 0) {
      const Status over = limit.Check(impl_->clock, "stop controller " + name());
      if (!over.ok()) {
        return over.WithContext("still running: " + impl_->StillRunning());
      }
      impl_->clock.WaitUntil(lock.native(), impl_->ended, limit.deadline);
    }
  }
  impl_->threads.clear();
  return {};
}

const std::string& Controller::name() const { return impl_->options.name; }

const WorkQueue& Controller::queue() const { return *impl_->queue; }

}  // namespace hearth::controller
