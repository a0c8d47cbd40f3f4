#include "gms/server/internal/device_service.h"

#include <sys/epoll.h>

#include <utility>

namespace hearth::gms::server {
namespace {

DeviceService::Created CreateAll(Device& device, const std::vector<uint64_t>& sizes) {
  DeviceService::Created created;
  for (const uint64_t size : sizes) {
    auto handle = device.Create(size);
    if (!handle.ok()) {
      created.status = handle.status();
      break;
    }
    created.handles.push_back(*handle);
  }
  return created;
}

Result<std::vector<LentFd>> ExportAll(Device& device, const std::vector<Device::Handle>& handles,
                                      Access access) {
  std::vector<LentFd> fds;
  fds.reserve(handles.size());
  for (const Device::Handle handle : handles) {
    ASSIGN_OR_RETURN(LentFd fd, device.Lend(handle, access));
    fds.push_back(std::move(fd));
  }
  return fds;
}

}  // namespace

DeviceService::DeviceService(EpollLoop& loop, DeviceSetup setup, Duration retry_interval)
    : loop_(loop),
      device_(std::move(setup.device)),
      quick_(setup.quick),
      retry_interval_(retry_interval),
      free_bytes_(device_->facts().total_bytes),
      worker_(loop) {}

DeviceService::~DeviceService() {
  DisarmWake();
  std::exchange(waiters_, {}).clear();  // whoever waits gives back what it has
}

void DeviceService::Create(std::vector<uint64_t> sizes, std::function<void(Created)> done) {
  if (quick_) {
    return done(CreateAll(*device_, sizes));
  }
  // `done` moves on, so that what it holds ends on the loop and not on the worker's thread.
  worker_.Run([this, sizes = std::move(sizes), done = std::move(done)]() mutable {
    auto created = std::make_shared<Created>(CreateAll(*device_, sizes));
    const auto free = device_->FreeBytes();
    return [this, created, free, done = std::move(done)] {
      free_bytes_ = free.ok() ? *free : free_bytes_;
      done(std::move(*created));
    };
  });
}

void DeviceService::Export(std::vector<Device::Handle> handles, Access access,
                           std::function<void(Result<std::vector<LentFd>>)> done) {
  if (quick_) {
    return done(ExportAll(*device_, handles, access));
  }
  worker_.Run([this, handles = std::move(handles), access, done = std::move(done)]() mutable {
    auto fds = std::make_shared<Result<std::vector<LentFd>>>(ExportAll(*device_, handles, access));
    return [fds, done = std::move(done)] { done(std::move(*fds)); };
  });
}

void DeviceService::Release(std::vector<Device::Handle> handles) {
  if (handles.empty()) {
    return;
  }
  ++releasing_;
  worker_.Run([this, handles = std::move(handles)] {
    for (const Device::Handle handle : handles) {
      device_->Release(handle);
    }
    const auto free = device_->FreeBytes();
    return [this, free] {
      free_bytes_ = free.ok() ? *free : free_bytes_;
      --releasing_;
      WakeWaiters();
    };
  });
}

void DeviceService::Seal(std::vector<Device::Handle> handles) {
  worker_.Run([this, handles = std::move(handles)]() -> EpollLoop::Task {
    for (const Device::Handle handle : handles) {
      // Best effort: one that is gone meanwhile, or a device that cannot, leaves readers with
      // descriptors that they cannot write anyway.
      (void)device_->Seal(handle);
    }
    return nullptr;
  });
}

void DeviceService::AfterReleases(EpollLoop::Task task) {
  if (releasing_ == 0) {
    return task();
  }
  worker_.Run([task = std::move(task)] { return task; });
}

uint64_t DeviceService::WaitForMemory(EpollLoop::Task task) {
  const uint64_t wait = next_wait_++;
  waiters_.emplace(wait, std::move(task));
  ArmWake();
  return wait;
}

void DeviceService::CancelWait(uint64_t wait) {
  waiters_.erase(wait);
  if (waiters_.empty()) {
    DisarmWake();
  }
}

void DeviceService::ArmWake() {
  if (retry_timer_.number == 0) {
    retry_timer_ = loop_.At(RealClock().Now() + retry_interval_, [this] {
      retry_timer_ = {};
      WakeWaiters();
    });
  }
  if (freed_watch_ == 0 && device_->freed_signal() >= 0) {
    freed_watch_ =
        loop_.Watch(device_->freed_signal(), EPOLLIN, [this](uint32_t) { WakeWaiters(); });
  }
}

void DeviceService::DisarmWake() {
  loop_.Cancel(retry_timer_);
  loop_.Unwatch(std::exchange(freed_watch_, 0));
}

// Each asks again, and waits again when there is still nothing.
void DeviceService::WakeWaiters() {
  DisarmWake();
  for (auto& [wait, task] : std::exchange(waiters_, {})) {
    task();
  }
}

uint64_t DeviceService::free_bytes() {
  if (quick_) {
    free_bytes_ = device_->FreeBytes().value_or(free_bytes_);
  }
  return free_bytes_;
}

}  // namespace hearth::gms::server
