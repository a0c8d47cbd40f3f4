#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "net/event_loop.h"
#include "net/internal/asio.h"
#include "net/internal/timer_table.h"

namespace hearth::net {

// A loop's insides, for the code that moves bytes.
struct EventLoop::Impl {
 public:
  explicit Impl(const std::string& name);

  void Post(std::function<void()> work);
  TimerTable::Key AddTimer(SteadyTime when, TimerTable::Work work);
  bool OnLoopThread() const { return std::this_thread::get_id() == thread_id_.load(); }
  void Stop();

  // Runs `work` on the loop and waits for it; right here when this is the loop or the loop has
  // ended.
  void RunAndWait(const std::function<void()>& work);

  asio::io_context& context() { return context_; }
  const std::shared_ptr<TimerTable>& timers() const { return timers_; }

  // Where bytes from a socket land. One for all connections of the loop: reading and handing on
  // happen in one go, so an idle connection holds no buffer. kPadding more bytes behind the end are
  // readable.
  static constexpr size_t kBufferSize = 64 << 10;
  static constexpr size_t kPadding = 64;
  char* read_buffer();

 private:
  void Run(const std::string& name);
  void ArmTimer();
  void RunDueTimers();

  asio::io_context context_{1};
  asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
  // Shared with the handles, which may outlive the loop.
  std::shared_ptr<TimerTable> timers_ = std::make_shared<TimerTable>();
  asio::steady_timer alarm_{context_};
  SteadyTime alarm_at_ = SteadyTime::max();  // on the loop only
  std::unique_ptr<char[]> read_buffer_;

  std::mutex mutex_;
  std::condition_variable progress_;
  bool ended_ = false;
  std::mutex stop_mutex_;
  std::atomic<std::thread::id> thread_id_;
  std::thread thread_;
};

struct EventLoop::Timer::Impl {
  std::shared_ptr<TimerTable> table;
  TimerTable::Key key;
};

}  // namespace hearth::net
