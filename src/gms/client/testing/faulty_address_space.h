#pragma once

#include <memory>
#include <utility>

#include "gms/device/device.h"

namespace hearth::gms {

// Passes everything on to another address space and fails at a chosen call of Map, Unmap, Protect
// or Synchronize, counted from 0 over all of them. Not thread-safe.
class FaultyAddressSpace : public AddressSpace {
 public:
  explicit FaultyAddressSpace(std::unique_ptr<AddressSpace> real) : real_(std::move(real)) {}

  void FailAt(int step) { fail_at_ = step; }
  int steps() const { return steps_; }
  void Restart() {
    steps_ = 0;
    fail_at_ = -1;
  }

  const DeviceFacts& facts() const override { return real_->facts(); }
  Result<uintptr_t> Reserve(uint64_t size, uint64_t alignment) override {
    return real_->Reserve(size, alignment);
  }
  Status FreeReservation(uintptr_t address, uint64_t size) override {
    return real_->FreeReservation(address, size);
  }
  Status Map(uintptr_t address, uint64_t size, UniqueFd piece, Access access) override {
    RETURN_IF_ERROR(Step());
    return real_->Map(address, size, std::move(piece), access);
  }
  Result<uintptr_t> MapBehind(uintptr_t reservation, uint64_t size, const UniqueFd& piece,
                              Access access) override {
    RETURN_IF_ERROR(Step());
    return real_->MapBehind(reservation, size, piece, access);
  }
  Status Unmap(uintptr_t address, uint64_t size) override {
    RETURN_IF_ERROR(Step());
    return real_->Unmap(address, size);
  }
  Status Protect(uintptr_t address, uint64_t size, Access access) override {
    RETURN_IF_ERROR(Step());
    return real_->Protect(address, size, access);
  }
  Result<UniqueFd> CreateLocal(uint64_t size) override { return real_->CreateLocal(size); }
  Status Synchronize() override {
    RETURN_IF_ERROR(Step());
    return real_->Synchronize();
  }
  bool host_accessible() const override { return real_->host_accessible(); }
  Status CopyFromHost(uintptr_t to, const void* from, uint64_t size) override {
    return real_->CopyFromHost(to, from, size);
  }
  Status CopyToHost(void* to, uintptr_t from, uint64_t size) override {
    return real_->CopyToHost(to, from, size);
  }
  Status PinHost(void* memory, uint64_t size) override { return real_->PinHost(memory, size); }
  void UnpinHost(void* memory, uint64_t size) override { real_->UnpinHost(memory, size); }

 private:
  Status Step() { return steps_++ == fail_at_ ? InternalError("the device failed") : Status::Ok(); }

  std::unique_ptr<AddressSpace> real_;
  int steps_ = 0;
  int fail_at_ = -1;
};

}  // namespace hearth::gms
