#include "gms/client/engine_memory.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "gms/device/host_device.h"

namespace hearth::gms {
namespace {

constexpr std::string_view kHost = "host";
constexpr std::string_view kCuda = "cuda";
// Of memory whose server does not tell.
constexpr uint64_t kUsualGranularity = 2ULL << 20;

}  // namespace

EngineMemory::EngineMemory(EngineMemoryOptions options) : options_(std::move(options)) {
  options_.memory.find_socket = [this] { return FindSocket(); };
}

EngineMemory::~EngineMemory() = default;

Result<std::string> EngineMemory::DeviceUuid() const {
  if (auto uuid = UuidFromEnvironment(options_.device, options_.environment)) {
    return *uuid;
  }
  ASSIGN_OR_RETURN(const auto device, OpenCudaDevice(options_.device, options_.cuda));
  return device->facts().uuid;
}

Result<std::string> EngineMemory::FindSocket() const {
  std::string path = options_.socket;
  if (path.empty()) {
    const std::string dir =
        options_.socket_dir.empty() ? SocketDirectory(options_.environment) : options_.socket_dir;
    const Result<std::string> uuid = DeviceUuid();
    path = uuid.ok() ? DomainSocketPath(dir, *uuid, options_.tag)
                     : OrdinalSocketPath(dir, options_.device, options_.tag);
  }
  RETURN_IF_ERROR(CheckSocketPath(path));
  return path;
}

Status EngineMemory::OpenSpace(const std::string& kind, uint64_t granularity) {
  if (kind != kHost) {
    Result<std::unique_ptr<AddressSpace>> cuda =
        OpenCudaAddressSpace(options_.device, options_.cuda);
    if (cuda.ok()) {
      space_ = *std::move(cuda);
      // A restored process may sit on another device: its name is looked up, not remembered.
      options_.memory.device_uuid = [this]() -> Result<std::string> {
        ASSIGN_OR_RETURN(const auto device, OpenCudaDevice(options_.device, options_.cuda));
        return device->facts().uuid;
      };
      return {};
    }
    if (kind == kCuda) {
      return cuda.status();
    }
  }
  space_ =
      OpenHostAddressSpace({.ordinal = options_.device,
                            .kind = std::string(kHost),
                            .granularity = granularity == 0 ? kUsualGranularity : granularity});
  return {};
}

Status EngineMemory::Open() {
  const std::lock_guard lock(opening_);
  if (manager_ == nullptr) {
    RETURN_IF_ERROR(OpenSpace("", options_.granularity));
    manager_ = std::make_unique<MemoryManager>(*space_, options_.memory);
  }
  return {};
}

Status EngineMemory::Connect(LeaseRequest lease, const WaitLimit& limit, bool replace) {
  std::unique_lock lock(opening_);
  if (manager_ != nullptr) {
    lock.unlock();
    return manager_->Connect(lease, limit, replace);
  }
  ConnectOptions connect = options_.memory.connect;
  connect.lease = lease;
  ASSIGN_OR_RETURN(connect.socket, FindSocket());
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session, Session::Connect(connect, limit));
  RETURN_IF_ERROR(OpenSpace(session->device_kind(), session->granularity()));
  auto manager = std::make_unique<MemoryManager>(*space_, options_.memory);
  RETURN_IF_ERROR(manager->Adopt(std::move(session), replace));
  manager_ = std::move(manager);
  return {};
}

Result<MemoryManager*> EngineMemory::manager() {
  const std::lock_guard lock(opening_);
  if (manager_ == nullptr) {
    return InvalidError("no lease was taken yet: connect to the memory service first");
  }
  return manager_.get();
}

Result<AddressSpace*> EngineMemory::space() {
  RETURN_IF_ERROR(manager());
  return space_.get();
}

}  // namespace hearth::gms
