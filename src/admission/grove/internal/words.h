#pragma once

#include <string>
#include <string_view>

#include "admission/rules/rule.h"
#include "json/value.h"
#include "schema/field_path.h"

// Checks that several rules share.
namespace hearth::admission::grove {

inline constexpr const char* kPositive = "must be greater than 0";
inline constexpr const char* kImmutable = "field is immutable";

// One finding for each thing that keeps `value` from being a DNS subdomain.
void CheckSubdomain(const Rule& rule, const schema::FieldPath& path, const json::Value& value,
                    Findings& findings);
// `value` must be more than nothing; what is no number is passed over.
void CheckPositive(const Rule& rule, const schema::FieldPath& path, const json::Value& object,
                   std::string_view member, Findings& findings);
// As schema::Duplicate, and where the other one is.
schema::FieldError DuplicateOf(const schema::FieldPath& path, const json::Value& value,
                               std::string detail);
// Keys and values of labels; keys and size of annotations.
void CheckLabels(const Rule& rule, const schema::FieldPath& path, const json::Value& object,
                 Findings& findings);
void CheckAnnotations(const Rule& rule, const schema::FieldPath& path, const json::Value& object,
                      Findings& findings);

}  // namespace hearth::admission::grove
