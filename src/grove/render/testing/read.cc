#include "grove/render/testing/read.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "json/yaml.h"

namespace hearth::grove {
namespace {

template <typename Facts>
Facts Stored(const json::Value& object) {
  const json::Blob blob = object.ToBlob();
  return Facts::From(Identity::Of(blob.view()), blob.view());
}

}  // namespace

json::Value ReadYaml(const std::string& yaml) {
  auto value = json::ParseYamlDocument(yaml);
  EXPECT_TRUE(value.ok()) << value.status().ToString();
  return value.ok() ? *std::move(value) : json::Value();
}

SetFacts ReadSet(const std::string& yaml) {
  const json::Blob blob = ReadYaml(yaml).ToBlob();
  auto set = SetFacts::From(Identity::Of(blob.view()), blob.view());
  EXPECT_TRUE(set.ok()) << set.status().ToString();
  return set.ok() ? *std::move(set) : SetFacts();
}

json::Value WithUid(json::Value object, const std::string& uid) {
  object["metadata"].Set("uid", uid);
  return object;
}

GroupFacts StoredGroup(const json::Value& object) { return Stored<GroupFacts>(object); }
CliqueFacts StoredClique(const json::Value& object) { return Stored<CliqueFacts>(object); }
PodFacts StoredPod(const json::Value& object) { return Stored<PodFacts>(object); }
GangFacts StoredGang(const json::Value& object) { return Stored<GangFacts>(object); }

json::Value At(const json::Value& object, const std::string& path) {
  const json::Value* value = &object;
  for (const std::string_view step : Split(path, '.')) {
    const bool index =
        std::all_of(step.begin(), step.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (index && value->IsArray()) {
      const size_t k = std::stoul(std::string(step));
      value = k < value->items().size() ? &value->items()[k] : nullptr;
    } else {
      value = value->Find(step);
    }
    if (value == nullptr) {
      return {};
    }
  }
  return *value;
}

}  // namespace hearth::grove
