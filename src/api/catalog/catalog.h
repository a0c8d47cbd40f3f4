#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "schema/cel/rule_set.h"
#include "schema/crd.h"
#include "schema/validate.h"

namespace hearth::api {

// All kinds of the product.
const std::vector<schema::ResourceDefinition>& AllDefinitions();

// Their names alone, which cost nothing.
struct KindName {
  std::string_view group;
  std::string_view kind;
  std::vector<std::string_view> versions;
};
const std::vector<KindName>& AllKinds();

// One version of a kind, ready to check objects. Immutable and thread-safe.
struct CheckedKind {
  const schema::ResourceDefinition& definition;
  const schema::ResourceVersion& version;
  schema::Validator validator;
  schema::RuleSet rules;
};

// The kind of "nvidia.com/v1beta1" "DynamoGraphDeployment"; null when the product has none such.
// Made ready when first asked for, and no other with it: whoever checks one manifest should not
// wait for the rest. Thread-safe; what it returns lives as long as the program.
const CheckedKind* FindKind(std::string_view api_version, std::string_view kind);

}  // namespace hearth::api
