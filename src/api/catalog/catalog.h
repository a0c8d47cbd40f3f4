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

// One version of a kind, ready to check objects. Immutable and thread-safe.
struct CheckedKind {
  const schema::ResourceDefinition& definition;
  const schema::ResourceVersion& version;
  schema::Validator validator;
  schema::RuleSet rules;
};

// The kind of "nvidia.com/v1beta1" "DynamoGraphDeployment", made ready when first asked for; null
// when the product has none such.
const CheckedKind* FindKind(std::string_view api_version, std::string_view kind);

}  // namespace hearth::api
