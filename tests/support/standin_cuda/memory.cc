#include "memory.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <string>

#include "codes.h"

namespace standin {
namespace {

size_t NumberFrom(const char* variable, size_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// NOLINTNEXTLINE(performance-no-int-to-ptr): device addresses are numbers
void* Pointer(uintptr_t address) { return reinterpret_cast<void*>(address); }

}  // namespace

Memory& Memory::Get() {
  static auto* memory = new Memory;
  return *memory;
}

Memory::Memory()
    : total_(NumberFrom("STANDIN_CUDA_MEMORY", 64UL << 20)),
      devices_(static_cast<int>(NumberFrom("STANDIN_CUDA_DEVICES", 2))),
      gpu_direct_(NumberFrom("STANDIN_CUDA_GPUDIRECT", 1) != 0),
      news_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

void Memory::ReadNews() {
  alignas(inotify_event) char buffer[4096];
  ssize_t read = 0;
  while ((read = ::read(news_, buffer, sizeof(buffer))) > 0) {
    for (ssize_t at = 0; at < read;) {
      inotify_event event;
      std::memcpy(&event, buffer + at, sizeof(event));
      at += static_cast<ssize_t>(sizeof(event) + event.len);
      alive_.erase(event.wd);
    }
  }
}

size_t Memory::UsedOf(int device) {
  ReadNews();
  size_t used = 0;
  for (const auto& [watch, share] : alive_) {
    used += share.device == device ? share.size : 0;
  }
  return used;
}

size_t Memory::FreeBytes(int device) {
  std::lock_guard lock(mutex_);
  return total_ - UsedOf(device);
}

int Memory::Create(int device, size_t size, uint64_t* handle) {
  std::lock_guard lock(mutex_);
  if (size == 0 || size % kGranularity != 0) {
    return kInvalidValue;
  }
  if (size > total_ - UsedOf(device)) {
    return kOutOfMemory;
  }
  int fd = ::memfd_create("standin-cuda", MFD_CLOEXEC);
  std::string path = "/proc/self/fd/" + std::to_string(fd);
  int watch = ::inotify_add_watch(news_, path.c_str(), IN_DELETE_SELF);
  if (fd < 0 || watch < 0 || ::ftruncate(fd, static_cast<off_t>(size)) != 0) {
    ::close(fd);
    return kOperatingSystem;
  }
  alive_[watch] = {.device = device, .size = size};
  *handle = next_++;
  pieces_[*handle] = {.fd = fd, .size = size};
  return kSuccess;
}

int Memory::Import(int fd, uint64_t* handle) {
  std::lock_guard lock(mutex_);
  struct stat info {};
  if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) {
    return kInvalidValue;
  }
  *handle = next_++;
  pieces_[*handle] = {.fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 0),
                      .size = static_cast<size_t>(info.st_size)};
  return kSuccess;
}

int Memory::Release(uint64_t handle) {
  std::lock_guard lock(mutex_);
  auto found = pieces_.find(handle);
  if (found == pieces_.end()) {
    return kInvalidValue;
  }
  ::close(found->second.fd);
  pieces_.erase(found);
  return kSuccess;
}

int Memory::Export(uint64_t handle, int* fd) {
  std::lock_guard lock(mutex_);
  auto found = pieces_.find(handle);
  if (found == pieces_.end()) {
    return kInvalidValue;
  }
  *fd = ::dup(found->second.fd);  // without close-on-exec, as a driver may do it
  return *fd < 0 ? kOperatingSystem : kSuccess;
}

int Memory::Reserve(size_t size, size_t alignment, uintptr_t* address) {
  std::lock_guard lock(mutex_);
  if (size == 0 || size % kGranularity != 0 || (alignment & (alignment - 1)) != 0) {
    return kInvalidValue;
  }
  size_t wide = size + alignment;
  void* memory =
      ::mmap(nullptr, wide, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    return kOutOfMemory;
  }
  auto begin = reinterpret_cast<uintptr_t>(memory);
  *address = alignment == 0 ? begin : (begin + alignment - 1) / alignment * alignment;
  ::munmap(memory, *address - begin);
  ::munmap(Pointer(*address + size), begin + wide - *address - size);
  reservations_[*address] = size;
  return kSuccess;
}

int Memory::FreeReservation(uintptr_t address, size_t size) {
  std::lock_guard lock(mutex_);
  auto found = reservations_.find(address);
  if (found == reservations_.end() || found->second != size) {
    return kInvalidValue;
  }
  auto mapping = mappings_.lower_bound(address);
  if (mapping != mappings_.end() && mapping->first < address + size) {
    return kInvalidValue;
  }
  ::munmap(Pointer(address), size);
  reservations_.erase(found);
  return kSuccess;
}

int Memory::Map(uintptr_t address, size_t size, uint64_t handle) {
  std::lock_guard lock(mutex_);
  auto piece = pieces_.find(handle);
  if (piece == pieces_.end() || size == 0 || size > piece->second.size ||
      size % kGranularity != 0 || mappings_.contains(address)) {
    return kInvalidValue;
  }
  void* at = ::mmap(Pointer(address), size, PROT_NONE, MAP_SHARED | MAP_FIXED, piece->second.fd, 0);
  if (at == MAP_FAILED) {
    return kOperatingSystem;
  }
  mappings_[address] = {.size = size, .access = 0};
  return kSuccess;
}

int Memory::Unmap(uintptr_t address, size_t size) {
  std::lock_guard lock(mutex_);
  auto found = mappings_.find(address);
  if (found == mappings_.end() || found->second.size != size) {
    return kInvalidValue;
  }
  ::mmap(Pointer(address), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
         -1, 0);
  mappings_.erase(found);
  return kSuccess;
}

int Memory::SetAccess(uintptr_t address, size_t size, int flags) {
  std::lock_guard lock(mutex_);
  int protection = flags == 3 ? PROT_READ | PROT_WRITE : PROT_READ;
  if (size == 0 || ::mprotect(Pointer(address), size, protection) != 0) {
    return kInvalidValue;
  }
  for (auto at = mappings_.lower_bound(address);
       at != mappings_.end() && at->first < address + size; ++at) {
    at->second.access = flags;
  }
  return kSuccess;
}

bool Memory::Accessible(uintptr_t address, size_t size, int flags) {
  std::lock_guard lock(mutex_);
  uintptr_t reached = address;
  while (reached < address + size) {
    auto after = mappings_.upper_bound(reached);
    if (after == mappings_.begin()) {
      return false;
    }
    auto [begin, mapping] = *std::prev(after);
    if (begin + mapping.size <= reached || mapping.access < flags) {
      return false;
    }
    reached = begin + mapping.size;
  }
  return true;
}

}  // namespace standin
