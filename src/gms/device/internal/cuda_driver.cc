#include "gms/device/internal/cuda_driver.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "gms/device/internal/shared_library.h"

namespace hearth::gms::internal {
namespace {

Status FindCalls(const SharedLibrary& library, CudaDriver& calls) {
  RETURN_IF_ERROR(library.Find("cuInit", calls.init));
  RETURN_IF_ERROR(library.Find("cuGetErrorName", calls.error_name));
  RETURN_IF_ERROR(library.Find("cuGetErrorString", calls.error_text));
  RETURN_IF_ERROR(library.Find("cuDeviceGetCount", calls.device_count));
  RETURN_IF_ERROR(library.Find("cuDeviceGet", calls.device_get));
  RETURN_IF_ERROR(library.Find("cuDeviceGetAttribute", calls.device_attribute));
  RETURN_IF_ERROR(library.Find("cuDeviceGetUuid", calls.device_uuid));
  // Older drivers have none.
  (void)library.Find("cuDeviceGetUuid_v2", calls.instance_uuid);
  return library.Find("cuDeviceTotalMem_v2", calls.device_total);
}

Status FindMemoryCalls(const SharedLibrary& library, CudaDriver& calls) {
  RETURN_IF_ERROR(library.Find("cuMemGetAllocationGranularity", calls.granularity));
  RETURN_IF_ERROR(library.Find("cuMemCreate", calls.create));
  RETURN_IF_ERROR(library.Find("cuMemRelease", calls.release));
  RETURN_IF_ERROR(library.Find("cuMemExportToShareableHandle", calls.export_handle));
  RETURN_IF_ERROR(library.Find("cuMemImportFromShareableHandle", calls.import_handle));
  RETURN_IF_ERROR(library.Find("cuMemAddressReserve", calls.reserve));
  RETURN_IF_ERROR(library.Find("cuMemAddressFree", calls.free_reservation));
  RETURN_IF_ERROR(library.Find("cuMemMap", calls.map));
  RETURN_IF_ERROR(library.Find("cuMemUnmap", calls.unmap));
  return library.Find("cuMemSetAccess", calls.set_access);
}

Status FindContextCalls(const SharedLibrary& library, CudaDriver& calls) {
  RETURN_IF_ERROR(library.Find("cuDevicePrimaryCtxRetain", calls.retain_context));
  RETURN_IF_ERROR(library.Find("cuDevicePrimaryCtxRelease_v2", calls.release_context));
  RETURN_IF_ERROR(library.Find("cuCtxPushCurrent_v2", calls.push_context));
  RETURN_IF_ERROR(library.Find("cuCtxPopCurrent_v2", calls.pop_context));
  RETURN_IF_ERROR(library.Find("cuCtxSynchronize", calls.synchronize));
  RETURN_IF_ERROR(library.Find("cuStreamCreate", calls.stream_create));
  RETURN_IF_ERROR(library.Find("cuStreamDestroy_v2", calls.stream_destroy));
  RETURN_IF_ERROR(library.Find("cuStreamSynchronize", calls.stream_synchronize));
  RETURN_IF_ERROR(library.Find("cuMemcpyHtoDAsync_v2", calls.copy_in));
  RETURN_IF_ERROR(library.Find("cuMemcpyDtoHAsync_v2", calls.copy_out));
  RETURN_IF_ERROR(library.Find("cuMemHostRegister_v2", calls.pin));
  return library.Find("cuMemHostUnregister", calls.unpin);
}

Code CodeOf(cuda::ResultCode result) {
  switch (result) {
    case cuda::kOutOfMemory:
      return Code::kExhausted;
    case cuda::kInvalidValue:
    case cuda::kInvalidDevice:
    case cuda::kInvalidHandle:
      return Code::kInvalid;
    case cuda::kNotPermitted:
      return Code::kPermissionDenied;
    case cuda::kNotSupported:
      return Code::kUnsupported;
    case cuda::kNotInitialized:
    case cuda::kDeinitialized:
    case cuda::kStubLibrary:
    case cuda::kDeviceUnavailable:
    case cuda::kNoDevice:
    case cuda::kSystemNotReady:
    case cuda::kSystemDriverMismatch:
      return Code::kUnavailable;
    default:
      return Code::kInternal;
  }
}

std::string_view TextOf(cuda::ResultCode (*ask)(cuda::ResultCode, const char**),
                        cuda::ResultCode result) {
  const char* text = nullptr;
  return ask(result, &text) == cuda::kSuccess && text != nullptr ? text : "unknown";
}

}  // namespace

Result<std::shared_ptr<const CudaDriver>> CudaDriver::Load(const std::string& library) {
  ASSIGN_OR_RETURN(SharedLibrary loaded, SharedLibrary::Open(library));
  auto driver = std::make_shared<CudaDriver>();
  RETURN_IF_ERROR(FindCalls(loaded, *driver));
  RETURN_IF_ERROR(FindMemoryCalls(loaded, *driver));
  RETURN_IF_ERROR(FindContextCalls(loaded, *driver));
  Status started = driver->Check(driver->init(0), "cuInit");
  if (!started.ok()) {
    return UnavailableError(
        fmt::format("the driver in {} does not start: {}", library, started.message()));
  }
  return std::shared_ptr<const CudaDriver>(std::move(driver));
}

Status CudaDriver::Check(cuda::ResultCode result, std::string_view call) const {
  if (result == cuda::kSuccess) {
    return Status::Ok();
  }
  std::string_view name = TextOf(error_name, result);
  return Status(CodeOf(result), std::string(name),
                fmt::format("{}: {} ({}): {}", call, name, result, TextOf(error_text, result)));
}

Result<cuda::DeviceId> CudaDriver::DeviceAt(int ordinal) const {
  int count = 0;
  RETURN_IF_ERROR(Check(device_count(&count), "cuDeviceGetCount"));
  if (ordinal < 0 || ordinal >= count) {
    return InvalidError(
        fmt::format("there is no device {}: the driver has {} (CUDA_VISIBLE_DEVICES limits them)",
                    ordinal, count));
  }
  cuda::DeviceId device = 0;
  RETURN_IF_ERROR(Check(device_get(&device, ordinal), "cuDeviceGet"));
  return device;
}

bool CudaDriver::Has(cuda::DeviceId device, int attribute) const {
  int value = 0;
  return device_attribute(&value, attribute, device) == cuda::kSuccess && value != 0;
}

Result<std::string> CudaDriver::UuidOf(cuda::DeviceId device) const {
  cuda::Uuid whole{};
  RETURN_IF_ERROR(Check(device_uuid(&whole, device), "cuDeviceGetUuid"));
  cuda::Uuid uuid = whole;
  if (instance_uuid != nullptr) {
    RETURN_IF_ERROR(Check(instance_uuid(&uuid, device), "cuDeviceGetUuid_v2"));
  }
  const bool instance = !std::equal(std::begin(uuid.bytes), std::end(uuid.bytes), whole.bytes);
  std::string text = instance ? "MIG-" : "GPU-";
  for (int i = 0; i < 16; ++i) {
    text +=
        fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid.bytes[i]);
  }
  return text;
}

Result<CudaTarget> OpenCudaTarget(int ordinal, const std::string& library) {
  CudaTarget target;
  ASSIGN_OR_RETURN(target.driver, CudaDriver::Load(library));
  const CudaDriver& driver = *target.driver;
  ASSIGN_OR_RETURN(target.id, driver.DeviceAt(ordinal));
  if (!driver.Has(target.id, cuda::kAttributeVirtualMemory) ||
      !driver.Has(target.id, cuda::kAttributeDescriptorHandles)) {
    return UnavailableError(
        fmt::format("device {} cannot share its memory through file descriptors", ordinal));
  }
  target.properties.location.id = target.id;
  target.properties.flags.gpu_direct_capable =
      driver.Has(target.id, cuda::kAttributeGpuDirectMemory) ? 1 : 0;

  size_t granularity = 0;
  size_t total = 0;
  RETURN_IF_ERROR(
      driver.Check(driver.granularity(&granularity, &target.properties, cuda::kGranularityMinimum),
                   "cuMemGetAllocationGranularity"));
  RETURN_IF_ERROR(driver.Check(driver.device_total(&total, target.id), "cuDeviceTotalMem"));
  if (granularity == 0) {
    return InternalError(fmt::format("device {} has a granularity of 0 bytes", ordinal));
  }
  target.facts = {.ordinal = ordinal,
                  .kind = "cuda",
                  .granularity = granularity,
                  .total_bytes = total,
                  .read_only_exports = false};
  ASSIGN_OR_RETURN(target.facts.uuid, driver.UuidOf(target.id));
  return target;
}

Result<UniqueFd> ExportMemory(const CudaDriver& driver, cuda::MemoryHandle memory) {
  int fd = -1;
  RETURN_IF_ERROR(driver.Check(driver.export_handle(&fd, memory, cuda::kHandleDescriptor, 0),
                               "cuMemExportToShareableHandle"));
  UniqueFd exported(fd);
  // The driver does not promise it.
  if (::fcntl(exported.get(), F_SETFD, FD_CLOEXEC) != 0) {
    return Status::FromErrno(errno, "the driver exported a bad descriptor");
  }
  return exported;
}

Result<cuda::MemoryHandle> ImportMemory(const CudaDriver& driver, UniqueFd fd) {
  if (!fd.valid()) {
    return InvalidError("there is no descriptor of a piece of memory");
  }
  cuda::MemoryHandle memory = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): how the driver wants a descriptor
  void* shareable = reinterpret_cast<void*>(static_cast<uintptr_t>(fd.get()));
  RETURN_IF_ERROR(driver.Check(driver.import_handle(&memory, shareable, cuda::kHandleDescriptor),
                               "cuMemImportFromShareableHandle"));
  return memory;
}

}  // namespace hearth::gms::internal
