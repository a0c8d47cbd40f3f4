#include "controller/work_queue.h"

#include <algorithm>
#include <array>
#include <condition_variable>

#include "base/check.h"
#include "base/mutex.h"
#include "base/random.h"
#include "base/stop_waker.h"
#include "controller/internal/delay_heap.h"
#include "controller/internal/node_table.h"
#include "controller/internal/work_node.h"
#include "controller/internal/work_queue_metrics.h"

namespace hearth::controller {

using internal::WorkList;
using internal::WorkNode;
using Place = internal::WorkNode::Place;

struct WorkQueue::Impl {
  Impl(Clock& the_clock, Options the_options)
      : clock(the_clock),
        options(std::move(the_options)),
        metrics(options.metrics, options.name),
        random(Random::Seeded()),
        nodes(random.Next()) {}

  // Wanted now: ready, or once more after the run that is going on. Wakes nobody.
  void Want(WorkNode& node, Priority priority) REQUIRES(mutex);
  void WantAfter(WorkNode& node, Duration delay, Priority priority) REQUIRES(mutex);
  void AddNode(WorkNode& node, Duration delay, Priority priority) REQUIRES(mutex);
  void MakeReady(WorkNode& node, Priority priority) REQUIRES(mutex);
  void LeaveReady(WorkNode& node) REQUIRES(mutex);
  WorkNode* FindRunning(const kube::ObjectKey& key) REQUIRES(mutex);
  void Finish(WorkNode& node) REQUIRES(mutex);
  void DropIfIdle(WorkNode& node) REQUIRES(mutex);
  void TakeInDue() REQUIRES(mutex);
  bool TryTake(kube::ObjectKey& key) REQUIRES(mutex);

  void Wait(MutexLock& lock) REQUIRES(mutex);
  std::condition_variable* Sleeper() REQUIRES(mutex);  // where somebody waits who can be woken
  void WakeOne() REQUIRES(mutex);
  void WakeForTime() REQUIRES(mutex);
  bool NeedsWaiter() const REQUIRES(mutex);

  WorkList& List(Priority priority) REQUIRES(mutex) {
    return ready[static_cast<size_t>(static_cast<int>(Priority::kHigh) -
                                     static_cast<int>(priority))];
  }

  Clock& clock;
  const Options options;

  mutable Mutex mutex;
  internal::WorkQueueMetrics metrics GUARDED_BY(mutex);
  Random random GUARDED_BY(mutex);
  internal::NodeTable nodes GUARDED_BY(mutex);
  internal::DelayHeap delays GUARDED_BY(mutex);
  std::array<WorkList, 3> ready GUARDED_BY(mutex);  // the highest priority first
  size_t ready_count GUARDED_BY(mutex) = 0;
  WorkList running GUARDED_BY(mutex);
  size_t running_count GUARDED_BY(mutex) = 0;
  bool shut GUARDED_BY(mutex) = false;

  // Of those who wait, one also watches the time of the first delayed key; so a key that falls due
  // wakes one thread and not all.
  std::condition_variable idle;
  std::condition_variable timekeeper;
  int idle_count GUARDED_BY(mutex) = 0;
  bool has_timekeeper GUARDED_BY(mutex) = false;
};

void WorkQueue::Impl::Want(WorkNode& node, Priority priority) {
  if (node.heap_index != internal::kNotInHeap) {
    delays.Remove(&node);
    priority = std::max(priority, node.due_priority);
  }
  switch (node.place) {
    case Place::kSpare:
    case Place::kNowhere:
      metrics.Added();
      MakeReady(node, priority);
      break;
    case Place::kReady:
      if (priority > node.priority) {
        LeaveReady(node);
        MakeReady(node, priority);
      }
      break;
    case Place::kRunning:
      if (!node.again) {
        metrics.Added();
      }
      node.again_priority = node.again ? std::max(node.again_priority, priority) : priority;
      node.again = true;
      break;
  }
}

void WorkQueue::Impl::AddNode(WorkNode& node, Duration delay, Priority priority) {
  if (delay > Duration::zero() && node.place != Place::kReady && !node.again) {
    WantAfter(node, delay, priority);
    return;
  }
  const size_t before = ready_count;
  Want(node, priority);
  if (ready_count > before) {
    WakeOne();
  }
}

void WorkQueue::Impl::WantAfter(WorkNode& node, Duration delay, Priority priority) {
  const SteadyTime due = TimeAfter(clock.Now(), delay);
  if (node.heap_index != internal::kNotInHeap) {
    priority = std::max(priority, node.due_priority);
    if (node.due <= due) {
      node.due_priority = priority;
      return;
    }
    delays.Remove(&node);
  }
  node.due = due;
  node.due_priority = priority;
  delays.Add(&node);
  if (delays.first() == &node) {
    WakeForTime();
  }
}

void WorkQueue::Impl::MakeReady(WorkNode& node, Priority priority) {
  node.place = Place::kReady;
  node.priority = priority;
  if (metrics.on()) {
    node.since = clock.Now();
  }
  List(priority).Append(&node);
  metrics.Depth(++ready_count);
}

void WorkQueue::Impl::LeaveReady(WorkNode& node) {
  List(node.priority).Remove(&node);
  node.place = Place::kNowhere;
  metrics.Depth(--ready_count);
}

// Few run at a time: looking at them is cheaper than a hash.
WorkNode* WorkQueue::Impl::FindRunning(const kube::ObjectKey& key) {
  constexpr size_t kFew = 4;
  if (running_count > kFew) {
    WorkNode* node = nodes.Find(key);
    return node != nullptr && node->place == Place::kRunning ? node : nullptr;
  }
  WorkNode* node = running.first();
  while (node != nullptr && node->key != key) {
    node = node->next;
  }
  return node;
}

void WorkQueue::Impl::Finish(WorkNode& node) {
  running.Remove(&node);
  --running_count;
  node.place = Place::kNowhere;
  if (metrics.on()) {
    metrics.Worked(clock.Now() - node.since);
  }
  if (node.again) {
    node.again = false;
    MakeReady(node, node.again_priority);
    WakeOne();
  }
  DropIfIdle(node);
}

void WorkQueue::Impl::DropIfIdle(WorkNode& node) {
  if (node.Idle()) {
    nodes.Retire(node);
  }
}

void WorkQueue::Impl::TakeInDue() {
  if (delays.empty()) {
    return;
  }
  const SteadyTime now = clock.Now();
  while (!delays.empty() && delays.first()->due <= now) {
    WorkNode& node = *delays.first();
    Want(node, node.due_priority);
  }
}

bool WorkQueue::Impl::TryTake(kube::ObjectKey& key) {
  TakeInDue();
  if (ready_count == 0) {
    return false;
  }
  WorkNode* node = nullptr;
  for (const WorkList& list : ready) {
    if (!list.empty()) {
      node = list.first();
      break;
    }
  }
  LeaveReady(*node);
  node->place = Place::kRunning;
  running.Append(node);
  ++running_count;
  if (metrics.on()) {
    const SteadyTime now = clock.Now();
    metrics.Waited(now - node->since);
    node->since = now;
  }
  key = node->key;
  return true;
}

void WorkQueue::Impl::Wait(MutexLock& lock) {
  if (has_timekeeper || delays.empty()) {
    ++idle_count;
    clock.WaitUntil(lock.native(), idle, SteadyTime::max());
    --idle_count;
  } else {
    has_timekeeper = true;
    clock.WaitUntil(lock.native(), timekeeper, delays.first()->due);
    has_timekeeper = false;
  }
}

std::condition_variable* WorkQueue::Impl::Sleeper() {
  return idle_count > 0 ? &idle : has_timekeeper ? &timekeeper : nullptr;
}

void WorkQueue::Impl::WakeOne() {
  if (std::condition_variable* sleeper = Sleeper()) {
    sleeper->notify_one();
  }
}

void WorkQueue::Impl::WakeForTime() {
  if (has_timekeeper) {
    timekeeper.notify_one();
  } else if (idle_count > 0) {
    idle.notify_one();
  }
}

// Asked by whoever stops waiting: a wake-up that reached it may have been meant for more keys than
// it takes, or it kept the time.
bool WorkQueue::Impl::NeedsWaiter() const {
  return !shut && (ready_count > 0 || (!delays.empty() && !has_timekeeper));
}

WorkQueue::WorkQueue(Clock& clock, Options options)
    : impl_(std::make_unique<Impl>(clock, std::move(options))) {}

WorkQueue::~WorkQueue() = default;

void WorkQueue::Add(const kube::ObjectKey& key, Priority priority) {
  MutexLock lock(impl_->mutex);
  if (!impl_->shut) {
    impl_->AddNode(impl_->nodes.FindOrAdd(key), Duration::zero(), priority);
  }
}

void WorkQueue::AddQuietly(const kube::ObjectKey& key, Priority priority) {
  MutexLock lock(impl_->mutex);
  if (!impl_->shut) {
    impl_->Want(impl_->nodes.FindOrAdd(key), priority);
  }
}

// Whoever wakes up and leaves keys behind wakes the next. Woken without the lock, it need not wait
// for it.
void WorkQueue::Flush() {
  std::condition_variable* sleeper = nullptr;
  {
    MutexLock lock(impl_->mutex);
    sleeper = impl_->ready_count > 0 ? impl_->Sleeper() : nullptr;
  }
  if (sleeper != nullptr) {
    sleeper->notify_one();
  }
}

void WorkQueue::AddAfter(const kube::ObjectKey& key, Duration delay, Priority priority) {
  MutexLock lock(impl_->mutex);
  if (!impl_->shut) {
    impl_->AddNode(impl_->nodes.FindOrAdd(key), delay, priority);
  }
}

void WorkQueue::AddFailed(const kube::ObjectKey& key, Duration at_least) {
  MutexLock lock(impl_->mutex);
  if (impl_->shut) {
    return;
  }
  WorkNode& node = impl_->nodes.FindOrAdd(key);
  const Duration backoff = impl_->options.retry.DelayFor(node.failures, impl_->random);
  ++node.failures;
  impl_->metrics.Retried();
  impl_->AddNode(node, std::max(backoff, at_least),
                 node.place == Place::kRunning ? node.priority : Priority::kNormal);
}

void WorkQueue::Forget(const kube::ObjectKey& key) {
  MutexLock lock(impl_->mutex);
  WorkNode* node = impl_->nodes.Find(key);
  if (node != nullptr) {
    node->failures = 0;
    impl_->DropIfIdle(*node);
  }
}

int WorkQueue::failures(const kube::ObjectKey& key) const {
  MutexLock lock(impl_->mutex);
  const WorkNode* node = impl_->nodes.Find(key);
  return node != nullptr ? node->failures : 0;
}

std::optional<kube::ObjectKey> WorkQueue::Get(const std::stop_token& stop) {
  kube::ObjectKey key;
  return Get(stop, key) ? std::optional(std::move(key)) : std::nullopt;
}

bool WorkQueue::Get(const std::stop_token& stop, kube::ObjectKey& key) {
  {
    MutexLock lock(impl_->mutex);
    if (impl_->shut || stop.stop_requested()) {
      return false;
    }
    if (impl_->TryTake(key)) {
      if (impl_->NeedsWaiter()) {
        impl_->WakeOne();
      }
      return true;
    }
  }
  // Only who must wait pays for hearing of a stop.
  StopWaker idle_waker(stop, impl_->mutex.native(), impl_->idle);
  StopWaker time_waker(stop, impl_->mutex.native(), impl_->timekeeper);
  MutexLock lock(impl_->mutex);
  bool taken = false;
  while (!impl_->shut && !stop.stop_requested() && !(taken = impl_->TryTake(key))) {
    impl_->Wait(lock);
  }
  if (impl_->NeedsWaiter()) {
    impl_->WakeOne();
  }
  return taken;
}

void WorkQueue::Done(const kube::ObjectKey& key) {
  MutexLock lock(impl_->mutex);
  WorkNode* node = impl_->FindRunning(key);
  CHECK(node != nullptr) << "key " << key.ToString() << " is done but was not handed out";
  impl_->Finish(*node);
}

void WorkQueue::Succeeded(const kube::ObjectKey& key) {
  MutexLock lock(impl_->mutex);
  WorkNode* node = impl_->FindRunning(key);
  CHECK(node != nullptr) << "key " << key.ToString() << " succeeded but was not handed out";
  node->failures = 0;
  impl_->Finish(*node);
}

void WorkQueue::ShutDown() {
  MutexLock lock(impl_->mutex);
  impl_->shut = true;
  impl_->idle.notify_all();
  impl_->timekeeper.notify_all();
}

size_t WorkQueue::size() const {
  MutexLock lock(impl_->mutex);
  impl_->TakeInDue();
  return impl_->ready_count;
}

size_t WorkQueue::delayed() const {
  MutexLock lock(impl_->mutex);
  impl_->TakeInDue();
  return impl_->delays.size();
}

size_t WorkQueue::running() const {
  MutexLock lock(impl_->mutex);
  return impl_->running_count;
}

void WorkQueue::SampleMetrics() const {
  MutexLock lock(impl_->mutex);
  if (!impl_->metrics.on()) {
    return;
  }
  const SteadyTime now = impl_->clock.Now();
  Duration sum{};
  Duration longest{};
  for (const WorkNode* node = impl_->running.first(); node != nullptr; node = node->next) {
    sum += now - node->since;
    longest = std::max(longest, now - node->since);
  }
  impl_->metrics.Running(sum, longest);
}

}  // namespace hearth::controller
