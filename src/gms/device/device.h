#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::gms {

enum class Access : uint8_t { kRead, kReadWrite };

// A descriptor to hand on, perhaps the device's own: not to be closed or written through. Its
// number is good as long as anybody has this, whatever becomes of the piece.
using LentFd = std::shared_ptr<const UniqueFd>;

struct DeviceFacts {
  int ordinal = 0;
  std::string uuid;  // "GPU-..."; a host device makes one up that stays the same for the machine
                     // and ordinal
  std::string kind;  // "host" or "cuda"
  uint64_t granularity = 0;
  uint64_t total_bytes = 0;
  // An exported descriptor can be opened for reading only, so that readers cannot write.
  bool read_only_exports = false;
};

// The memory of one accelerator as its owner sees it: pieces are made, handed out as file
// descriptors and released, never mapped. A piece lives until the last holder is gone: the handle
// here, a descriptor anywhere, a mapping anywhere. Thread-safe.
class Device {
 public:
  using Handle = uint64_t;  // 0 is none

  virtual ~Device() = default;
  virtual const DeviceFacts& facts() const = 0;
  // `size` is a multiple of the granularity. kExhausted: no memory now, later perhaps. kInvalid:
  // never. kUnavailable, kInternal: the driver failed; the message has its words.
  virtual Result<Handle> Create(uint64_t size) = 0;
  virtual void Release(Handle handle) = 0;
  // A new descriptor each time, close-on-exec. kNotFound for a handle that is not there.
  virtual Result<UniqueFd> Export(Handle handle, Access access) = 0;
  // The same for somebody who sends it on at once: a device that has a descriptor anyway makes no
  // other.
  virtual Result<LentFd> Lend(Handle handle, Access access) {
    ASSIGN_OR_RETURN(UniqueFd fd, Export(handle, access));
    return std::make_shared<const UniqueFd>(std::move(fd));
  }
  // From now on nobody gets new write access, where the device can do that; those who map it
  // writable keep it. Exports are read-only whatever is asked for. Ok where it cannot.
  virtual Status Seal(Handle handle) = 0;
  // Takes a piece that another process made and exported with write access, or sealed: how a
  // successor takes over. It counts as used even beyond the total. kInvalid: not such a piece, or
  // of another size.
  virtual Result<Handle> Adopt(UniqueFd fd, uint64_t size) = 0;
  // What Create could give out now. Memory that was released counts as free only when its last
  // holder, in whatever process, is gone.
  virtual Result<uint64_t> FreeBytes() const = 0;
  // A descriptor that polls readable once released memory came back from other holders; FreeBytes
  // clears it, and so does a Create that finds no memory. -1 where the device cannot tell: ask
  // again now and then.
  virtual int freed_signal() const { return -1; }
};

// The memory of one accelerator as a process sees it that maps pieces of it. Addresses stay
// reserved while nothing is behind them, so that pointers survive a sleep. Addresses and sizes are
// multiples of the granularity; anything else, and anything outside of what was reserved here, is
// kInvalid and changes nothing. Reservations that are left go with the object. Thread-safe.
class AddressSpace {
 public:
  virtual ~AddressSpace() = default;
  virtual const DeviceFacts& facts() const = 0;
  // Address space without memory; `alignment` is a power of two, at least the granularity. Touching
  // it is a fault.
  virtual Result<uintptr_t> Reserve(uint64_t size, uint64_t alignment) = 0;
  // Exactly what Reserve gave. kConflict while something is mapped there.
  virtual Status FreeReservation(uintptr_t address, uint64_t size) = 0;
  // Puts the piece behind part of a reservation; the descriptor is used up, also on failure.
  // kAlreadyExists: something is mapped there. kPermissionDenied: the descriptor cannot be written.
  virtual Status Map(uintptr_t address, uint64_t size, UniqueFd piece, Access access) = 0;
  // Makes a reservation longer and puts the piece behind what was added; 0: makes a new one. Where
  // the piece is. Addresses that were reserved before have to make way for a piece, which costs the
  // kernel more than to find out that these are free. Whatever other threads map meanwhile: the
  // addresses are ours when this is done, or nothing has changed, and the descriptor is still good.
  // kUnavailable when somebody else has them by now, or the device has no such way.
  virtual Result<uintptr_t> MapBehind(uintptr_t /*reservation*/, uint64_t /*size*/,
                                      const UniqueFd& /*piece*/, Access /*access*/) {
    return UnavailableError("pieces go to addresses that were reserved before");
  }
  // Everything mapped in the range, gaps are fine; the reservation stays. kInvalid when the range
  // cuts a mapping in two.
  virtual Status Unmap(uintptr_t address, uint64_t size) = 0;
  // Of whole mappings without gaps. kPermissionDenied as with Map.
  virtual Status Protect(uintptr_t address, uint64_t size, Access access) = 0;
  // A piece of our own, without a server: for scratch memory. Mapped as often as wanted.
  virtual Result<UniqueFd> CreateLocal(uint64_t size) = 0;
  // All work on this memory that was begun before is over.
  virtual Status Synchronize() = 0;
  // Whether the processor may use the addresses as they are. If not, bytes go through Copy.
  virtual bool host_accessible() const = 0;
  virtual Status CopyFromHost(uintptr_t to, const void* from, uint64_t size) = 0;
  virtual Status CopyToHost(void* to, uintptr_t from, uint64_t size) = 0;
  // Makes host memory fast to copy from and to (page-locks it); ok where nothing is to be done.
  virtual Status PinHost(void* memory, uint64_t size) = 0;
  virtual void UnpinHost(void* memory, uint64_t size) = 0;
};

}  // namespace hearth::gms
