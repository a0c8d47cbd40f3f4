#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::disk::io {

// Offsets and sizes of direct I/O must be multiples of it, on every disk there is.
inline constexpr uint64_t kDirectAlignment = 4096;

// An open file. Reached past the page cache where the file system lets us; otherwise through it.
// Thread-safe.
class StorageFile {
 public:
  StorageFile(UniqueFd fd, std::string name);

  int fd() const { return fd_.get(); }
  const std::string& name() const { return name_; }  // for people
  // Never the same for two files of a process, as descriptors are.
  uint64_t id() const { return id_; }
  bool direct() const { return direct_.load(std::memory_order_relaxed); }

  // Asks for direct I/O; stays buffered where it is refused.
  void TryDirect();
  // For a file system that took the wish and refuses the I/O.
  void GiveUpDirect();

  // Room for `bytes`, so that writes only fill it. Where that is not supported the file only gets
  // its length. kExhausted when the disk is full.
  Status Preallocate(uint64_t bytes);
  // Room for a range that need not be within the file; its length stays. Ok where that is not
  // supported. kExhausted when the disk is full.
  Status MakeRoom(uint64_t offset, uint64_t bytes);
  // What is behind it goes, and the room for it.
  Status SetLength(uint64_t bytes);
  // Gives the space of a range back; it reads as zeros. Ok where that is not supported: zeros are
  // there already, as nothing was written.
  Status Punch(uint64_t offset, uint64_t bytes);
  // Bytes and length are on the disk when it returns.
  Status Sync();
  // Bytes that it takes on the disk.
  Result<uint64_t> StoredBytes() const;

 private:
  UniqueFd fd_;
  std::string name_;
  uint64_t id_;
  std::atomic<bool> direct_ = false;
};

}  // namespace hearth::disk::io
