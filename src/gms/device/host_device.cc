#include "gms/device/host_device.h"

#include <fmt/format.h>
#include <unistd.h>

#include <unordered_map>

#include "base/guarded.h"
#include "gms/device/internal/host_piece.h"
#include "gms/device/internal/huge_pages.h"
#include "gms/device/internal/released_memory.h"

namespace hearth::gms {
namespace {

using internal::HostPieceShape;

constexpr uint64_t kHugePage = 2ULL << 20;

struct Piece {
  LentFd fd;  // read-only once sealed
  uint64_t size = 0;
  bool sealed = false;
  bool shared = false;  // somebody else may hold it
};

struct Book {
  std::unordered_map<Device::Handle, Piece> pieces;
  Device::Handle next = 1;
  uint64_t used = 0;  // by pieces, and by those that are being made
  internal::ReleasedMemory released;

  // Fewer bytes may be held than are known of: what was not read yet only tells of memory that
  // came back.
  bool HasRoom(uint64_t size, uint64_t total) {
    return used + released.known_bytes() + size <= total || size <= Free(total);
  }
  uint64_t Free(uint64_t total) {
    uint64_t taken = used + released.held_bytes();
    return taken < total ? total - taken : 0;
  }
};

class HostDevice : public Device {
 public:
  HostDevice(DeviceFacts facts, HostPieceShape shape) : facts_(std::move(facts)), shape_(shape) {
    freed_signal_ = book_.Lock()->released.signal();
  }

  const DeviceFacts& facts() const override { return facts_; }
  Result<Handle> Create(uint64_t size) override;
  void Release(Handle handle) override;
  Result<UniqueFd> Export(Handle handle, Access access) override;
  Result<LentFd> Lend(Handle handle, Access access) override;
  Status Seal(Handle handle) override;
  Result<Handle> Adopt(UniqueFd fd, uint64_t size) override;
  Result<uint64_t> FreeBytes() const override { return book_.Lock()->Free(facts_.total_bytes); }
  int freed_signal() const override { return freed_signal_; }

 private:
  Status CheckSize(uint64_t size) const;
  Status Take(uint64_t size);
  Handle Enter(Piece piece);

  DeviceFacts facts_;
  HostPieceShape shape_;  // but for the size
  int freed_signal_ = -1;
  mutable Guarded<Book> book_;
};

Status NoSuchPiece(Device::Handle handle) {
  return NotFoundError(fmt::format("the host device has no piece {}", handle));
}

Status HostDevice::CheckSize(uint64_t size) const {
  if (size == 0 || size % facts_.granularity != 0) {
    return InvalidError(fmt::format("{} bytes of host memory are no multiple of the granularity {}",
                                    size, facts_.granularity));
  }
  if (size > facts_.total_bytes) {
    return InvalidError(fmt::format("{} bytes are asked for, host device {} has {} in all", size,
                                    facts_.ordinal, facts_.total_bytes));
  }
  return Status::Ok();
}

Status HostDevice::Take(uint64_t size) {
  auto book = book_.Lock();
  if (!book->HasRoom(size, facts_.total_bytes)) {
    uint64_t free = book->Free(facts_.total_bytes);
    return ExhaustedError(fmt::format(
        "host device {}: {} bytes are asked for, {} of {} are free; {} are released but still held "
        "by other processes",
        facts_.ordinal, size, free, facts_.total_bytes, book->released.held_bytes()));
  }
  book->used += size;
  return Status::Ok();
}

Device::Handle HostDevice::Enter(Piece piece) {
  auto book = book_.Lock();
  Handle handle = book->next++;
  book->pieces.emplace(handle, std::move(piece));
  return handle;
}

Result<Device::Handle> HostDevice::Create(uint64_t size) {
  RETURN_IF_ERROR(CheckSize(size));
  RETURN_IF_ERROR(Take(size));
  HostPieceShape shape = shape_;
  shape.size = size;
  auto fd = internal::MakeHostPiece(shape);
  if (!fd.ok()) {
    auto book = book_.Lock();
    book->used -= size;
    // There was room and yet no memory: the news of what came back is used up by this attempt.
    (void)book->Free(facts_.total_bytes);
    return fd.status();
  }
  return Enter({.fd = std::make_shared<const UniqueFd>(std::move(*fd)), .size = size});
}

void HostDevice::Release(Handle handle) {
  Piece piece;
  bool watched = false;
  {
    auto book = book_.Lock();
    auto found = book->pieces.find(handle);
    if (found == book->pieces.end()) {
      return;
    }
    piece = std::move(found->second);
    book->pieces.erase(found);
    watched = piece.shared && book->released.Watch(piece.fd->get(), piece.size);
    book->used -= watched ? piece.size : 0;
  }
  // Giving gigabytes back takes the kernel a while; others need not wait for it.
  piece.fd.reset();
  if (!watched) {
    book_.Lock()->used -= piece.size;
  }
}

Result<LentFd> HostDevice::Lend(Handle handle, Access access) {
  auto book = book_.Lock();
  auto found = book->pieces.find(handle);
  if (found == book->pieces.end()) {
    return NoSuchPiece(handle);
  }
  Piece& piece = found->second;
  piece.shared = true;
  if (piece.sealed || access == Access::kReadWrite) {
    return piece.fd;
  }
  ASSIGN_OR_RETURN(UniqueFd read_only, internal::OpenReadOnly(piece.fd->get()));
  return std::make_shared<const UniqueFd>(std::move(read_only));
}

Result<UniqueFd> HostDevice::Export(Handle handle, Access access) {
  ASSIGN_OR_RETURN(const LentFd lent, Lend(handle, access));
  return internal::Duplicate(lent->get());
}

Status HostDevice::Seal(Handle handle) {
  auto book = book_.Lock();
  auto found = book->pieces.find(handle);
  if (found == book->pieces.end()) {
    return NoSuchPiece(handle);
  }
  Piece& piece = found->second;
  if (piece.sealed) {
    return Status::Ok();
  }
  // One opening for all readers from now on: an export is then a mere duplicate.
  ASSIGN_OR_RETURN(UniqueFd read_only, internal::OpenReadOnly(piece.fd->get()));
  RETURN_IF_ERROR(internal::RefuseNewWriters(piece.fd->get()));
  piece.fd = std::make_shared<const UniqueFd>(std::move(read_only));
  piece.sealed = true;
  return Status::Ok();
}

Result<Device::Handle> HostDevice::Adopt(UniqueFd fd, uint64_t size) {
  RETURN_IF_ERROR(CheckSize(size));
  ASSIGN_OR_RETURN(internal::ForeignPiece foreign, internal::InspectHostPiece(fd.get(), size));
  if (!foreign.sealed && !foreign.writable) {
    return InvalidError(
        "the descriptor can only be read: a piece is adopted with write access or sealed");
  }
  book_.Lock()->used += size;
  return Enter({.fd = std::make_shared<const UniqueFd>(std::move(fd)),
                .size = size,
                .sealed = foreign.sealed,
                .shared = true});
}

Status CheckOptions(const HostDeviceOptions& options) {
  auto page = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  uint64_t least = options.pages == HostPages::kSmall ? page : kHugePage;
  if (options.granularity == 0 || options.granularity % least != 0 ||
      (options.granularity & (options.granularity - 1)) != 0) {
    return InvalidError(
        fmt::format("granularity {} of the host device is not a power of two of at least {}",
                    options.granularity, least));
  }
  if (options.ordinal < 0) {
    return InvalidError(fmt::format("host device {}: ordinals begin with 0", options.ordinal));
  }
  return options.numa_node ? internal::CheckNumaNode(*options.numa_node) : Status::Ok();
}

uint64_t TotalBytes(const HostDeviceOptions& options) {
  uint64_t total = options.budget_bytes;
  if (total == 0) {
    total = options.pages == HostPages::kHuge2M
                ? internal::ReservedHuge2MBytes(RealFileSystem())
                : static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                      static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  }
  return total - total % options.granularity;
}

}  // namespace

Result<std::unique_ptr<Device>> OpenHostDevice(const HostDeviceOptions& options) {
  RETURN_IF_ERROR(CheckOptions(options));
  RETURN_IF_ERROR(internal::CheckPagesOffered(options.pages, RealFileSystem()));
  DeviceFacts facts{.ordinal = options.ordinal,
                    .uuid = options.uuid.empty() ? HostDeviceUuid(options.ordinal) : options.uuid,
                    .kind = "host",
                    .granularity = options.granularity,
                    .total_bytes = TotalBytes(options),
                    .read_only_exports = true};
  if (facts.total_bytes == 0) {
    return InvalidError(fmt::format("the budget of {} bytes is less than one piece of {}",
                                    options.budget_bytes, options.granularity));
  }
  HostPieceShape shape{.pages = options.pages, .numa_node = options.numa_node};
  return std::unique_ptr<Device>(std::make_unique<HostDevice>(std::move(facts), shape));
}

}  // namespace hearth::gms
