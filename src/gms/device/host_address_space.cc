#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
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
// For a reservation that becomes longer piece by piece.
constexpr uint64_t kRoomToGrow = 64ULL << 30;

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

// Beyond the end of the file a touch kills the process; better told now. Asked by a seek, which
// costs a small part of fstat: nobody reads or writes a piece where its position is.
Status CheckLength(int piece, uint64_t size) {
  const off_t bytes = ::lseek(piece, 0, SEEK_END);
  return bytes >= 0 && static_cast<uint64_t>(bytes) >= size
             ? Status::Ok()
             : InvalidError(
                   fmt::format("the piece has {} bytes, {} are to be mapped", bytes, size));
}

// The begin of that much address space that is free now; 0: there is none. It need not stay so,
// but the kernel gives out addresses from above, and pieces come from below.
uintptr_t FindRoom(uint64_t size, uint64_t alignment) {
  void* memory = ::mmap(nullptr, size + alignment, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return 0;
  }
  ::munmap(memory, size + alignment);
  return (reinterpret_cast<uintptr_t>(memory) + alignment - 1) & ~(alignment - 1);
}

class HostAddressSpace : public AddressSpace {
 public:
  explicit HostAddressSpace(const DeviceFacts& facts) : facts_(facts), book_(facts.granularity) {}
  ~HostAddressSpace() override;

  const DeviceFacts& facts() const override { return facts_; }
  Result<uintptr_t> Reserve(uint64_t size, uint64_t alignment) override;
  Status FreeReservation(uintptr_t address, uint64_t size) override;
  Status Map(uintptr_t address, uint64_t size, UniqueFd piece, Access access) override;
  Result<uintptr_t> MapBehind(uintptr_t reservation, uint64_t size, const UniqueFd& piece,
                              Access access) override;
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
  Status PlaceInFreeSpace(Range range, int piece, Access access) const;
  void AskForHugePages(Range range) const;

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
  RETURN_IF_ERROR(CheckLength(piece, range.size));
  void* at = ::mmap(Pointer(range.address), range.size, Protection(access), MAP_SHARED | MAP_FIXED,
                    piece, 0);
  if (at == MAP_FAILED) {
    Status failed = Failed("map memory to", range);
    // The kernel may have taken the reservation away before it noticed.
    RETURN_IF_ERROR(MakeEmpty(range));
    return failed;
  }
  AskForHugePages(range);
  return Status::Ok();
}

void HostAddressSpace::AskForHugePages(Range range) const {
  if (ask_for_huge_pages_ && range.address % kHugePage == 0 && range.size % kHugePage == 0) {
    // A wish; pieces of huge pages refuse it.
    ::madvise(Pointer(range.address), range.size, MADV_HUGEPAGE);
  }
}

// The kernel looks and maps in one step: nobody comes in between, and nothing is overwritten.
Status HostAddressSpace::PlaceInFreeSpace(Range range, int piece, Access access) const {
  RETURN_IF_ERROR(CheckLength(piece, range.size));
  void* at = ::mmap(Pointer(range.address), range.size, Protection(access),
                    MAP_SHARED | MAP_FIXED_NOREPLACE, piece, 0);
  if (at == MAP_FAILED && errno != EEXIST) {
    return Failed("map memory to", range);
  }
  if (at != Pointer(range.address)) {
    if (at != MAP_FAILED) {
      ::munmap(at, range.size);  // a kernel that takes the address for a wish
    }
    return UnavailableError(
        fmt::format("somebody else has addresses [{:#x}, +{})", range.address, range.size));
  }
  AskForHugePages(range);
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

Result<uintptr_t> HostAddressSpace::MapBehind(uintptr_t reservation, uint64_t size,
                                              const UniqueFd& piece, Access access) {
  auto book = book_.Lock();
  Range range{0, size};
  if (reservation != 0) {
    ASSIGN_OR_RETURN(range, book->CheckExtend(reservation, size));
  } else {
    const uint64_t alignment = std::max(facts_.granularity, kHugePage);
    RETURN_IF_ERROR(book->CheckReserve(size, alignment));
    range.address = FindRoom(std::max(size, kRoomToGrow), alignment);
    if (range.address == 0) {
      return UnavailableError("there is no room for many pieces side by side");
    }
  }
  RETURN_IF_ERROR(PlaceInFreeSpace(range, piece.get(), access));
  if (reservation != 0) {
    book->Extend(reservation, size);
  } else {
    book->Reserve(range);
  }
  book->Map(range, access);
  return range.address;
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
