#include "gms/device/internal/host_piece.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace hearth::gms::internal {
namespace {

constexpr int kSizeSeals = F_SEAL_GROW | F_SEAL_SHRINK;
constexpr unsigned kHuge2MFlags = MFD_HUGETLB | (21U << MAP_HUGE_SHIFT);

Status Failed(std::string_view what, uint64_t size) {
  int error = errno;
  std::string text = fmt::format("cannot {} a piece of {} bytes of host memory", what, size);
  if (error == EMFILE) {
    text += " (every piece is an open file: raise RLIMIT_NOFILE)";
  }
  return Status::FromErrno(error, text);
}

int BindTo(void* memory, uint64_t size, int node) {
  constexpr int kBits = 8 * sizeof(unsigned long);  // NOLINT(google-runtime-int): the kernel's type
  std::array<unsigned long, 16> nodes{};            // NOLINT(google-runtime-int)
  if (node < 0 || static_cast<size_t>(node) >= nodes.size() * kBits) {
    errno = EINVAL;
    return -1;
  }
  nodes[node / kBits] |= 1UL << (node % kBits);
  return static_cast<int>(::syscall(SYS_mbind, memory, size, MPOL_BIND, nodes.data(),
                                    nodes.size() * kBits, MPOL_MF_STRICT));
}

// Nothing is touched: what a mapping once said stays with the file after the mapping is gone. For
// huge pages that is the reservation, without which a client would be killed at its first touch;
// for a node it is where pages come from.
Status SetUpThroughMapping(int fd, const HostPieceShape& shape) {
  void* memory = ::mmap(nullptr, shape.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED) {
    return Failed("set memory aside for", shape.size);
  }
  Status status;
  if (shape.numa_node && BindTo(memory, shape.size, *shape.numa_node) != 0) {
    status = Failed(fmt::format("bind to node {}", *shape.numa_node), shape.size);
  }
  ::munmap(memory, shape.size);
  return status;
}

}  // namespace

std::string DescriptorPath(int fd) { return fmt::format("/proc/self/fd/{}", fd); }

Result<UniqueFd> MakeHostPiece(const HostPieceShape& shape) {
  unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  if (shape.pages == HostPages::kHuge2M) {
    flags |= kHuge2MFlags;
  }
  UniqueFd piece(::memfd_create("gms", flags));
  if (!piece.valid() || ::ftruncate(piece.get(), static_cast<off_t>(shape.size)) != 0 ||
      ::fcntl(piece.get(), F_ADD_SEALS, kSizeSeals) != 0) {
    return Failed("make", shape.size);
  }
  if (shape.pages == HostPages::kHuge2M || shape.numa_node) {
    RETURN_IF_ERROR(SetUpThroughMapping(piece.get(), shape));
  }
  return piece;
}

Result<UniqueFd> OpenReadOnly(int piece) {
  // Without the mode, whoever has a descriptor for reading could open the file again for writing.
  if (::fchmod(piece, 0400) != 0) {
    return Status::FromErrno(errno, "cannot take the right to write from a piece of host memory");
  }
  UniqueFd fd(::open(DescriptorPath(piece).c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd.valid()) {
    return Status::FromErrno(errno, "cannot open a piece of host memory for reading");
  }
  return fd;
}

Result<UniqueFd> Duplicate(int piece) {
  UniqueFd fd(::fcntl(piece, F_DUPFD_CLOEXEC, 0));
  if (!fd.valid()) {
    return Status::FromErrno(errno, "cannot duplicate the descriptor of a piece of host memory");
  }
  return fd;
}

Status RefuseNewWriters(int piece) {
  if (::fcntl(piece, F_ADD_SEALS, F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) != 0) {
    const int error = errno;
    const int seals = ::fcntl(piece, F_GET_SEALS);
    if (seals >= 0 && (seals & F_SEAL_FUTURE_WRITE) != 0) {
      return Status::Ok();  // another server that has it, too, was first
    }
    return Status::FromErrno(error, "cannot seal a piece of host memory against writers");
  }
  return Status::Ok();
}

Result<ForeignPiece> InspectHostPiece(int piece, uint64_t size) {
  int seals = ::fcntl(piece, F_GET_SEALS);
  struct stat info {};
  if (seals < 0 || ::fstat(piece, &info) != 0) {
    return InvalidError("the descriptor is not a piece of host memory: it cannot be sealed");
  }
  if ((seals & kSizeSeals) != kSizeSeals || static_cast<uint64_t>(info.st_size) != size) {
    return InvalidError(fmt::format(
        "the descriptor is a file of {} bytes{}, expected is a piece of host memory of {} bytes",
        info.st_size, (seals & kSizeSeals) == kSizeSeals ? "" : " that can change its size", size));
  }
  int mode = ::fcntl(piece, F_GETFL) & O_ACCMODE;
  return ForeignPiece{.sealed = (seals & (F_SEAL_FUTURE_WRITE | F_SEAL_WRITE)) != 0,
                      .writable = mode == O_RDWR};
}

Status CheckNumaNode(int node) {
  auto size = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return Failed("map", size);
  }
  Status status;
  if (BindTo(memory, size, node) != 0) {
    status =
        Status::FromErrno(errno, fmt::format("memory of this machine cannot be bound to NUMA node "
                                             "{} (its nodes are in /sys/devices/system/node)",
                                             node));
  }
  ::munmap(memory, size);
  return status;
}

}  // namespace hearth::gms::internal
