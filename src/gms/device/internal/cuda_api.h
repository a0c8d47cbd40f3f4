#pragma once

#include <cstddef>
#include <cstdint>

// The part of the driver's binary interface that is used here, under our own names: the library is
// found at run time and its headers are not needed to build.
namespace hearth::gms::internal::cuda {

using ResultCode = int;
inline constexpr ResultCode kSuccess = 0;
inline constexpr ResultCode kInvalidValue = 1;
inline constexpr ResultCode kOutOfMemory = 2;
inline constexpr ResultCode kNotInitialized = 3;
inline constexpr ResultCode kDeinitialized = 4;
inline constexpr ResultCode kStubLibrary = 34;
inline constexpr ResultCode kDeviceUnavailable = 46;
inline constexpr ResultCode kNoDevice = 100;
inline constexpr ResultCode kInvalidDevice = 101;
inline constexpr ResultCode kInvalidContext = 201;
inline constexpr ResultCode kInvalidHandle = 400;
inline constexpr ResultCode kNotPermitted = 800;
inline constexpr ResultCode kNotSupported = 801;
inline constexpr ResultCode kSystemNotReady = 802;
inline constexpr ResultCode kSystemDriverMismatch = 803;
inline constexpr ResultCode kUnknown = 999;

using DeviceId = int;
using DevicePointer = unsigned long long;  // NOLINT(google-runtime-int): the driver's type
using MemoryHandle = unsigned long long;   // NOLINT(google-runtime-int)
using Flags = unsigned long long;          // NOLINT(google-runtime-int)
using Context = struct ContextTag*;
using Stream = struct StreamTag*;

struct Uuid {
  unsigned char bytes[16];
};

inline constexpr int kAttributeVirtualMemory = 102;
inline constexpr int kAttributeDescriptorHandles = 103;
inline constexpr int kAttributeGpuDirectMemory = 110;

inline constexpr int kAllocationPinned = 1;
inline constexpr int kHandleDescriptor = 1;
inline constexpr int kLocationDevice = 1;
inline constexpr int kGranularityMinimum = 0;
inline constexpr int kAccessRead = 1;
inline constexpr int kAccessReadWrite = 3;
inline constexpr unsigned kStreamNonBlocking = 1;
inline constexpr unsigned kHostPortable = 1;

struct Location {
  int type = kLocationDevice;
  int id = 0;
};

struct AllocationProperties {
  int type = kAllocationPinned;
  int handle_types = kHandleDescriptor;
  Location location;
  void* win32_metadata = nullptr;
  struct {
    unsigned char compression = 0;
    unsigned char gpu_direct_capable = 0;
    uint16_t usage = 0;
    unsigned char reserved[4] = {};
  } flags;
};
static_assert(sizeof(AllocationProperties) == 32);

struct AccessDescription {
  Location location;
  int flags = 0;
};
static_assert(sizeof(AccessDescription) == 12);

// The management library's.
struct MemoryInfo {
  unsigned long long total = 0;  // NOLINT(google-runtime-int)
  unsigned long long free = 0;   // NOLINT(google-runtime-int)
  unsigned long long used = 0;   // NOLINT(google-runtime-int)
};

}  // namespace hearth::gms::internal::cuda
