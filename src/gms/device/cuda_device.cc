#include "gms/device/cuda_device.h"

#include <fmt/format.h>

#include <optional>
#include <unordered_map>

#include "base/guarded.h"
#include "gms/device/internal/cuda_driver.h"
#include "gms/device/internal/device_memory_info.h"

namespace hearth::gms {
namespace {

namespace cuda = internal::cuda;
using internal::CudaDriver;
using internal::CudaTarget;
using internal::DeviceMemoryInfo;

struct Piece {
  cuda::MemoryHandle memory = 0;
  uint64_t size = 0;
};

struct Book {
  std::unordered_map<Device::Handle, Piece> pieces;
  Device::Handle next = 1;
  uint64_t used = 0;
};

class CudaDevice : public Device {
 public:
  CudaDevice(CudaTarget target, std::optional<DeviceMemoryInfo> info)
      : target_(std::move(target)), info_(info) {}
  ~CudaDevice() override;

  const DeviceFacts& facts() const override { return target_.facts; }
  Result<Handle> Create(uint64_t size) override;
  void Release(Handle handle) override;
  Result<UniqueFd> Export(Handle handle, Access access) override;
  // A descriptor of this driver always opens the memory for reading and writing.
  Status Seal(Handle handle) override { return Find(handle).status(); }
  Result<Handle> Adopt(UniqueFd fd, uint64_t size) override;
  Result<uint64_t> FreeBytes() const override;

 private:
  const CudaDriver& driver() const { return *target_.driver; }
  Status CheckSize(uint64_t size) const;
  Result<Piece> Find(Handle handle) const;
  Handle Enter(Piece piece);

  CudaTarget target_;
  std::optional<DeviceMemoryInfo> info_;
  Guarded<Book> book_;
};

CudaDevice::~CudaDevice() {
  for (const auto& [handle, piece] : book_.Lock()->pieces) {
    driver().release(piece.memory);
  }
}

Status CudaDevice::CheckSize(uint64_t size) const {
  const DeviceFacts& facts = target_.facts;
  if (size == 0 || size % facts.granularity != 0 || size > facts.total_bytes) {
    return InvalidError(fmt::format(
        "{} bytes are asked for, device {} has {} in all in steps of the granularity {}", size,
        facts.ordinal, facts.total_bytes, facts.granularity));
  }
  return Status::Ok();
}

Result<Piece> CudaDevice::Find(Handle handle) const {
  auto book = book_.Lock();
  auto found = book->pieces.find(handle);
  if (found == book->pieces.end()) {
    return NotFoundError(fmt::format("device {} has no piece {}", target_.facts.ordinal, handle));
  }
  return found->second;
}

Device::Handle CudaDevice::Enter(Piece piece) {
  auto book = book_.Lock();
  Handle handle = book->next++;
  book->pieces.emplace(handle, piece);
  book->used += piece.size;
  return handle;
}

Result<Device::Handle> CudaDevice::Create(uint64_t size) {
  RETURN_IF_ERROR(CheckSize(size));
  cuda::MemoryHandle memory = 0;
  RETURN_IF_ERROR(driver().Check(
      driver().create(&memory, size, &target_.properties, 0),
      fmt::format("cuMemCreate of {} bytes on device {}", size, target_.facts.ordinal)));
  return Enter({.memory = memory, .size = size});
}

void CudaDevice::Release(Handle handle) {
  Piece piece;
  {
    auto book = book_.Lock();
    auto found = book->pieces.find(handle);
    if (found == book->pieces.end()) {
      return;
    }
    piece = found->second;
    book->pieces.erase(found);
    book->used -= piece.size;
  }
  // A driver that refuses has lost the piece already; nothing is left to do with it.
  driver().release(piece.memory);
}

Result<UniqueFd> CudaDevice::Export(Handle handle, Access /*access*/) {
  ASSIGN_OR_RETURN(Piece piece, Find(handle));
  return internal::ExportMemory(driver(), piece.memory);
}

Result<Device::Handle> CudaDevice::Adopt(UniqueFd fd, uint64_t size) {
  RETURN_IF_ERROR(CheckSize(size));
  ASSIGN_OR_RETURN(cuda::MemoryHandle memory, internal::ImportMemory(driver(), std::move(fd)));
  return Enter({.memory = memory, .size = size});
}

Result<uint64_t> CudaDevice::FreeBytes() const {
  if (info_) {
    return info_->FreeBytes();
  }
  uint64_t used = book_.Lock()->used;
  return target_.facts.total_bytes - std::min(used, target_.facts.total_bytes);
}

}  // namespace

Result<std::unique_ptr<Device>> OpenCudaDevice(int ordinal, const CudaLibraries& libraries) {
  ASSIGN_OR_RETURN(CudaTarget target, internal::OpenCudaTarget(ordinal, libraries.driver));
  std::optional<DeviceMemoryInfo> info;
  if (auto opened = DeviceMemoryInfo::Open(libraries.management, target.facts.uuid); opened.ok()) {
    info = *opened;
  }
  return std::unique_ptr<Device>(std::make_unique<CudaDevice>(std::move(target), info));
}

Result<int> CountCudaDevices(const CudaLibraries& libraries) {
  ASSIGN_OR_RETURN(auto driver, CudaDriver::Load(libraries.driver));
  int count = 0;
  RETURN_IF_ERROR(driver->Check(driver->device_count(&count), "cuDeviceGetCount"));
  return count;
}

}  // namespace hearth::gms
