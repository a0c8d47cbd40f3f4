#pragma once

#include <ostream>
#include <string>

#include "grove/model/facts.h"
#include "json/value.h"

namespace hearth::json {
// For messages of tests.
inline void PrintTo(const Value& value, std::ostream* out) { *out << value.Write(); }
}  // namespace hearth::json

// Facts from YAML and from what was rendered.
namespace hearth::grove {

// Fails the test when it cannot be read.
json::Value ReadYaml(const std::string& yaml);
SetFacts ReadSet(const std::string& yaml);

// With this uid, as if an API server had stored it.
json::Value WithUid(json::Value object, const std::string& uid);
// Of whole objects.
GroupFacts StoredGroup(const json::Value& object);
CliqueFacts StoredClique(const json::Value& object);
PodFacts StoredPod(const json::Value& object);
GangFacts StoredGang(const json::Value& object);

// The value at a dotted path, numbers for elements: "spec.containers.0.env". Null when there is
// none.
json::Value At(const json::Value& object, const std::string& path);

}  // namespace hearth::grove
