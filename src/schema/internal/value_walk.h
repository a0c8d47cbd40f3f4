#pragma once

#include <cstdint>

#include "json/value.h"
#include "schema/field_error.h"
#include "schema/internal/node.h"

namespace hearth::schema::internal {

// Checks a value and all below it that the schema knows. Recursion is as deep as the schema.
class ValueWalk {
 public:
  // `old` is what the value was before an update, null when there is nothing to compare with: a
  // finding on something that has not changed since is forgotten.
  // Returns how many checks were made, which is how the server chooses the alternative to explain
  // when none of several fits.
  int64_t Check(const Node& node, const json::Value& value, const json::Value* old,
                const FieldPath& path, ErrorList& errors) const;

 private:
  int64_t CheckAll(const Node& node, const json::Value& value, const json::Value* old,
                   const FieldPath& path, ErrorList& errors) const;
  int64_t CheckItems(const Node& node, const json::Value& list, const json::Value* old,
                     const FieldPath& path, ErrorList& errors) const;
  int64_t CheckMembers(const Node& node, const json::Value& object, const json::Value* old,
                       const FieldPath& path, ErrorList& errors) const;
  int64_t CheckAlternatives(const Node& node, const json::Value& value, const FieldPath& path,
                            ErrorList& errors) const;
  int64_t CheckAnyOf(const Node& node, const json::Value& value, const FieldPath& path,
                     ErrorList& errors) const;
  int64_t CheckOneOf(const Node& node, const json::Value& value, const FieldPath& path,
                     ErrorList& errors) const;
  int64_t CheckAllOf(const Node& node, const json::Value& value, const FieldPath& path,
                     ErrorList& errors) const;
};

}  // namespace hearth::schema::internal
