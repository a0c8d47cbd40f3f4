#include "gms/device/testing/devices_under_test.h"

#include "gms/device/host_device.h"

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

}  // namespace

std::vector<DeviceUnderTest> DevicesUnderTest() {
  return {HostWith("Host", 2ULL << 20), HostWith("HostOfSmallSteps", 4096)};
}

}  // namespace hearth::gms
