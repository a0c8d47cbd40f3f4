#include "controller/event_recorder.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "base/mutex.h"
#include "base/stop_waker.h"
#include "controller/internal/event_object.h"
#include "controller/internal/event_series.h"
#include "controller/internal/host_name.h"
#include "controller/internal/named_thread.h"

namespace hearth::controller {
namespace {

using internal::EventRecord;
using internal::EventSeries;

// How long one event may take with all its tries; the queue fills up meanwhile.
constexpr Duration kSendTimeout = std::chrono::seconds(30);
// An API that refuses events refuses all of them: one line in a while is enough.
constexpr Duration kWarnEvery = std::chrono::minutes(1);

EventRecorder::Options Complete(EventRecorder::Options options) {
  if (options.reporting_instance.empty()) {
    options.reporting_instance = internal::HostName();
  }
  return options;
}

}  // namespace

struct EventRecorder::Impl {
  struct Job {
    EventRecord record;
    bool create;  // or write the series of one that exists
  };

  Impl(kube::Client& the_client, Clock& the_clock, Options the_options, Logger the_logger)
      : client(the_client),
        clock(the_clock),
        options(Complete(std::move(the_options))),
        logger(std::move(the_logger)),
        series(options) {}

  void Push(EventRecord record, bool create) REQUIRES(mutex);
  void TakeInEnded() REQUIRES(mutex);
  void Run(const std::stop_token& stop);
  std::optional<Job> Next(const std::stop_token& stop);
  Status Send(const Job& job, const std::stop_token& stop);
  Status Create(const EventRecord& record, const WaitLimit& limit);
  void Finish(const Job& job, const Status& sent);
  void Warn(const EventRecord& record, const Status& failure);

  kube::Client& client;
  Clock& clock;
  const Options options;
  const Logger logger;

  Mutex mutex;
  std::condition_variable work;
  std::condition_variable finished;
  EventSeries series GUARDED_BY(mutex);
  std::deque<Job> jobs GUARDED_BY(mutex);
  uint64_t jobs_pushed GUARDED_BY(mutex) = 0;
  uint64_t jobs_finished GUARDED_BY(mutex) = 0;
  uint64_t dropped GUARDED_BY(mutex) = 0;
  bool abandoned GUARDED_BY(mutex) = false;
  WallTime last_time GUARDED_BY(mutex);
  std::optional<SteadyTime> warned_at;    // the thread's own
  std::jthread thread GUARDED_BY(mutex);  // only once there is something to send
};

void EventRecorder::Impl::Push(EventRecord record, bool create) {
  if (abandoned || jobs.size() >= options.max_queued) {
    ++dropped;
    series.Forget(record);
    return;
  }
  jobs.push_back({std::move(record), create});
  ++jobs_pushed;
  if (!thread.joinable()) {
    thread = internal::NamedThread("events", [this](const std::stop_token& stop) { Run(stop); });
  }
  work.notify_one();
}

void EventRecorder::Impl::TakeInEnded() {
  const SteadyTime now = clock.Now();
  while (std::optional<EventRecord> ended = series.TakeEnded(now)) {
    Push(std::move(*ended), false);
  }
}

void EventRecorder::Impl::Run(const std::stop_token& stop) {
  while (const std::optional<Job> job = Next(stop)) {
    Finish(*job, Send(*job, stop));
  }
}

std::optional<EventRecorder::Impl::Job> EventRecorder::Impl::Next(const std::stop_token& stop) {
  StopWaker waker(stop, mutex.native(), work);
  MutexLock lock(mutex);
  while (!stop.stop_requested()) {
    TakeInEnded();
    if (!jobs.empty()) {
      Job job = std::move(jobs.front());
      jobs.pop_front();
      return job;
    }
    clock.WaitUntil(lock.native(), work, series.NextEnd());
  }
  return std::nullopt;
}

Status EventRecorder::Impl::Send(const Job& job, const std::stop_token& stop) {
  const WaitLimit limit = WaitLimit::For(clock, kSendTimeout, stop);
  if (job.create) {
    return Create(job.record, limit);
  }
  const json::Blob patch = internal::SeriesPatch(job.record).ToBlob();
  const Status patched =
      client
          .Patch(kube::types::Events(), {job.record.name_space(), job.record.name},
                 kube::PatchType::kMerge, patch.view(), limit)
          .status();
  // Events live an hour on the server, a series may live longer.
  return patched.Is(Code::kNotFound) ? Create(job.record, limit) : patched;
}

Status EventRecorder::Impl::Create(const EventRecord& record, const WaitLimit& limit) {
  const json::Blob body = internal::EventObject(record, options).ToBlob();
  const Status created =
      client.Create(kube::types::Events(), record.name_space(), body.view(), limit).status();
  // An earlier try of ours got through.
  return created.Is(Code::kAlreadyExists) ? Status::Ok() : created;
}

void EventRecorder::Impl::Finish(const Job& job, const Status& sent) {
  if (!sent.ok()) {
    Warn(job.record, sent);
  }
  MutexLock lock(mutex);
  ++jobs_finished;
  finished.notify_all();
  if (!sent.ok()) {
    ++dropped;
    series.Forget(job.record);
  }
}

void EventRecorder::Impl::Warn(const EventRecord& record, const Status& failure) {
  const SteadyTime now = clock.Now();
  if (!warned_at.has_value() || now >= *warned_at + kWarnEvery) {
    warned_at = now;
    logger.Warning("event not published", {{"about", record.about.key.ToString()},
                                           {"reason", record.reason},
                                           {"error", failure.ToString()}});
  }
}

EventRecorder::EventRecorder(kube::Client& client, Clock& clock, Options options, Logger logger)
    : impl_(std::make_unique<Impl>(client, clock, std::move(options), std::move(logger))) {}

EventRecorder::~EventRecorder() {
  std::jthread thread;
  {
    MutexLock lock(impl_->mutex);
    thread = std::move(impl_->thread);
  }
}

void EventRecorder::Record(const EventSubject& about, EventType type, std::string_view reason,
                           std::string_view action, std::string_view note) {
  EventRecord record{.about = about,
                     .type = type,
                     .reason = std::string(reason),
                     // The API wants an action.
                     .action = std::string(action.empty() ? reason : action),
                     .note = internal::CutText(note, internal::kMostNoteBytes)};
  MutexLock lock(impl_->mutex);
  // Also makes names different.
  impl_->last_time = std::max(impl_->clock.WallNow(), impl_->last_time + Duration(1));
  record.time = impl_->last_time;
  record.name = internal::EventName(about, record.time);
  impl_->TakeInEnded();
  const EventSeries::Verdict verdict = impl_->series.Observe(record, impl_->clock.Now());
  if (verdict == EventSeries::Verdict::kFiltered) {
    ++impl_->dropped;
  } else if (verdict != EventSeries::Verdict::kCounted) {
    impl_->Push(std::move(record), verdict == EventSeries::Verdict::kCreate);
  }
}

Status EventRecorder::Flush(const WaitLimit& limit) {
  StopWaker waker(limit.stop, impl_->mutex.native(), impl_->finished);
  MutexLock lock(impl_->mutex);
  while (std::optional<EventRecord> unwritten = impl_->series.TakeUnwritten()) {
    impl_->Push(std::move(*unwritten), false);
  }
  const uint64_t all = impl_->jobs_pushed;
  while (impl_->jobs_finished < all) {
    RETURN_IF_ERROR(limit.Check(impl_->clock, "flush events"));
    impl_->clock.WaitUntil(lock.native(), impl_->finished, limit.deadline);
  }
  return {};
}

void EventRecorder::Abandon() {
  std::stop_source stop;
  {
    MutexLock lock(impl_->mutex);
    impl_->abandoned = true;
    impl_->dropped += impl_->jobs.size();
    impl_->jobs_finished += impl_->jobs.size();
    impl_->jobs.clear();
    impl_->finished.notify_all();
    stop = impl_->thread.get_stop_source();
  }
  stop.request_stop();  // wakes the thread, which takes the mutex
}

uint64_t EventRecorder::dropped() const {
  MutexLock lock(impl_->mutex);
  return impl_->dropped;
}

}  // namespace hearth::controller
