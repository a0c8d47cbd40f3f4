#include "agent/receive/pagemap_image.h"

namespace hearth::agent::receive {
namespace {

constexpr uint32_t kImage = 0x54564319;    // what images begin with
constexpr uint32_t kPagemap = 0x56084025;  // what this kind goes on with

void AppendNumber(std::string& out, uint32_t number) {
  out.append(reinterpret_cast<const char*>(&number), sizeof(number));
}

// A field of a protobuf message that is a number.
void AppendField(std::string& out, uint32_t field, uint64_t value) {
  out += static_cast<char>(field << 3U);
  for (; value >= 0x80; value >>= 7U) {
    out += static_cast<char>(value | 0x80U);
  }
  out += static_cast<char>(value);
}

void AppendEntry(std::string& out, const std::string& message) {
  AppendNumber(out, static_cast<uint32_t>(message.size()));
  out += message;
}

}  // namespace

PagemapImage::PagemapImage(uint32_t pages_id) {
  AppendNumber(bytes_, kImage);
  AppendNumber(bytes_, kPagemap);
  std::string head;
  AppendField(head, 1, pages_id);
  AppendEntry(bytes_, head);
}

void PagemapImage::Add(uint64_t address, uint64_t pages, uint32_t flags) {
  std::string entry;
  AppendField(entry, 1, address);
  AppendField(entry, 2, 0);  // a count of an older format: required, and no longer used
  AppendField(entry, 4, flags);
  AppendField(entry, 5, pages);
  AppendEntry(bytes_, entry);
}

}  // namespace hearth::agent::receive
