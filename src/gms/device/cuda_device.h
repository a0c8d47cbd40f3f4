#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gms/device/device.h"

namespace hearth::gms {

// Devices of the NVIDIA driver, found at run time in libcuda.so.1 (or `library`); nothing links
// against it. kUnavailable when the library or the driver is not there; the message says what was
// tried.
Result<std::unique_ptr<Device>> OpenCudaDevice(int ordinal,
                                               const std::string& library = "libcuda.so.1");
Result<std::unique_ptr<AddressSpace>> OpenCudaAddressSpace(
    int ordinal, const std::string& library = "libcuda.so.1");
Result<int> CountCudaDevices(const std::string& library = "libcuda.so.1");

}  // namespace hearth::gms
