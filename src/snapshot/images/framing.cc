#include "snapshot/images/framing.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace hearth::snapshot::images {
namespace {

// In front of the kind's own number since version 1.1 of the format, except in the inventory, which
// is what tells the version.
constexpr uint32_t kCommonMagic = 0x54564319;
constexpr size_t kWord = sizeof(uint32_t);

static_assert(std::endian::native == std::endian::little, "images are read where they are made");

bool TakeWord(std::string_view& bytes, uint32_t& word) {
  if (bytes.size() < kWord) {
    return false;
  }
  std::memcpy(&word, bytes.data(), kWord);
  bytes.remove_prefix(kWord);
  return true;
}

void AddWord(std::string& bytes, uint32_t word) {
  bytes.append(reinterpret_cast<const char*>(&word), kWord);
}

Status TakeMagic(std::string_view& bytes, Magic kind) {
  uint32_t word = 0;
  if (!TakeWord(bytes, word) || (word == kCommonMagic && !TakeWord(bytes, word))) {
    return DataLossError("it is too short for an image of CRIU");
  }
  if (word != static_cast<uint32_t>(kind)) {
    return DataLossError(
        fmt::format("it begins with {:#x}, which is not what images of its kind "
                    "begin with ({:#x})",
                    word, static_cast<uint32_t>(kind)));
  }
  return Status::Ok();
}

}  // namespace

Result<std::vector<std::string_view>> SplitImage(std::string_view image, Magic kind) {
  std::string_view rest = image;
  RETURN_IF_ERROR(TakeMagic(rest, kind));
  std::vector<std::string_view> entries;
  while (!rest.empty()) {
    uint32_t size = 0;
    if (!TakeWord(rest, size) || size > rest.size()) {
      return DataLossError(
          fmt::format("entry {} is cut short at byte {}", entries.size(), image.size()));
    }
    if (entries.size() == kMaxEntries) {
      return DataLossError(fmt::format("it has more than {} entries", kMaxEntries));
    }
    entries.push_back(rest.substr(0, size));
    rest.remove_prefix(size);
  }
  return entries;
}

std::string JoinImage(Magic kind, const std::vector<std::string_view>& entries) {
  std::string image;
  if (kind != Magic::kInventory) {
    AddWord(image, kCommonMagic);
  }
  AddWord(image, static_cast<uint32_t>(kind));
  for (const std::string_view entry : entries) {
    AddWord(image, static_cast<uint32_t>(entry.size()));
    image += entry;
  }
  return image;
}

}  // namespace hearth::snapshot::images
