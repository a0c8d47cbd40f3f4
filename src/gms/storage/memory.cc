#include "gms/storage/memory.h"

#include <linux/magic.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hearth::gms::storage {
namespace {

class Mapped : public Memory {
 public:
  Mapped(void* address, bool zero_when_fresh)
      : address_(static_cast<std::byte*>(address)), zero_when_fresh_(zero_when_fresh) {}
  std::byte* address() const override { return address_; }
  bool zero_when_fresh() const override { return zero_when_fresh_; }
  Status Put(uint64_t offset, const std::byte* from, uint64_t size) override {
    std::memcpy(address_ + offset, from, size);
    return {};
  }
  Status Get(uint64_t offset, std::byte* to, uint64_t size) override {
    std::memcpy(to, address_ + offset, size);
    return {};
  }

 private:
  std::byte* address_;
  bool zero_when_fresh_;
};

class Descriptor : public Memory {
 public:
  explicit Descriptor(UniqueFd fd) : fd_(std::move(fd)) {}
  bool zero_when_fresh() const override { return true; }
  Status Put(uint64_t offset, const std::byte* from, uint64_t size) override {
    while (size > 0) {
      const ssize_t put = ::pwrite(fd_.get(), from, size, static_cast<off_t>(offset));
      RETURN_IF_ERROR(Moved(put, offset, from, size, "write device memory"));
    }
    return {};
  }
  Status Get(uint64_t offset, std::byte* to, uint64_t size) override {
    while (size > 0) {
      const ssize_t got = ::pread(fd_.get(), to, size, static_cast<off_t>(offset));
      RETURN_IF_ERROR(Moved(got, offset, to, size, "read device memory"));
    }
    return {};
  }

 private:
  template <typename Byte>
  static Status Moved(ssize_t count, uint64_t& offset, Byte*& bytes, uint64_t& size,
                      const char* what) {
    if (count < 0 && errno != EINTR) {
      return Status::FromErrno(errno, what);
    }
    if (count == 0) {
      return DataLossError(std::string(what) + ": it is smaller than the allocation");
    }
    const auto moved = static_cast<uint64_t>(std::max<ssize_t>(count, 0));
    offset += moved;
    bytes += moved;
    size -= moved;
    return {};
  }

  UniqueFd fd_;
};

class Copied : public Memory {
 public:
  Copied(AddressSpace& space, uintptr_t address) : space_(space), address_(address) {}
  bool zero_when_fresh() const override { return false; }
  Status Put(uint64_t offset, const std::byte* from, uint64_t size) override {
    return space_.CopyFromHost(address_ + offset, from, size);
  }
  Status Get(uint64_t offset, std::byte* to, uint64_t size) override {
    return space_.CopyToHost(to, address_ + offset, size);
  }

 private:
  AddressSpace& space_;
  uintptr_t address_;
};

class Nowhere : public Memory {
 public:
  bool zero_when_fresh() const override { return false; }
  Status Put(uint64_t /*offset*/, const std::byte* /*from*/, uint64_t /*size*/) override {
    return {};
  }
  Status Get(uint64_t /*offset*/, std::byte* /*to*/, uint64_t /*size*/) override {
    return InternalError("there is no memory to read");
  }
};

}  // namespace

std::unique_ptr<Memory> MappedMemory(void* address, bool zero_when_fresh) {
  return std::make_unique<Mapped>(address, zero_when_fresh);
}

std::unique_ptr<Memory> DescriptorMemory(UniqueFd fd) {
  return std::make_unique<Descriptor>(std::move(fd));
}

std::unique_ptr<Memory> CopiedMemory(AddressSpace& space, uintptr_t address) {
  return std::make_unique<Copied>(space, address);
}

Memory& NoMemory() {
  static auto* nowhere = new Nowhere;
  return *nowhere;
}

bool IsHugePages(int fd) {
  struct statfs info {};
  return ::fstatfs(fd, &info) == 0 && static_cast<uint64_t>(info.f_type) == HUGETLBFS_MAGIC;
}

}  // namespace hearth::gms::storage
