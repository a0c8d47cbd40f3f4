#pragma once

#include <memory>
#include <string>

#include "gms/device/device.h"

namespace hearth::gms {

// Where the driver is looked for; nothing links against it.
struct CudaLibraries {
  std::string driver = "libcuda.so.1";
  // Tells how much memory is free without a context on the device. When it is missing, only the
  // memory made here counts as used.
  std::string management = "libnvidia-ml.so.1";
};

// Devices of the NVIDIA driver. Ordinals are the driver's own, after CUDA_VISIBLE_DEVICES; names
// come from the driver, too, so that both always mean the same device. The owner's side needs no
// context on the device. kUnavailable when the library or the driver is not there or cannot do it:
// the message says what was tried. A driver that fails later is a Status with the driver's own
// words, never the end of the process.
Result<std::unique_ptr<Device>> OpenCudaDevice(int ordinal, const CudaLibraries& libraries = {});
// Holds the device's primary context while it lives. Copies of several threads do not wait for
// each other.
Result<std::unique_ptr<AddressSpace>> OpenCudaAddressSpace(int ordinal,
                                                           const CudaLibraries& libraries = {});
Result<int> CountCudaDevices(const CudaLibraries& libraries = {});

}  // namespace hearth::gms
