#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "gms/device/device.h"

namespace hearth::gms {

// Passes everything on to another device until told to fail: at step n, or from step n on as a
// device does that fell off the bus. Steps are the calls that can fail (create, export, seal,
// adopt, free bytes), counted from 0 over all of them. Release always works: a driver that refuses
// it is gone. Thread-safe.
class FaultyDevice : public Device {
 public:
  explicit FaultyDevice(std::unique_ptr<Device> real) : real_(std::move(real)) {}

  void FailAt(int step, Status error);    // once
  void FailFrom(int step, Status error);  // this step and all after
  void Recover();                         // forgets what it was told
  int steps() const;
  // "create 2097152", "export 1 read", "release 1", ... with releases.
  std::vector<std::string> trace() const;

  const DeviceFacts& facts() const override { return real_->facts(); }
  Result<Handle> Create(uint64_t size) override;
  void Release(Handle handle) override;
  Result<UniqueFd> Export(Handle handle, Access access) override;
  Status Seal(Handle handle) override;
  Result<Handle> Adopt(UniqueFd fd, uint64_t size) override;
  Result<uint64_t> FreeBytes() const override;
  int freed_signal() const override { return real_->freed_signal(); }

 private:
  struct Plan {
    int steps = 0;
    int fail_at = -1;
    bool for_ever = false;
    Status error;
    std::vector<std::string> trace;
  };
  Status Step(std::string what) const;

  std::unique_ptr<Device> real_;
  mutable Guarded<Plan> plan_;
};

}  // namespace hearth::gms
