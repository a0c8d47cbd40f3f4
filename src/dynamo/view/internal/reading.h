#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dynamo/view/problem.h"
#include "json/view.h"

// Small questions to objects.
namespace hearth::dynamo::view {

// Absent when there is none.
json::View ConditionOf(json::View object, std::string_view type);
bool IsTrue(json::View condition);
bool IsFalse(json::View condition);
// "Reason: message"
std::string Told(json::View condition);
bool IsDeleting(json::View object);

std::string NameOf(json::View object);
std::string LabelOf(json::View object, std::string_view label);
std::string AnnotationOf(json::View object, std::string_view annotation);

// "1 pod", "2 pods"
std::string Counted(int64_t count, std::string_view thing);

}  // namespace hearth::dynamo::view
