// Scripts of users, cut into words: no crash, and every word lies where it says.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "dynamo/command/shell_words.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view script(reinterpret_cast<const char*>(data), size);
  size_t last = 0;
  for (const auto& command : hearth::dynamo::ShellCommands(script)) {
    CHECK(!command.empty());
    for (const auto& word : command) {
      CHECK(last <= word.begin && word.begin < word.end && word.end <= script.size());
      last = word.end;
    }
  }
  return 0;
}
