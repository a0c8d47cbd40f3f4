#include "api/grove/internal/definition.h"

#include <utility>

#include "api/grove/constants.h"

namespace hearth::api::grove::internal {
namespace {

schema::PrinterColumn Column(std::string name, std::string type, std::string path,
                             std::string description) {
  return {.name = std::move(name),
          .type = std::move(type),
          .json_path = std::move(path),
          .description = std::move(description)};
}

}  // namespace

schema::ResourceDefinition Define(std::string_view group, std::string kind, std::string plural,
                                  std::string short_name, const Node& root) {
  schema::ResourceDefinition definition;
  definition.group = group;
  definition.kind = std::move(kind);
  definition.plural = std::move(plural);
  definition.short_names = {std::move(short_name)};
  definition.categories = {"grove", "hearth"};
  schema::ResourceVersion& version = definition.versions.emplace_back();
  version.name = kVersion;
  version.storage = true;
  version.status_subresource = true;
  version.schema = root.Share();
  return definition;
}

schema::Rule Immutable(const std::string& field) {
  const std::string now = "(has(self." + field + ") ? self." + field + " : [])";
  const std::string before = "(has(oldSelf." + field + ") ? oldSelf." + field + " : [])";
  return {
      .rule = now + " == " + before, .message = "field is immutable", .field_path = "." + field};
}

schema::PrinterColumn Count(std::string name, std::string path, std::string description) {
  return Column(std::move(name), "integer", std::move(path), std::move(description));
}

schema::PrinterColumn Text(std::string name, std::string path, std::string description) {
  return Column(std::move(name), "string", std::move(path), std::move(description));
}

schema::PrinterColumn Wide(schema::PrinterColumn column) {
  column.priority = 1;
  return column;
}

schema::PrinterColumn Claims() {
  return Text("Claims", ".status.resourceClaims.summary",
              "Shared ResourceClaims with devices, of all there should be.");
}

schema::PrinterColumn ClaimsReason() {
  return Wide(Text("Claims-Reason", ConditionPath(kResourceClaimsReady, "reason"),
                   "Why the shared ResourceClaims are ready or not."));
}

schema::PrinterColumn MinBreached() {
  return Wide(Text("MinBreached", ConditionPath(kMinAvailableBreached, "status"),
                   "Whether fewer than minAvailable work."));
}

schema::PrinterColumn Age() {
  return Column("Age", "date", ".metadata.creationTimestamp", "How long ago it was created.");
}

std::string ConditionPath(std::string_view type, std::string_view member) {
  return ".status.conditions[?(@.type==\"" + std::string(type) + "\")]." + std::string(member);
}

}  // namespace hearth::api::grove::internal
