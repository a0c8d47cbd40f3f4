#pragma once

#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "gms/device/device.h"

namespace hearth::gms {

// One kind of device for the contract suites: every kind keeps the same promises.
struct DeviceUnderTest {
  std::string name;
  uint64_t total_bytes = 0;  // what `open` gives it
  std::function<Result<std::unique_ptr<Device>>()> open;
  std::function<Result<std::unique_ptr<AddressSpace>>()> open_address_space;

  friend std::ostream& operator<<(std::ostream& out, const DeviceUnderTest& device) {
    return out << device.name;
  }
};

// All kinds that run on any machine.
std::vector<DeviceUnderTest> DevicesUnderTest();

}  // namespace hearth::gms
