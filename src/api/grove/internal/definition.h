#pragma once

#include <string>
#include <string_view>

#include "api/table/node.h"
#include "schema/crd.h"

namespace hearth::api::grove::internal {

// What the kinds have in common: one version, stored, with a status of its own.
schema::ResourceDefinition Define(std::string_view group, std::string kind, std::string plural,
                                  std::string short_name, const Node& root);

// A rule of the object that holds the list `field`: it stays as it was created. Absent and empty
// are the same, so that a client that writes one for the other is not refused.
schema::Rule Immutable(const std::string& field);

// Columns of kubectl get.
schema::PrinterColumn Count(std::string name, std::string path, std::string description);
schema::PrinterColumn Text(std::string name, std::string path, std::string description);
schema::PrinterColumn Wide(schema::PrinterColumn column);  // only with -o wide
schema::PrinterColumn Claims();
schema::PrinterColumn ClaimsReason();
schema::PrinterColumn MinBreached();
schema::PrinterColumn Age();

// ConditionPath("Ready", "status"): the path of a member of a condition.
std::string ConditionPath(std::string_view type, std::string_view member);

}  // namespace hearth::api::grove::internal
