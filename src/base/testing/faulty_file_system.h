#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "base/file_system.h"

namespace hearth {

// Passes everything on to another file system until told to fail: at step n with an error, or from
// step n on as if the process had been killed (every later step fails, nothing more reaches the
// disk). Steps are counted over all calls, from 0. Thread-safe.
class FaultyFileSystem : public FileSystem {
 public:
  explicit FaultyFileSystem(FileSystem& real) : real_(real) {}

  void FailAt(int step, Status error);  // once
  void KillAt(int step);                // this step and all after
  int steps() const;
  std::vector<std::string> trace() const;  // "write /a/b", "sync /a", ...

  Result<std::string> Read(const std::string& path, uint64_t limit) override;
  Status Write(const std::string& path, std::string_view bytes, uint32_t mode) override;
  Status Sync(const std::string& path) override;
  Status Rename(const std::string& from, const std::string& to) override;
  Status Exchange(const std::string& a, const std::string& b) override;
  Status MakeDirectories(const std::string& path, uint32_t mode) override;
  Status Remove(const std::string& path) override;
  Status RemoveTree(const std::string& path) override;
  Result<Info> Stat(const std::string& path) override;
  Result<std::vector<std::string>> List(const std::string& path) override;

 private:
  Status Step(const std::string& what);

  FileSystem& real_;
  mutable std::mutex mutex_;
  int steps_ = 0;
  int fail_at_ = -1;
  int kill_at_ = -1;
  Status error_;
  std::vector<std::string> trace_;
};

}  // namespace hearth
