#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/file_system.h"
#include "gms/device/host_device.h"

namespace hearth::gms::internal {

// What the kernel offers, read from below `root`, which is /sys/kernel/mm.
inline constexpr char kKernelMemory[] = "/sys/kernel/mm";

enum class SharedHugePages : uint8_t {
  kNever,
  kOnAdvice,  // to those who ask with madvise
  kAlways,
};
SharedHugePages TransparentSharedPages(FileSystem& files, const std::string& root = kKernelMemory);
uint64_t ReservedHuge2MBytes(FileSystem& files, const std::string& root = kKernelMemory);

// kUnavailable when the machine has no such pages, saying how to get them.
Status CheckPagesOffered(HostPages pages, FileSystem& files,
                         const std::string& root = kKernelMemory);

// The word in brackets: "always [advise] never" gives "advise"; "" when there is none.
std::string_view ChosenWord(std::string_view choices);

}  // namespace hearth::gms::internal
