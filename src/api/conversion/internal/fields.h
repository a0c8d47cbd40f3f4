#pragma once

#include <span>
#include <string_view>

#include "api/conversion/internal/builder.h"

namespace hearth::api::conversion::internal {

// Where a field of one version is in the other. Every field of both versions stands in one row of
// one table; a test compares the tables with the schemas.
enum class How {
  kCopied,  // the same value, perhaps under another name
  kMapped,  // by code of its own
  kPod,     // part of podTemplate
  kSaved,   // the other version cannot say it: it is kept in the annotation
};

struct FieldRow {
  std::string_view v1alpha1;  // empty: v1beta1 only
  std::string_view v1beta1;   // empty: v1alpha1 only
  How how = How::kCopied;
};

std::span<const FieldRow> GraphSpecFields();
std::span<const FieldRow> GraphStatusFields();
// Of a service, a component and the spec of a DynamoComponentDeployment.
std::span<const FieldRow> ComponentFields();
std::span<const FieldRow> ComponentDeploymentStatusFields();
std::span<const FieldRow> ReplicaStatusFields();

// The fields that are copied.
void CopyToBeta(std::span<const FieldRow> rows, const Tree& from, ObjectBuilder& to);
void CopyToAlpha(std::span<const FieldRow> rows, const Tree& from, ObjectBuilder& to);

// The object with one member under another name. A member that has that name already is left out:
// it means something else.
Tree Renamed(const Tree& object, std::string_view from, std::string_view to, Arena& arena);

// There, and not null.
bool Given(const Tree& value);

// The members of both objects; `over` wins. When one of them is no object: `over` if it is given.
Tree MergedMembers(const Tree& object, const Tree& over, Arena& arena);

}  // namespace hearth::api::conversion::internal
