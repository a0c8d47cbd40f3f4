#pragma once

#include "json/value.h"
#include "schema/field_error.h"
#include "schema/internal/node.h"

// What a schema says about one value, its children left aside. Wording and verdicts follow the
// server's OpenAPI checks, oddities included: those decide whether an object that one takes the
// other takes as well.
namespace hearth::schema::internal {

// False when it is of the wrong type.
bool CheckType(const Node& node, const json::Value& value, const FieldPath& path,
               ErrorList& errors);
void CheckString(const Node& node, const std::string& text, const FieldPath& path,
                 ErrorList& errors);
void CheckFormat(const Node& node, const std::string& text, const FieldPath& path,
                 ErrorList& errors);
void CheckNumber(const Node& node, const json::Value& value, const FieldPath& path,
                 ErrorList& errors);
void CheckEnum(const Node& node, const json::Value& value, const FieldPath& path,
               ErrorList& errors);
void CheckItemCount(const Node& node, size_t count, const FieldPath& path, ErrorList& errors);
void CheckMemberCount(const Node& node, size_t count, const FieldPath& path, ErrorList& errors);

// The path of a finding as the OpenAPI checks write it; "<nil>" for the root.
std::string OpenApiPath(const FieldPath& path);

}  // namespace hearth::schema::internal
