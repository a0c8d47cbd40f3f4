#pragma once

#include <string>
#include <string_view>

#include "json/value.h"

// Small objects to write tests with.
namespace hearth::api::conversion::testing {

// CHECKs that it is one YAML document.
json::Value Yaml(std::string_view text);

// An object with this spec (YAML).
json::Value Object(std::string_view kind, std::string_view version, std::string_view spec);
// A graph with one component named worker, given as YAML.
json::Value AlphaGraph(std::string_view service);
json::Value BetaGraph(std::string_view component);

// CHECKs that it can be converted.
json::Value Converted(const json::Value& object, std::string_view version);

// The service or component named worker; null when there is none.
const json::Value* Worker(const json::Value& graph);
json::Value* Worker(json::Value& graph);

// The text kept in an annotation; empty when there is none.
std::string SavedSpec(const json::Value& object);
std::string SavedStatus(const json::Value& object);

}  // namespace hearth::api::conversion::testing
