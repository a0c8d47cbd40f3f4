#include "operator_app/crd_apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/catalog/catalog.h"
#include "base/strings.h"
#include "kube/model/api_status.h"
#include "kube/model/object.h"
#include "schema/crd.h"

namespace hearth::operator_app {
namespace {

const kube::ResourceType& Type() { return kube::types::CustomResourceDefinitions(); }

Result<std::string> NameOf(const json::Value& definition) {
  const json::Value* kind = definition.Find("kind");
  const json::Value* name = definition.FindPath("metadata.name");
  if (kind == nullptr || kind->StringOr("") != Type().kind || name == nullptr) {
    return InvalidError("not a CustomResourceDefinition: " + definition.Write().substr(0, 80));
  }
  return name->StringOr("");
}

// Empty when there is none.
Result<std::string> VersionBefore(kube::Client& client, const std::string& name,
                                  const WaitLimit& limit) {
  const auto before = client.Get(Type(), {"", name}, limit);
  if (before.status().reason() == kube::reason::kNotFound) {
    return "";
  }
  RETURN_IF_ERROR(before);
  return before->meta().resource_version();
}

}  // namespace

std::vector<json::Value> RenderDefinitions(const CrdOptions& options) {
  std::vector<json::Value> rendered;
  for (schema::ResourceDefinition definition : api::AllDefinitions()) {
    if (definition.conversion.has_value()) {
      definition.conversion->service_namespace = options.service_namespace;
      definition.conversion->service_name = options.service_name;
    }
    if (!options.version.empty()) {
      definition.annotations.emplace_back(kVersionAnnotation, options.version);
    }
    rendered.push_back(schema::ToCrd(definition));
  }
  return rendered;
}

std::string_view AppliedName(Applied applied) {
  switch (applied) {
    case Applied::kCreated:
      return "created";
    case Applied::kUpdated:
      return "updated";
    case Applied::kUnchanged:
      break;
  }
  return "unchanged";
}

Result<Applied> ApplyDefinition(kube::Client& client, const json::Value& definition,
                                const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const std::string name, NameOf(definition));
  ASSIGN_OR_RETURN(const std::string before, VersionBefore(client, name, limit));
  const json::Blob body = definition.ToBlob();
  ASSIGN_OR_RETURN(const kube::Object after,
                   client.Apply(Type(), {"", name}, body.view(), limit,
                                {.field_manager = std::string(kCrdFieldManager), .force = true}));
  if (before.empty()) {
    return Applied::kCreated;
  }
  return after.meta().resource_version() == before ? Applied::kUnchanged : Applied::kUpdated;
}

Status ApplyDefinitions(kube::Client& client, const std::vector<json::Value>& definitions,
                        const WaitLimit& limit,
                        const std::function<void(const std::string& name, Applied applied)>& tell) {
  for (const json::Value& definition : definitions) {
    ASSIGN_OR_RETURN(const Applied applied, ApplyDefinition(client, definition, limit));
    tell(definition.FindPath("metadata.name")->string(), applied);
  }
  return {};
}

std::vector<std::string> NotServed(const std::vector<json::Value>& definitions,
                                   const std::vector<kube::Discovery::Entry>& served) {
  std::vector<std::string> missing;
  for (const json::Value& definition : definitions) {
    const std::string group = definition.FindPath("spec.group")->string();
    const std::string kind = definition.FindPath("spec.names.kind")->string();
    const auto& versions = definition.FindPath("spec.versions")->items();
    const bool all = std::all_of(versions.begin(), versions.end(), [&](const json::Value& version) {
      const std::string name = version.Find("name")->string();
      return !version.Find("served")->boolean() ||
             std::any_of(served.begin(), served.end(), [&](const kube::Discovery::Entry& entry) {
               return entry.type.group == group && entry.type.kind == kind &&
                      entry.type.version == name;
             });
    });
    if (!all) {
      missing.push_back(definition.FindPath("metadata.name")->string());
    }
  }
  return missing;
}

Status AwaitServed(kube::Discovery& discovery, Clock& clock,
                   const std::vector<json::Value>& definitions, const WaitLimit& limit) {
  while (true) {
    discovery.Invalidate();
    ASSIGN_OR_RETURN(const auto served, discovery.All(limit));
    const std::vector<std::string> missing = NotServed(definitions, served);
    if (missing.empty()) {
      return {};
    }
    // A poll: a definition is established before its kind is listed, and of that nobody tells.
    static_cast<void>(SleepFor(clock, std::chrono::milliseconds(100), limit.stop));
    RETURN_IF_ERROR(
        limit.Check(clock, fmt::format("the server does not serve {} yet", Join(missing, ", "))));
  }
}

}  // namespace hearth::operator_app
