#pragma once

#include <string>
#include <string_view>

#include "grove/model/facts.h"
#include "json/value.h"
#include "kube/model/object.h"

// Metadata that the objects of a set have in common.
namespace hearth::grove::internal {

// managed-by and part-of, the component and the name.
Labels ManagedLabels(std::string_view set, std::string_view component, std::string_view name);

// Annotations of a clique's template that its PodCliques and pods get.
Labels PodAnnotations(const api::grove::CliqueTemplate& clique);

// Whether an annotation belongs to whoever wrote this very object (what was applied last) and must
// not go on to others.
bool IsOfOneObject(std::string_view annotation);

// An object of that kind with labels, annotations (when there are any) and its owner, to fill
// further.
json::Value NewObject(std::string_view api_version, std::string_view kind,
                      std::string_view name_space, std::string_view name, const Labels& labels,
                      const Labels& annotations, const kube::OwnerReference& owner);

}  // namespace hearth::grove::internal
