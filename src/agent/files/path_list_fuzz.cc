#include <string_view>

#include "agent/files/path_list.h"
#include "base/check.h"

// The lists beside an archive come with it, from wherever that came.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto paths = hearth::agent::ParsePathList(text);
  if (!paths.ok()) {
    return 0;
  }
  const auto again = hearth::agent::ParsePathList(hearth::agent::WritePathList(*paths));
  CHECK(again.ok() && *again == *paths);
  for (const std::string& path : *paths) {
    const auto clean = hearth::agent::CleanPath(path);
    CHECK(!clean.ok() || ("/" + *clean + "/").find("/../") == std::string::npos);
  }
  return 0;
}
