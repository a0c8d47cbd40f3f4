#include "gms/storage/device_memory.h"

#include <algorithm>

namespace hearth::gms::storage {
namespace {

constexpr uint64_t kHugePage = 2ULL << 20;

class Attached : public Memory {
 public:
  Attached(AddressSpace& space, uintptr_t address, uint64_t bytes)
      : space_(space), at_(address), bytes_(bytes) {}
  ~Attached() override {
    // Nobody could do anything about a failure here; the process is about to end.
    static_cast<void>(space_.Unmap(at_, bytes_));
    static_cast<void>(space_.FreeReservation(at_, bytes_));
  }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  std::byte* address() const override {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers in that interface
    return space_.host_accessible() ? reinterpret_cast<std::byte*>(at_) : nullptr;
  }
  // Memory of this machine is fresh from the kernel; a driver promises nothing.
  bool zero_when_fresh() const override { return space_.host_accessible(); }
  Status Put(uint64_t offset, const std::byte* from, uint64_t size) override {
    return space_.CopyFromHost(at_ + offset, from, size);
  }
  Status Get(uint64_t offset, std::byte* to, uint64_t size) override {
    return space_.CopyToHost(to, at_ + offset, size);
  }

 private:
  AddressSpace& space_;
  uintptr_t at_;
  uint64_t bytes_;
};

}  // namespace

Result<std::unique_ptr<Memory>> ReachMemory(AddressSpace& space, UniqueFd piece, uint64_t bytes,
                                            Access access) {
  if (space.host_accessible() && !IsHugePages(piece.get())) {
    return DescriptorMemory(std::move(piece));
  }
  // Huge pages can only be mapped at addresses of their own size.
  ASSIGN_OR_RETURN(const uintptr_t address,
                   space.Reserve(bytes, std::max(kHugePage, space.facts().granularity)));
  const Status mapped = space.Map(address, bytes, std::move(piece), access);
  if (!mapped.ok()) {
    static_cast<void>(space.FreeReservation(address, bytes));
    return mapped;
  }
  return std::unique_ptr<Memory>(std::make_unique<Attached>(space, address, bytes));
}

}  // namespace hearth::gms::storage
