#include "net/event_loop.h"

#include <pthread.h>

#include "base/check.h"
#include "net/internal/event_loop_impl.h"

namespace hearth::net {
namespace {

SteadyTime TimeAfter(Duration delay) {
  const SteadyTime now = std::chrono::steady_clock::now();
  return delay >= SteadyTime::max() - now ? SteadyTime::max() : now + delay;
}

}  // namespace

EventLoop::Impl::Impl(const std::string& name) : thread_([this, name] { Run(name); }) {}

void EventLoop::Impl::Run(const std::string& name) {
  thread_id_ = std::this_thread::get_id();
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
  context_.run();
  std::lock_guard lock(mutex_);
  ended_ = true;
  progress_.notify_all();
}

void EventLoop::Impl::Post(std::function<void()> work) { asio::post(context_, std::move(work)); }

TimerTable::Key EventLoop::Impl::AddTimer(SteadyTime when, TimerTable::Work work) {
  const TimerTable::Key key = timers_->Add(when, std::move(work));
  if (OnLoopThread()) {
    ArmTimer();
  } else if (timers_->Earliest() == when) {
    Post([this] { ArmTimer(); });
  }
  return key;
}

// An alarm that is too early costs one wake-up; one that is already early enough is left alone,
// since most timers never fire.
void EventLoop::Impl::ArmTimer() {
  const std::optional<SteadyTime> earliest = timers_->Earliest();
  if (!earliest || *earliest >= alarm_at_) {
    return;
  }
  alarm_at_ = *earliest;
  alarm_.expires_at(alarm_at_);
  alarm_.async_wait([this](const ErrorCode& error) {
    if (!error) {
      RunDueTimers();
    }
  });
}

void EventLoop::Impl::RunDueTimers() {
  alarm_at_ = SteadyTime::max();
  const SteadyTime now = std::chrono::steady_clock::now();
  // Taken out one by one: a callback may remove the next.
  while (const TimerTable::Work work = timers_->TakeDue(now)) {
    work();
  }
  ArmTimer();
}

void EventLoop::Impl::RunAndWait(const std::function<void()>& work) {
  if (OnLoopThread()) {
    work();
    return;
  }
  bool done = false;
  Post([&] {
    work();
    std::lock_guard lock(mutex_);
    done = true;
    progress_.notify_all();
  });
  std::unique_lock lock(mutex_);
  progress_.wait(lock, [&] { return done || ended_; });
  if (!done) {
    lock.unlock();
    work();
  }
}

void EventLoop::Impl::Stop() {
  CHECK(!OnLoopThread()) << "an event loop cannot stop itself";
  context_.stop();
  {
    std::lock_guard lock(stop_mutex_);
    if (thread_.joinable()) {
      thread_.join();
    }
  }
  timers_->Close();
}

char* EventLoop::Impl::read_buffer() {
  if (read_buffer_ == nullptr) {
    // Not filled with zeros: pages that no read reaches stay unused.
    read_buffer_ = std::make_unique_for_overwrite<char[]>(kBufferSize + kPadding);
  }
  return read_buffer_.get();
}

EventLoop::EventLoop(const std::string& name) : impl_(std::make_unique<Impl>(name)) {}
EventLoop::~EventLoop() { Stop(); }
void EventLoop::Post(std::function<void()> work) { impl_->Post(std::move(work)); }
bool EventLoop::OnLoopThread() const { return impl_->OnLoopThread(); }
void EventLoop::Stop() { impl_->Stop(); }

std::unique_ptr<EventLoop::Timer> EventLoop::After(Duration delay, std::function<void()> work) {
  const TimerTable::Key key = impl_->AddTimer(TimeAfter(delay), std::move(work));
  return std::make_unique<Timer>(std::make_shared<Timer::Impl>(Timer::Impl{impl_->timers(), key}));
}

EventLoop::Timer::Timer(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
EventLoop::Timer::~Timer() { impl_->table->Remove(impl_->key); }

}  // namespace hearth::net
