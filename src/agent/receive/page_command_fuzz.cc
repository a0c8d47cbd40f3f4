#include <cstddef>
#include <cstdint>
#include <string_view>

#include "agent/receive/page_command.h"
#include "agent/receive/pagemap_image.h"
#include "base/check.h"

// Commands in a row, as they come from a socket: each is taken or refused, and what is taken makes
// an image.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hearth::agent::receive;
  std::string_view rest(reinterpret_cast<const char*>(data), size);
  PagemapImage image(1);
  while (rest.size() >= kCommandBytes) {
    const auto command = DecodeCommand(rest.substr(0, kCommandBytes));
    rest.remove_prefix(kCommandBytes);
    if (!command.ok() || command->verb != Command::Verb::kAdd) {
      continue;
    }
    CHECK(command->pages > 0);
    const size_t before = image.bytes().size();
    image.Add(command->address, command->pages, command->flags);
    CHECK(image.bytes().size() > before);
  }
  return 0;
}
