#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "gms/device/device.h"
#include "gms/device/internal/cuda_api.h"

namespace hearth::gms::internal {

// The driver's calls, found in its library, and what its answers mean. Thread-safe, as the driver
// is.
struct CudaDriver {
  // Loads and initialises. kUnavailable: no library, no driver, too old.
  static Result<std::shared_ptr<const CudaDriver>> Load(const std::string& library);

  // Ok, or what the driver said about `call` with its name for the error. kExhausted: no memory.
  Status Check(cuda::ResultCode result, std::string_view call) const;

  Result<cuda::DeviceId> DeviceAt(int ordinal) const;
  // False also when the driver does not know the attribute.
  bool Has(cuda::DeviceId device, int attribute) const;
  Result<std::string> UuidOf(cuda::DeviceId device) const;

  cuda::ResultCode (*init)(unsigned flags) = nullptr;
  cuda::ResultCode (*error_name)(cuda::ResultCode, const char** name) = nullptr;
  cuda::ResultCode (*error_text)(cuda::ResultCode, const char** text) = nullptr;
  cuda::ResultCode (*device_count)(int* count) = nullptr;
  cuda::ResultCode (*device_get)(cuda::DeviceId* device, int ordinal) = nullptr;
  cuda::ResultCode (*device_attribute)(int* value, int attribute, cuda::DeviceId) = nullptr;
  cuda::ResultCode (*device_uuid)(cuda::Uuid* uuid, cuda::DeviceId) = nullptr;
  // Of an instance of a partitioned device: its own name, where the other gives the device's.
  cuda::ResultCode (*instance_uuid)(cuda::Uuid* uuid, cuda::DeviceId) = nullptr;
  cuda::ResultCode (*device_total)(size_t* bytes, cuda::DeviceId) = nullptr;
  cuda::ResultCode (*granularity)(size_t* bytes, const cuda::AllocationProperties*,
                                  int option) = nullptr;
  cuda::ResultCode (*create)(cuda::MemoryHandle*, size_t size, const cuda::AllocationProperties*,
                             cuda::Flags) = nullptr;
  cuda::ResultCode (*release)(cuda::MemoryHandle) = nullptr;
  cuda::ResultCode (*export_handle)(void* shareable, cuda::MemoryHandle, int type,
                                    cuda::Flags) = nullptr;
  cuda::ResultCode (*import_handle)(cuda::MemoryHandle*, void* shareable, int type) = nullptr;
  cuda::ResultCode (*reserve)(cuda::DevicePointer*, size_t size, size_t alignment,
                              cuda::DevicePointer wish, cuda::Flags) = nullptr;
  cuda::ResultCode (*free_reservation)(cuda::DevicePointer, size_t size) = nullptr;
  cuda::ResultCode (*map)(cuda::DevicePointer, size_t size, size_t offset, cuda::MemoryHandle,
                          cuda::Flags) = nullptr;
  cuda::ResultCode (*unmap)(cuda::DevicePointer, size_t size) = nullptr;
  cuda::ResultCode (*set_access)(cuda::DevicePointer, size_t size, const cuda::AccessDescription*,
                                 size_t count) = nullptr;
  cuda::ResultCode (*retain_context)(cuda::Context*, cuda::DeviceId) = nullptr;
  cuda::ResultCode (*release_context)(cuda::DeviceId) = nullptr;
  cuda::ResultCode (*push_context)(cuda::Context) = nullptr;
  cuda::ResultCode (*pop_context)(cuda::Context*) = nullptr;
  cuda::ResultCode (*synchronize)() = nullptr;
  cuda::ResultCode (*stream_create)(cuda::Stream*, unsigned flags) = nullptr;
  cuda::ResultCode (*stream_destroy)(cuda::Stream) = nullptr;
  cuda::ResultCode (*stream_synchronize)(cuda::Stream) = nullptr;
  cuda::ResultCode (*copy_in)(cuda::DevicePointer to, const void* from, size_t,
                              cuda::Stream) = nullptr;
  cuda::ResultCode (*copy_out)(void* to, cuda::DevicePointer from, size_t, cuda::Stream) = nullptr;
  cuda::ResultCode (*pin)(void* memory, size_t size, unsigned flags) = nullptr;
  cuda::ResultCode (*unpin)(void* memory) = nullptr;
};

// A device that can do what is needed, and how memory is made on it.
struct CudaTarget {
  std::shared_ptr<const CudaDriver> driver;
  cuda::DeviceId id = 0;
  cuda::AllocationProperties properties;
  DeviceFacts facts;
};
Result<CudaTarget> OpenCudaTarget(int ordinal, const std::string& library);

// Close-on-exec. The memory lives as long as the descriptor.
Result<UniqueFd> ExportMemory(const CudaDriver& driver, cuda::MemoryHandle memory);
// The descriptor is used up, also on failure.
Result<cuda::MemoryHandle> ImportMemory(const CudaDriver& driver, UniqueFd fd);

}  // namespace hearth::gms::internal
