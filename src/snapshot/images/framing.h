#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hearth::snapshot::images {

// What kinds of image begin with.
enum class Magic : uint32_t {
  kInventory = 0x58313116,
  kProcessTree = 0x50273030,
  kCore = 0x55053847,
  kIds = 0x54432030,
  kMemory = 0x57492820,
  kPagemap = 0x56084025,
  kDescriptors = 0x56213732,
  kFiles = 0x56303138,
  kMounts = 0x55563928,
  kMemfds = 0x48453499,
};

inline constexpr size_t kMaxEntries = 4'000'000;

// The entries of an image, in their order: each is a message. They point into `image`. kDataLoss
// says what is wrong: it is no image, one of another kind, cut short, or has more entries than any
// capture makes.
Result<std::vector<std::string_view>> SplitImage(std::string_view image, Magic kind);

// The image of these entries. What SplitImage read of a current CRIU's becomes the same bytes
// again.
std::string JoinImage(Magic kind, const std::vector<std::string_view>& entries);

}  // namespace hearth::snapshot::images
