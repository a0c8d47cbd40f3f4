#include <fmt/format.h>

#include "base/guarded.h"
#include "gms/device/cuda_device.h"
#include "gms/device/internal/address_book.h"
#include "gms/device/internal/cuda_context.h"
#include "gms/device/internal/cuda_driver.h"

namespace hearth::gms {
namespace {

namespace cuda = internal::cuda;
using internal::AddressBook;
using internal::CudaContext;
using internal::CudaDriver;
using internal::CudaTarget;
using internal::Range;

class CudaAddressSpace : public AddressSpace {
 public:
  CudaAddressSpace(CudaTarget target, std::unique_ptr<CudaContext> context)
      : target_(std::move(target)),
        context_(std::move(context)),
        book_(target_.facts.granularity) {}
  ~CudaAddressSpace() override;

  const DeviceFacts& facts() const override { return target_.facts; }
  Result<uintptr_t> Reserve(uint64_t size, uint64_t alignment) override;
  Status FreeReservation(uintptr_t address, uint64_t size) override;
  Status Map(uintptr_t address, uint64_t size, UniqueFd piece, Access access) override;
  Status Unmap(uintptr_t address, uint64_t size) override;
  Status Protect(uintptr_t address, uint64_t size, Access access) override;
  Result<UniqueFd> CreateLocal(uint64_t size) override;
  Status Synchronize() override;
  bool host_accessible() const override { return false; }
  Status CopyFromHost(uintptr_t to, const void* from, uint64_t size) override;
  Status CopyToHost(void* to, uintptr_t from, uint64_t size) override;
  Status PinHost(void* memory, uint64_t size) override;
  void UnpinHost(void* memory, uint64_t size) override;

 private:
  const CudaDriver& driver() const { return *target_.driver; }
  Status SetAccess(Range range, Access access) const;
  Status Place(Range range, cuda::MemoryHandle memory, Access access) const;
  Status UnmapAll(AddressBook& book, Range range) const;

  CudaTarget target_;
  std::unique_ptr<CudaContext> context_;
  Guarded<AddressBook> book_;
};

CudaAddressSpace::~CudaAddressSpace() {
  auto book = book_.Lock();
  for (const Range& range : book->Reservations()) {
    // Nobody is left who could be told.
    (void)UnmapAll(*book, range);
    driver().free_reservation(range.address, range.size);
  }
}

Result<uintptr_t> CudaAddressSpace::Reserve(uint64_t size, uint64_t alignment) {
  auto book = book_.Lock();
  RETURN_IF_ERROR(book->CheckReserve(size, alignment));
  cuda::DevicePointer address = 0;
  RETURN_IF_ERROR(driver().Check(driver().reserve(&address, size, alignment, 0, 0),
                                 fmt::format("cuMemAddressReserve of {} bytes", size)));
  book->Reserve({address, size});
  return address;
}

Status CudaAddressSpace::FreeReservation(uintptr_t address, uint64_t size) {
  auto book = book_.Lock();
  RETURN_IF_ERROR(book->CheckFree({address, size}));
  RETURN_IF_ERROR(driver().Check(driver().free_reservation(address, size), "cuMemAddressFree"));
  book->Free({address, size});
  return Status::Ok();
}

Status CudaAddressSpace::SetAccess(Range range, Access access) const {
  cuda::AccessDescription description{
      .location = target_.properties.location,
      .flags = access == Access::kRead ? cuda::kAccessRead : cuda::kAccessReadWrite};
  return driver().Check(driver().set_access(range.address, range.size, &description, 1),
                        "cuMemSetAccess");
}

Status CudaAddressSpace::Place(Range range, cuda::MemoryHandle memory, Access access) const {
  RETURN_IF_ERROR(driver().Check(driver().map(range.address, range.size, 0, memory, 0),
                                 fmt::format("cuMemMap of {} bytes", range.size)));
  Status accessible = SetAccess(range, access);
  if (!accessible.ok()) {
    driver().unmap(range.address, range.size);
  }
  return accessible;
}

Status CudaAddressSpace::Map(uintptr_t address, uint64_t size, UniqueFd piece, Access access) {
  auto book = book_.Lock();
  Range range{address, size};
  RETURN_IF_ERROR(book->CheckMap(range));
  ASSIGN_OR_RETURN(cuda::MemoryHandle memory, internal::ImportMemory(driver(), std::move(piece)));
  Status placed = Place(range, memory, access);
  driver().release(memory);  // the mapping keeps the memory
  RETURN_IF_ERROR(placed);
  book->Map(range, access);
  return Status::Ok();
}

// The driver unmaps one mapping at a time; after a failure the book still tells what is left.
Status CudaAddressSpace::UnmapAll(AddressBook& book, Range range) const {
  ASSIGN_OR_RETURN(std::vector<Range> mapped, book.Mapped(range));
  for (const Range& mapping : mapped) {
    RETURN_IF_ERROR(driver().Check(driver().unmap(mapping.address, mapping.size), "cuMemUnmap"));
    book.Unmap(mapping);
  }
  return Status::Ok();
}

Status CudaAddressSpace::Unmap(uintptr_t address, uint64_t size) {
  auto book = book_.Lock();
  return UnmapAll(*book, {address, size});
}

Status CudaAddressSpace::Protect(uintptr_t address, uint64_t size, Access access) {
  auto book = book_.Lock();
  Range range{address, size};
  RETURN_IF_ERROR(book->CheckProtect(range));
  RETURN_IF_ERROR(SetAccess(range, access));
  book->Protect(range, access);
  return Status::Ok();
}

Result<UniqueFd> CudaAddressSpace::CreateLocal(uint64_t size) {
  if (size == 0 || size % target_.facts.granularity != 0) {
    return InvalidError(fmt::format("{} bytes are no multiple of the granularity {}", size,
                                    target_.facts.granularity));
  }
  cuda::MemoryHandle memory = 0;
  RETURN_IF_ERROR(driver().Check(driver().create(&memory, size, &target_.properties, 0),
                                 fmt::format("cuMemCreate of {} bytes", size)));
  auto exported = internal::ExportMemory(driver(), memory);
  driver().release(memory);  // the descriptor keeps it
  return exported;
}

Status CudaAddressSpace::Synchronize() {
  return context_->With([&] { return driver().Check(driver().synchronize(), "cuCtxSynchronize"); });
}

Status CudaAddressSpace::CopyFromHost(uintptr_t to, const void* from, uint64_t size) {
  RETURN_IF_ERROR(book_.Lock()->CheckTouch({to, size}, Access::kReadWrite));
  return context_->OnStream([&](cuda::Stream stream) {
    return driver().Check(driver().copy_in(to, from, size, stream), "cuMemcpyHtoDAsync");
  });
}

Status CudaAddressSpace::CopyToHost(void* to, uintptr_t from, uint64_t size) {
  RETURN_IF_ERROR(book_.Lock()->CheckTouch({from, size}, Access::kRead));
  return context_->OnStream([&](cuda::Stream stream) {
    return driver().Check(driver().copy_out(to, from, size, stream), "cuMemcpyDtoHAsync");
  });
}

Status CudaAddressSpace::PinHost(void* memory, uint64_t size) {
  return context_->With([&] {
    return driver().Check(driver().pin(memory, size, cuda::kHostPortable),
                          fmt::format("cuMemHostRegister of {} bytes", size));
  });
}

void CudaAddressSpace::UnpinHost(void* memory, uint64_t /*size*/) {
  (void)context_->With(
      [&] { return driver().Check(driver().unpin(memory), "cuMemHostUnregister"); });
}

}  // namespace

Result<std::unique_ptr<AddressSpace>> OpenCudaAddressSpace(int ordinal,
                                                           const CudaLibraries& libraries) {
  ASSIGN_OR_RETURN(CudaTarget target, internal::OpenCudaTarget(ordinal, libraries.driver));
  ASSIGN_OR_RETURN(auto context, CudaContext::Retain(target.driver, target.id));
  return std::unique_ptr<AddressSpace>(
      std::make_unique<CudaAddressSpace>(std::move(target), std::move(context)));
}

}  // namespace hearth::gms
