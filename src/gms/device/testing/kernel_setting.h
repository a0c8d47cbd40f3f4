#pragma once

#include <string>

#include "base/result.h"
#include "base/unique_fd.h"

namespace hearth::gms {

// A setting of the kernel that a test changes and that is put back. Programs that use this class
// take turns. kUnavailable with the reason: this user may not, or the kernel does not have it.
class KernelSetting {
 public:
  static Result<KernelSetting> Change(const std::string& path, const std::string& value);
  KernelSetting(KernelSetting&&) noexcept = default;
  ~KernelSetting();

 private:
  KernelSetting(std::string path, std::string before, UniqueFd turn)
      : path_(std::move(path)), before_(std::move(before)), turn_(std::move(turn)) {}

  std::string path_;
  std::string before_;
  UniqueFd turn_;  // invalid once moved from
};

// Huge pages of 2 MiB on top of those that are there; as many are given back when it goes.
// kUnavailable: the machine does not let us, or has not enough memory in one piece.
class HugePagePool {
 public:
  static Result<HugePagePool> Reserve(int pages);
  HugePagePool(HugePagePool&&) noexcept = default;
  ~HugePagePool();

 private:
  HugePagePool(int pages, UniqueFd turn) : pages_(pages), turn_(std::move(turn)) {}

  int pages_;
  UniqueFd turn_;
};

}  // namespace hearth::gms
