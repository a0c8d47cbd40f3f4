#include "gms/device/testing/devices_under_test.h"

#include "gms/device/host_device.h"
#include "gms/device/testing/standin_cuda.h"

namespace hearth::gms {
namespace {

constexpr uint64_t kTotal = 64ULL << 20;

DeviceUnderTest HostWith(const std::string& name, uint64_t granularity) {
  HostDeviceOptions options{.budget_bytes = kTotal, .granularity = granularity};
  return {.name = name,
          .total_bytes = kTotal,
          .open = [options] { return OpenHostDevice(options); },
          .open_address_space = [options]() -> Result<std::unique_ptr<AddressSpace>> {
            ASSIGN_OR_RETURN(auto device, OpenHostDevice(options));
            return OpenHostAddressSpace(device->facts());
          }};
}

DeviceUnderTest Cuda() {
  return {.name = "Cuda",
          .total_bytes = kTotal,
          .open = [] { return OpenCudaDevice(1, StandInCuda()); },
          .open_address_space = [] { return OpenCudaAddressSpace(1, StandInCuda()); }};
}

}  // namespace

std::vector<DeviceUnderTest> DevicesUnderTest() {
  return {HostWith("Host", 2ULL << 20), HostWith("HostOfSmallSteps", 4096), Cuda()};
}

}  // namespace hearth::gms
