#pragma once

#include <map>
#include <string>
#include <tuple>

#include "admission/rules/request.h"
#include "base/result.h"
#include "cli/manifest/report.h"
#include "json/value.h"
#include "json/yaml_positions.h"

namespace hearth::manifest {

// What was applied earlier: changes are held against it.
class AppliedObjects {
 public:
  // kInvalid names line and column of what is wrong with the text.
  static Result<AppliedObjects> Read(std::string_view text, const std::string& name_space);
  // Null when there is none. In whatever version it was written.
  const json::Value* Find(const ObjectReport& object) const;

 private:
  using Key = std::tuple<std::string, std::string, std::string, std::string>;
  static Key KeyOf(const ObjectReport& object);
  std::map<Key, json::Value> objects_;
};

struct CheckOptions {
  admission::Setup setup;
  std::string name_space = "default";  // of objects that name none
  bool allow_unknown_fields = false;   // they are told as warnings
  bool strict = false;                 // objects of other products are errors
  bool explain = false;
  const AppliedObjects* against = nullptr;  // null: everything is new
};

// The same checks as an API server with our resources and webhooks would make, each finding with
// its place in the text. Pure and thread-safe.
ObjectReport CheckObject(const json::YamlDocument& object, const CheckOptions& options);
FileReport CheckText(std::string file, std::string text, const CheckOptions& options);

}  // namespace hearth::manifest
