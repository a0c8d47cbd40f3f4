#include "claims/template.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace hearth::claims {
namespace {

using json::Value;

constexpr std::string_view kInternal = "internal/";

Value MemberOf(const Value& object, std::string_view name) {
  const Value* member = object.Find(name);
  return member == nullptr ? Value() : *member;
}

// "<namespace>/<name>/<uid>" of "<namespace>/<name>/<uid>/<resourceVersion>"; empty for others.
std::string_view Incarnation(std::string_view identity) {
  return std::count(identity.begin(), identity.end(), '/') == 3
             ? identity.substr(0, identity.rfind('/'))
             : std::string_view();
}

}  // namespace

Template ExternalTemplate(ApiVersion version, json::View object) {
  const kube::Meta meta(object);
  return {.identity = fmt::format("{}/{}/{}/{}", meta.name_space(), meta.name(), meta.uid(),
                                  meta.resource_version()),
          .metadata = Value(object["spec"]["metadata"]),
          .spec = SpecFrom(version, Value(object["spec"]["spec"]))};
}

bool SameTemplate(std::string_view a, std::string_view b) {
  const std::string_view one = Incarnation(a);
  const std::string_view other = Incarnation(b);
  return one.empty() || other.empty() || one == other;
}

kube::ObjectKey ExternalKey(std::string_view set_name_space, const Sharing& entry) {
  return {entry.name_space.empty() ? std::string(set_name_space) : entry.name_space, entry.name};
}

Result<Template> ResolveTemplate(
    const std::vector<api::grove::ResourceClaimTemplate>& internal_templates,
    std::string_view set_name_space, const Sharing& entry, const FindExternal& find_external) {
  const auto internal =
      std::find_if(internal_templates.begin(), internal_templates.end(),
                   [&](const auto& candidate) { return candidate.name == entry.name; });
  if (entry.name_space.empty() && internal != internal_templates.end()) {
    return Template{.identity = fmt::format("{}{}", kInternal, entry.name),
                    .metadata = MemberOf(internal->template_spec, "metadata"),
                    .spec = MemberOf(internal->template_spec, "spec")};
  }
  const kube::ObjectKey key = ExternalKey(set_name_space, entry);
  auto found = find_external(key);
  if (found.ok() || found.status().message().find(key.ToString()) != std::string_view::npos) {
    return found;
  }
  return found.status().WithContext(fmt::format("ResourceClaimTemplate {}", key.ToString()));
}

}  // namespace hearth::claims
