#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"

namespace hearth {

// The file operations that must be able to fail in a test. Paths are as the kernel takes them.
// Errors carry path and errno text. Thread-safe. testing/faulty_file_system.h fails the n-th step.
class FileSystem {
 public:
  struct Info {
    bool is_directory = false;
    bool is_link = false;  // the path itself is a symbolic link; the rest is of what it points to
    uint64_t size = 0;
    WallTime modified;
    uint32_t mode = 0;  // permission bits
  };

  virtual ~FileSystem() = default;

  // kExhausted when the file is larger than `limit`.
  virtual Result<std::string> Read(const std::string& path, uint64_t limit) = 0;
  // Creates or truncates, and gives it exactly `mode`; does not sync.
  virtual Status Write(const std::string& path, std::string_view bytes, uint32_t mode) = 0;
  virtual Status Sync(const std::string& path) = 0;  // file or directory
  virtual Status Rename(const std::string& from, const std::string& to) = 0;
  // Swaps two that are there, at once. kUnsupported where the file system cannot.
  virtual Status Exchange(const std::string& a, const std::string& b);
  virtual Status MakeDirectories(const std::string& path, uint32_t mode) = 0;
  // One file or empty directory; absent is kNotFound.
  virtual Status Remove(const std::string& path) = 0;
  virtual Status RemoveTree(const std::string& path) = 0;  // absent is fine; never follows links
  virtual Result<Info> Stat(const std::string& path) = 0;
  virtual Result<std::vector<std::string>> List(const std::string& path) = 0;  // names, sorted
};

FileSystem& RealFileSystem();

}  // namespace hearth
