#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/rules/request.h"
#include "json/value.h"

// Objects of nvidia.com on their way through schema, CEL rules and the rules of this module, for
// tests.
namespace hearth::admission::dynamo {

json::Value Yaml(std::string_view text);  // one document; a failure of the test otherwise

// Objects that are fine, with a merge patch in YAML over them. The graph has the components
// Frontend and worker; `worker` is merged over the latter. The checkpoint is one of a pod with a
// GPU memory service, prepared.
json::Value Graph(std::string_view worker = "{}", std::string_view object = "{}");
json::Value Component(std::string_view object = "{}");
json::Value Checkpoint(std::string_view object = "{}");

struct Answer {
  std::vector<std::string> errors;  // "spec.x: Invalid value: ..."
  std::vector<std::string> warnings;
  json::Value object;        // defaults filled in
  bool from_schema = false;  // errors are those of the schema and its CEL rules
};

// As an API server asks: the rules only when schema and CEL have nothing to say. An object of an
// older version is converted for the rules, and passed over by them while that is not possible.
Answer Ask(json::Value object, Request request = {});
// A change of `old`, which is made ready first.
Answer AskUpdate(json::Value old, json::Value object, Request request = {});

}  // namespace hearth::admission::dynamo
