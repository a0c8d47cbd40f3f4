#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>

#include "base/guarded.h"
#include "gms/device/host_device.h"
#include "gms/device/internal/address_book.h"
#include "gms/device/internal/host_piece.h"
#include "gms/device/internal/huge_pages.h"

namespace hearth::gms {
namespace {

using internal::AddressBook;
using internal::Range;

constexpr uint64_t kHugePage = 2ULL << 20;

// NOLINTNEXTLINE(performance-no-int-to-ptr): addresses are numbers in this interface
void* Pointer(uintptr_t address) { return reinterpret_cast<void*>(address); }

int Protection(Access access) {
  return access == Access::kRead ? PROT_READ : PROT_READ | PROT_WRITE;
}

Status Failed(std::string_view what, Range range) {
  return Status::FromErrno(
      errno, fmt::format("cannot {} addresses [{:#x}, +{})", what, range.address, range.size));
}

// What is there now is replaced by nothing that can be touched.
Status MakeEmpty(Range range) {
  void* at = ::mmap(Pointer(range.address), range.size, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  return at == MAP_FAILED ? Failed("empty", range) : Status::Ok();
}

class HostAddressSpace : public AddressSpace {
 public:
  explicit HostAddressSpace(const DeviceFacts& facts) : facts_(facts), book_(facts.granularity) {}
  ~HostAddressSpace() override;

  const DeviceFacts& facts() const override { return facts_; }
  Result<uintptr_t> Reserve(uint64_t size, uint64_t alignment) override;
  Status FreeReservation(uintptr_t address, uint64_t size) override;
  Status Map(uintptr_t address, uint64_t size, UniqueFd piece, Access access) override;
  Status Unmap(uintptr_t address, uint64_t size) override;
  Status Protect(uintptr_t address, uint64_t size, Access access) override;
  Result<UniqueFd> CreateLocal(uint64_t size) override;
  Status Synchronize() override;
  bool host_accessible() const override { return true; }
  Status CopyFromHost(uintptr_t to, const void* from, uint64_t size) override;
  Status CopyToHost(void* to, uintptr_t from, uint64_t size) override;
  Status PinHost(void* /*memory*/, uint64_t /*size*/) override { return Status::Ok(); }
  void UnpinHost(void* /*memory*/, uint64_t /*size*/) override {}

 private:
  Status Place(Range range, int piece, Access access) const;

  DeviceFacts facts_;
  // Whether huge pages must be asked for; a piece of small ones does not mind.
  bool ask_for_huge_pages_ =
      internal::TransparentSharedPages(RealFileSystem()) == internal::SharedHugePages::kOnAdvice;
  // Held while the kernel changes the map, which takes turns itself.
  Guarded<AddressBook> book_;
};

HostAddressSpace::~HostAddressSpace() {
  for (const Range& range : book_.Lock()->Reservations()) {
    ::munmap(Pointer(range.address), range.size);
  }
}

Result<uintptr_t> HostAddressSpace::Reserve(uint64_t size, uint64_t alignment) {
  auto book = book_.Lock();
  RETURN_IF_ERROR(book->CheckReserve(size, alignment));
  // More than is needed, so that an aligned part is in it; the rest is given back.
  uint64_t wide = size + alignment;
  void* memory =
      ::mmap(nullptr, wide, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return Status::FromErrno(errno, fmt::format("cannot reserve {} bytes of addresses", wide));
  }
  auto begin = reinterpret_cast<uintptr_t>(memory);
  uintptr_t aligned = (begin + alignment - 1) & ~(alignment - 1);
  if (aligned > begin) {
    ::munmap(memory, aligned - begin);
  }
  if (begin + wide > aligned + size) {
    ::munmap(Pointer(aligned + size), begin + wide - aligned - size);
  }
  book->Reserve({aligned, size});
  return aligned;
}

Status HostAddressSpace::FreeReservation(uintptr_t address, uint64_t size) {
  auto book = book_.Lock();
  Range range{address, size};
  RETURN_IF_ERROR(book->CheckFree(range));
  if (::munmap(Pointer(address), size) != 0) {
    return Failed("free", range);
  }
  book->Free(range);
  return Status::Ok();
}

Status HostAddressSpace::Place(Range range, int piece, Access access) const {
  // Beyond the end of the file a touch kills the process; better told now. Asked by a seek, which
  // costs a small part of fstat: nobody reads or writes a piece where its position is.
  const off_t bytes = ::lseek(piece, 0, SEEK_END);
  if (bytes < 0 || static_cast<uint64_t>(bytes) < range.size) {
    return InvalidError(
        fmt::format("the piece has {} bytes, {} are to be mapped", bytes, range.size));
  }
  void* at = ::mmap(Pointer(range.address), range.size, Protection(access), MAP_SHARED | MAP_FIXED,
                    piece, 0);
  if (at == MAP_FAILED) {
    Status failed = Failed("map memory to", range);
    // The kernel may have taken the reservation away before it noticed.
    RETURN_IF_ERROR(MakeEmpty(range));
    return failed;
  }
  if (ask_for_huge_pages_ && range.address % kHugePage == 0 && range.size % kHugePage == 0) {
    ::madvise(at, range.size, MADV_HUGEPAGE);  // a wish; pieces of huge pages refuse it
  }
  return Status::Ok();
}

Status HostAddressSpace::Map(uintptr_t address, uint64_t size, UniqueFd piece, Access access) {
  auto book = book_.Lock();
  Range range{address, size};
  RETURN_IF_ERROR(book->CheckMap(range));
  RETURN_IF_ERROR(Place(range, piece.get(), access));
  book->Map(range, access);
  return Status::Ok();
}

Status HostAddressSpace::Unmap(uintptr_t address, uint64_t size) {
  auto book = book_.Lock();
  Range range{address, size};
  ASSIGN_OR_RETURN(std::vector<Range> mapped, book->Mapped(range));
  if (mapped.empty()) {
    return Status::Ok();
  }
  RETURN_IF_ERROR(MakeEmpty(range));  // all mappings at once
  book->Unmap(range);
  return Status::Ok();
}

Status HostAddressSpace::Protect(uintptr_t address, uint64_t size, Access access) {
  auto book = book_.Lock();
  Range range{address, size};
  RETURN_IF_ERROR(book->CheckProtect(range));
  if (::mprotect(Pointer(address), size, Protection(access)) != 0) {
    return Failed("change the access to", range);
  }
  book->Protect(range, access);
  return Status::Ok();
}

Result<UniqueFd> HostAddressSpace::CreateLocal(uint64_t size) {
  if (size == 0 || size % facts_.granularity != 0) {
    return InvalidError(
        fmt::format("{} bytes are no multiple of the granularity {}", size, facts_.granularity));
  }
  return internal::MakeHostPiece({.size = size});
}

Status HostAddressSpace::Synchronize() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return Status::Ok();
}

Status HostAddressSpace::CopyFromHost(uintptr_t to, const void* from, uint64_t size) {
  RETURN_IF_ERROR(book_.Lock()->CheckTouch({to, size}, Access::kReadWrite));
  std::memcpy(Pointer(to), from, size);
  return Status::Ok();
}

Status HostAddressSpace::CopyToHost(void* to, uintptr_t from, uint64_t size) {
  RETURN_IF_ERROR(book_.Lock()->CheckTouch({from, size}, Access::kRead));
  std::memcpy(to, Pointer(from), size);
  return Status::Ok();
}

}  // namespace

std::unique_ptr<AddressSpace> OpenHostAddressSpace(const DeviceFacts& facts) {
  return std::make_unique<HostAddressSpace>(facts);
}

}  // namespace hearth::gms
