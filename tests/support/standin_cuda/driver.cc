#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "codes.h"
#include "faults.h"
#include "memory.h"

// The calls of the driver that our device module uses, with the driver's names and rules: memory is
// shared through descriptors, addresses are reserved, mapped and made accessible in separate steps,
// copies need a current context.
namespace {

using standin::Faults;
using standin::Memory;

struct Properties {
  int type;
  int handle_types;
  int location_type;
  int device;
  void* metadata;
  unsigned char compression;
  unsigned char gpu_direct_capable;
  unsigned char rest[6];
};

struct AccessDescription {
  int location_type;
  int device;
  int flags;
};

std::atomic<bool> initialized{false};
std::atomic<int> gpu_direct_pieces{0};
std::atomic<int> open_streams{0};
std::atomic<int> retained_contexts{0};
thread_local std::vector<void*> contexts;

// What the call must give before it may work.
int Enter(const char* call) {
  if (int fault = Faults::Get().Next(call); fault != 0) {
    return fault;
  }
  return initialized ? standin::kSuccess : standin::kNotInitialized;
}

int EnterWithContext(const char* call) {
  int result = Enter(call);
  return result == 0 && contexts.empty() ? standin::kInvalidContext : result;
}

// Each device is an instance of the same one then.
bool Partitioned() { return std::getenv("STANDIN_CUDA_PARTITIONED") != nullptr; }

bool HasDevice(int device) { return device >= 0 && device < Memory::Get().devices(); }

bool Usable(const Properties* properties) {
  return properties->type == 1 && properties->handle_types == 1 && properties->location_type == 1 &&
         HasDevice(properties->device) &&
         (properties->gpu_direct_capable == 0 || Memory::Get().gpu_direct());
}

const char* NameOf(int code) {
  switch (code) {
    case standin::kInvalidValue:
      return "CUDA_ERROR_INVALID_VALUE";
    case standin::kOutOfMemory:
      return "CUDA_ERROR_OUT_OF_MEMORY";
    case standin::kNotInitialized:
      return "CUDA_ERROR_NOT_INITIALIZED";
    case 100:
      return "CUDA_ERROR_NO_DEVICE";
    case standin::kIllegalAddress:
      return "CUDA_ERROR_ILLEGAL_ADDRESS";
    case standin::kInvalidContext:
      return "CUDA_ERROR_INVALID_CONTEXT";
    case 800:
      return "CUDA_ERROR_NOT_PERMITTED";
    case standin::kNotSupported:
      return "CUDA_ERROR_NOT_SUPPORTED";
    case 999:
      return "CUDA_ERROR_UNKNOWN";
    default:
      return nullptr;
  }
}

}  // namespace

// What follows is called in the driver's way: each first asks whether it must fail.
#define ENTER(call)                             \
  if (int result = Enter(#call); result != 0) { \
    return result;                              \
  }
#define ENTER_WITH_CONTEXT(call)                           \
  if (int result = EnterWithContext(#call); result != 0) { \
    return result;                                         \
  }

extern "C" {

int cuInit(unsigned /*flags*/) {
  if (int fault = Faults::Get().Next("cuInit"); fault != 0) {
    return fault;
  }
  initialized = true;
  return standin::kSuccess;
}

int cuGetErrorName(int code, const char** name) {
  *name = NameOf(code);
  return *name == nullptr ? standin::kInvalidValue : standin::kSuccess;
}

int cuGetErrorString(int code, const char** text) {
  *text = NameOf(code) == nullptr ? nullptr : "as the stand-in was told";
  return *text == nullptr ? standin::kInvalidValue : standin::kSuccess;
}

int cuDeviceGetCount(int* count) {
  ENTER(cuDeviceGetCount)
  *count = Memory::Get().devices();
  return standin::kSuccess;
}

int cuDeviceGet(int* device, int ordinal) {
  ENTER(cuDeviceGet)
  *device = ordinal;
  return HasDevice(ordinal) ? standin::kSuccess : standin::kInvalidDevice;
}

int cuDeviceGetAttribute(int* value, int attribute, int /*device*/) {
  ENTER(cuDeviceGetAttribute)
  *value = attribute != 110 || Memory::Get().gpu_direct() ? 1 : 0;
  return standin::kSuccess;
}

int cuDeviceGetUuid(unsigned char* uuid, int device) {
  ENTER(cuDeviceGetUuid)
  std::memset(uuid, 0xc0, 16);
  uuid[15] = Partitioned() ? 0xff : static_cast<unsigned char>(device);
  return standin::kSuccess;
}

int cuDeviceGetUuid_v2(unsigned char* uuid, int device) {
  ENTER(cuDeviceGetUuid_v2)
  std::memset(uuid, 0xc0, 16);
  uuid[15] = static_cast<unsigned char>(device);
  return standin::kSuccess;
}

int cuDeviceTotalMem_v2(size_t* bytes, int /*device*/) {
  ENTER(cuDeviceTotalMem)
  *bytes = Memory::Get().total();
  return standin::kSuccess;
}

int cuMemGetAllocationGranularity(size_t* bytes, const Properties* properties, int /*option*/) {
  ENTER(cuMemGetAllocationGranularity)
  *bytes = Memory::kGranularity;
  return Usable(properties) ? standin::kSuccess : standin::kInvalidValue;
}

int cuMemCreate(uint64_t* handle, size_t size, const Properties* properties, uint64_t /*flags*/) {
  ENTER(cuMemCreate)
  if (!Usable(properties)) {
    return standin::kInvalidValue;
  }
  gpu_direct_pieces += properties->gpu_direct_capable;
  return Memory::Get().Create(properties->device, size, handle);
}

int cuMemRelease(uint64_t handle) {
  ENTER(cuMemRelease)
  return Memory::Get().Release(handle);
}

int cuMemExportToShareableHandle(void* shareable, uint64_t handle, int type, uint64_t /*flags*/) {
  ENTER(cuMemExportToShareableHandle)
  return type == 1 ? Memory::Get().Export(handle, static_cast<int*>(shareable))
                   : standin::kNotSupported;
}

int cuMemImportFromShareableHandle(uint64_t* handle, void* shareable, int type) {
  ENTER(cuMemImportFromShareableHandle)
  auto fd = static_cast<int>(reinterpret_cast<uintptr_t>(shareable));
  return type == 1 ? Memory::Get().Import(fd, handle) : standin::kNotSupported;
}

int cuMemAddressReserve(uint64_t* address, size_t size, size_t alignment, uint64_t /*wish*/,
                        uint64_t /*flags*/) {
  ENTER(cuMemAddressReserve)
  uintptr_t reserved = 0;
  int result = Memory::Get().Reserve(size, alignment, &reserved);
  *address = reserved;
  return result;
}

int cuMemAddressFree(uint64_t address, size_t size) {
  ENTER(cuMemAddressFree)
  return Memory::Get().FreeReservation(address, size);
}

int cuMemMap(uint64_t address, size_t size, size_t /*offset*/, uint64_t handle,
             uint64_t /*flags*/) {
  ENTER(cuMemMap)
  return Memory::Get().Map(address, size, handle);
}

int cuMemUnmap(uint64_t address, size_t size) {
  ENTER(cuMemUnmap)
  return Memory::Get().Unmap(address, size);
}

int cuMemSetAccess(uint64_t address, size_t size, const AccessDescription* access, size_t count) {
  ENTER(cuMemSetAccess)
  return count == 1 && access->location_type == 1
             ? Memory::Get().SetAccess(address, size, access->flags)
             : standin::kInvalidValue;
}

int cuDevicePrimaryCtxRetain(void** context, int device) {
  ENTER(cuDevicePrimaryCtxRetain)
  static char primary[64];
  *context = &primary[device];
  ++retained_contexts;
  return standin::kSuccess;
}

int cuDevicePrimaryCtxRelease_v2(int /*device*/) {
  ENTER(cuDevicePrimaryCtxRelease)
  --retained_contexts;
  return standin::kSuccess;
}

int cuCtxPushCurrent_v2(void* context) {
  ENTER(cuCtxPushCurrent)
  contexts.push_back(context);
  return standin::kSuccess;
}

int cuCtxPopCurrent_v2(void** context) {
  ENTER_WITH_CONTEXT(cuCtxPopCurrent)
  *context = contexts.back();
  contexts.pop_back();
  return standin::kSuccess;
}

int cuCtxSynchronize() {
  ENTER_WITH_CONTEXT(cuCtxSynchronize)
  return standin::kSuccess;
}

int cuStreamCreate(void** stream, unsigned /*flags*/) {
  ENTER_WITH_CONTEXT(cuStreamCreate)
  *stream = new char;
  ++open_streams;
  return standin::kSuccess;
}

int cuStreamDestroy_v2(void* stream) {
  ENTER_WITH_CONTEXT(cuStreamDestroy)
  delete static_cast<char*>(stream);
  --open_streams;
  return standin::kSuccess;
}

int cuStreamSynchronize(void* /*stream*/) {
  ENTER_WITH_CONTEXT(cuStreamSynchronize)
  return standin::kSuccess;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t size, void* /*stream*/) {
  ENTER_WITH_CONTEXT(cuMemcpyHtoDAsync)
  if (!Memory::Get().Accessible(to, size, 3)) {
    return standin::kIllegalAddress;
  }
  std::memcpy(reinterpret_cast<void*>(to), from, size);  // NOLINT(performance-no-int-to-ptr)
  return standin::kSuccess;
}

int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t size, void* /*stream*/) {
  ENTER_WITH_CONTEXT(cuMemcpyDtoHAsync)
  if (!Memory::Get().Accessible(from, size, 1)) {
    return standin::kIllegalAddress;
  }
  std::memcpy(to, reinterpret_cast<void*>(from), size);  // NOLINT(performance-no-int-to-ptr)
  return standin::kSuccess;
}

int cuMemHostRegister_v2(void* /*memory*/, size_t /*size*/, unsigned /*flags*/) {
  ENTER_WITH_CONTEXT(cuMemHostRegister)
  return standin::kSuccess;
}

int cuMemHostUnregister(void* /*memory*/) {
  ENTER_WITH_CONTEXT(cuMemHostUnregister)
  return standin::kSuccess;
}

// For tests: what the device module left behind or asked for.
int standin_cuda_gpu_direct_pieces() { return gpu_direct_pieces; }
int standin_cuda_open_streams() { return open_streams; }
int standin_cuda_retained_contexts() { return retained_contexts; }

}  // extern "C"
