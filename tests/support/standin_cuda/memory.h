#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

// The memory of the stand-in's devices: files in memory. Counted against a device from the moment
// this process makes a piece until the kernel has seen its last holder go, in whatever process.
namespace standin {

class Memory {
 public:
  static Memory& Get();

  size_t total() const { return total_; }
  int devices() const { return devices_; }
  bool gpu_direct() const { return gpu_direct_; }
  static constexpr size_t kGranularity = 2UL << 20;

  // All answer with the driver's result codes.
  int Create(int device, size_t size, uint64_t* handle);
  int Import(int fd, uint64_t* handle);
  int Release(uint64_t handle);
  int Export(uint64_t handle, int* fd);
  size_t FreeBytes(int device);

  int Reserve(size_t size, size_t alignment, uintptr_t* address);
  int FreeReservation(uintptr_t address, size_t size);
  int Map(uintptr_t address, size_t size, uint64_t handle);
  int Unmap(uintptr_t address, size_t size);
  int SetAccess(uintptr_t address, size_t size, int flags);
  // Whether all of it is mapped and accessible; 3 asks for writing, 1 for reading.
  bool Accessible(uintptr_t address, size_t size, int flags);

 private:
  struct Piece {
    int fd = -1;
    size_t size = 0;
  };
  struct Mapping {
    size_t size = 0;
    int access = 0;
  };
  struct Share {
    int device = 0;
    size_t size = 0;
  };

  Memory();
  void ReadNews();
  size_t UsedOf(int device);

  std::mutex mutex_;
  size_t total_;
  int devices_;
  bool gpu_direct_;
  int news_;
  std::map<int, Share> alive_;  // by watch
  uint64_t next_ = 0x5000;
  std::map<uint64_t, Piece> pieces_;
  std::map<uintptr_t, size_t> reservations_;
  std::map<uintptr_t, Mapping> mappings_;
};

}  // namespace standin
