#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/internal/same_value.h"
#include "json/yaml.h"

// What can be read can be written and read again to the same documents.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto documents = hearth::json::ParseYaml(text, {.max_depth = 64, .max_nodes = 20'000});
  if (!documents.ok()) {
    return 0;
  }
  const std::string written = hearth::json::WriteYaml(*documents);
  const auto again = hearth::json::ParseYaml(written);
  CHECK(again.ok()) << again.status().ToString() << "\n" << written;
  CHECK(again->size() == documents->size()) << written;
  for (size_t i = 0; i < documents->size(); ++i) {
    CHECK(hearth::json::internal::SameValue((*documents)[i], (*again)[i])) << written;
  }
  return 0;
}
