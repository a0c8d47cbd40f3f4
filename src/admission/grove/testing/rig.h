#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "admission/rules/request.h"
#include "admission/rules/rule.h"
#include "json/value.h"

// What tests of the rules are written with.
namespace hearth::admission::grove {

json::Value Yaml(std::string_view text);

// A set that every rule is content with: cliques front and side, and a scaling group pair of lead
// and work; claims are shared at every level.
json::Value GoodSet();

// One change of an object: the YAML to put at a path such as "spec.template.cliques[0].name", made
// if missing. Null: takes the member away. An index of one past the end appends.
struct Edit {
  std::string path;
  const char* yaml;
};
json::Value Edited(json::Value object, const std::vector<Edit>& edits);

// What the rules alone say, each as "path: text", after one another.
Findings Check(const json::Value& object, const Request& request = {});
std::vector<std::string> Errors(const json::Value& object, const Request& request = {});
std::vector<std::string> Warnings(const json::Value& object, const Request& request = {});
// As above for a change.
std::vector<std::string> UpdateErrors(const json::Value& object, const json::Value& old,
                                      Request request = {});

// What a user sees: defaults, the schema with its rules, and ours.
std::vector<std::string> AllErrors(json::Value object, const Request& request = {});
std::vector<std::string> AllUpdateErrors(json::Value object, json::Value old, Request request = {});

}  // namespace hearth::admission::grove
