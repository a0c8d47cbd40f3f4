#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "json/internal/same_value.h"
#include "json/yaml.h"
#include "json/yaml_positions.h"

namespace {

using hearth::json::Value;
using hearth::json::YamlPlace;

// The tree of places has the form of the tree of values.
void CheckPlaces(const Value& value, const YamlPlace& place) {
  CHECK(place.value.line > 0 && place.key.column > 0);
  if (value.IsArray()) {
    CHECK(place.below.size() == value.items().size());
    for (size_t i = 0; i < place.below.size(); ++i) {
      CheckPlaces(value.items()[i], place.below[i]);
    }
  } else if (value.IsObject()) {
    CHECK(place.below.size() == value.members().size());
    for (size_t i = 0; i < place.below.size(); ++i) {
      CheckPlaces(value.members()[i].second, place.below[i]);
    }
  } else {
    CHECK(place.below.empty());
  }
}

}  // namespace

// What can be read can be written and read again to the same documents.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const hearth::json::YamlLimits limits{.max_depth = 64, .max_nodes = 20'000};
  const auto documents = hearth::json::ParseYaml(text, limits);
  const auto stream = hearth::json::ParseYamlWithPositions(text, limits);
  CHECK(stream.status.ok() == documents.ok()) << stream.status.ToString();
  for (const auto& document : stream.documents) {
    CheckPlaces(document.value, document.place);
  }
  if (!documents.ok()) {
    return 0;
  }
  const std::string written = hearth::json::WriteYaml(*documents);
  const auto again = hearth::json::ParseYaml(written);
  CHECK(again.ok()) << again.status().ToString() << "\n" << written;
  CHECK(again->size() == documents->size()) << written;
  CHECK(stream.documents.size() == documents->size()) << written;
  for (size_t i = 0; i < documents->size(); ++i) {
    CHECK(hearth::json::internal::SameValue((*documents)[i], (*again)[i])) << written;
    CHECK(hearth::json::internal::SameValue((*documents)[i], stream.documents[i].value));
  }
  return 0;
}
