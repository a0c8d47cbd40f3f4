#include "agent/receive/testing/sent_pages.h"

namespace hearth::agent::receive {

std::string Sent(uint32_t number, uint32_t flags, uint64_t pages, uint64_t address,
                 uint64_t owner) {
  const uint64_t command = flags << 16U | number;
  std::string bytes;
  for (const uint64_t field : {command, pages, address, owner}) {
    bytes.append(reinterpret_cast<const char*>(&field), sizeof(field));
  }
  return bytes;
}

std::string Pages(const std::string& letters) {
  constexpr size_t kPage = 4096;
  std::string bytes;
  for (const char letter : letters) {
    bytes.append(kPage, letter == '0' ? '\0' : letter);
  }
  return bytes;
}

}  // namespace hearth::agent::receive
