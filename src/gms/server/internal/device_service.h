#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gms/device/device.h"
#include "gms/server/internal/device_worker.h"
#include "gms/server/internal/epoll_loop.h"
#include "gms/server/options.h"

namespace hearth::gms::server {

// A device as the loop uses it: nothing here blocks, answers come by callback, on the loop, at
// once where the device is quick. Who finds no memory waits here, and is woken when any is given
// back: by a session of this process, by another process where the device can tell, and now and
// then in case that somebody else did.
class DeviceService {
 public:
  DeviceService(EpollLoop& loop, DeviceSetup setup, Duration retry_interval);
  ~DeviceService();
  DeviceService(const DeviceService&) = delete;
  DeviceService& operator=(const DeviceService&) = delete;

  const DeviceFacts& facts() const { return device_->facts(); }
  Device& device() { return *device_; }

  struct Created {
    std::vector<Device::Handle> handles;  // as many as could be made, in order
    Status status;                        // why no more
  };
  void Create(std::vector<uint64_t> sizes, std::function<void(Created)> done);
  void Export(std::vector<Device::Handle> handles, Access access,
              std::function<void(Result<std::vector<LentFd>>)> done);
  // Giving memory back takes long even where all else is quick.
  void Release(std::vector<Device::Handle> handles);
  void Seal(std::vector<Device::Handle> handles);
  // When all is given back that was released until now.
  void AfterReleases(EpollLoop::Task task);
  bool releasing() const { return releasing_ > 0; }

  // Calls once, when memory may be there. The number cancels.
  uint64_t WaitForMemory(EpollLoop::Task task);
  void CancelWait(uint64_t wait);

  // Those who wait ask again, or find that their session is gone.
  void WakeWaiters();
  // Finishes what the device's thread has to do; nothing is answered any more.
  void Stop() { worker_.Stop(); }

  // As it was after the last call that changed it and could be asked.
  uint64_t free_bytes();

 private:
  void ArmWake();
  void DisarmWake();

  EpollLoop& loop_;
  std::unique_ptr<Device> device_;
  bool quick_;
  Duration retry_interval_;
  int releasing_ = 0;  // jobs on their way
  uint64_t free_bytes_ = 0;
  std::map<uint64_t, EpollLoop::Task> waiters_;
  uint64_t next_wait_ = 1;
  uint64_t freed_watch_ = 0;
  EpollLoop::TimerId retry_timer_;
  DeviceWorker worker_;  // last: its thread uses the device until it has ended
};

}  // namespace hearth::gms::server
