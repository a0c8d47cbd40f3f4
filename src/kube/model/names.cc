#include "kube/model/names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "base/strings.h"

namespace hearth::kube {
namespace {

constexpr size_t kMaxLabelBytes = 63;
constexpr size_t kMaxSubdomainBytes = 253;

bool IsLowerAlphanumeric(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// One label without its length: the API server limits a subdomain as a whole only.
bool LooksLikeDnsLabel(std::string_view label) {
  return !label.empty() && IsLowerAlphanumeric(label.front()) &&
         IsLowerAlphanumeric(label.back()) && std::all_of(label.begin(), label.end(), [](char c) {
           return IsLowerAlphanumeric(c) || c == '-';
         });
}

Status CheckLength(std::string_view name, size_t limit) {
  if (name.empty()) {
    return InvalidError("a name must not be empty");
  }
  if (name.size() > limit) {
    return InvalidError(fmt::format("the name \"{}\" has {} characters; {} are allowed",
                                    Excerpt(name, 80), name.size(), limit));
  }
  return Status::Ok();
}

Status CheckStep(std::string_view what, std::string_view step) {
  if (step.empty()) {
    return InvalidError(fmt::format("the {} of the object is missing", what));
  }
  if (step == "." || step == ".." || step.find_first_of("/%") != std::string_view::npos) {
    return InvalidError(fmt::format(
        "the {} \"{}\" is \".\" or \"..\", or holds a '/' or '%'; no object has such a one", what,
        Excerpt(step, 80)));
  }
  return Status::Ok();
}

ResourceType Type(std::string_view group, std::string_view version, std::string_view name,
                  std::string_view kind, bool namespaced) {
  return {std::string(group), std::string(version), std::string(name), std::string(kind),
          namespaced};
}

}  // namespace

std::string ResourceType::ApiVersion() const {
  return group.empty() ? version : group + "/" + version;
}

std::string ResourceType::ToString() const { return group.empty() ? name : name + "." + group; }

Result<GroupVersion> GroupVersion::Parse(std::string_view api_version) {
  const auto parts = Split(api_version, '/');
  const bool empty_part =
      std::any_of(parts.begin(), parts.end(), [](std::string_view part) { return part.empty(); });
  if (parts.size() > 2 || empty_part) {
    return InvalidError(fmt::format("apiVersion \"{}\" must be \"version\" or \"group/version\"",
                                    Excerpt(api_version, 80)));
  }
  if (parts.size() == 1) {
    return GroupVersion{"", std::string(parts[0])};
  }
  return GroupVersion{std::string(parts[0]), std::string(parts[1])};
}

std::string ObjectKey::ToString() const {
  return name_space.empty() ? name : name_space + "/" + name;
}

Result<ObjectKey> ObjectKey::Parse(std::string_view text) {
  const auto parts = Split(text, '/');
  if (parts.size() > 2 || parts.front().empty() || parts.back().empty()) {
    return InvalidError(
        fmt::format("\"{}\" must be \"name\" or \"namespace/name\"", Excerpt(text, 80)));
  }
  if (parts.size() == 1) {
    return ObjectKey{"", std::string(parts[0])};
  }
  return ObjectKey{std::string(parts[0]), std::string(parts[1])};
}

size_t ObjectKeyHash::operator()(const ObjectKey& key) const {
  return HashBytes(key.name, HashBytes(key.name_space));
}

namespace types {

const ResourceType& Namespaces() {
  static const ResourceType type = Type("", "v1", "namespaces", "Namespace", false);
  return type;
}

const ResourceType& Pods() {
  static const ResourceType type = Type("", "v1", "pods", "Pod", true);
  return type;
}

const ResourceType& ConfigMaps() {
  static const ResourceType type = Type("", "v1", "configmaps", "ConfigMap", true);
  return type;
}

const ResourceType& Secrets() {
  static const ResourceType type = Type("", "v1", "secrets", "Secret", true);
  return type;
}

const ResourceType& Services() {
  static const ResourceType type = Type("", "v1", "services", "Service", true);
  return type;
}

const ResourceType& ServiceAccounts() {
  static const ResourceType type = Type("", "v1", "serviceaccounts", "ServiceAccount", true);
  return type;
}

const ResourceType& Nodes() {
  static const ResourceType type = Type("", "v1", "nodes", "Node", false);
  return type;
}

const ResourceType& Leases() {
  static const ResourceType type = Type("coordination.k8s.io", "v1", "leases", "Lease", true);
  return type;
}

const ResourceType& Events() {
  static const ResourceType type = Type("events.k8s.io", "v1", "events", "Event", true);
  return type;
}

const ResourceType& Deployments() {
  static const ResourceType type = Type("apps", "v1", "deployments", "Deployment", true);
  return type;
}

const ResourceType& CustomResourceDefinitions() {
  static const ResourceType type = Type("apiextensions.k8s.io", "v1", "customresourcedefinitions",
                                        "CustomResourceDefinition", false);
  return type;
}

}  // namespace types

Status CheckDnsLabel(std::string_view name) {
  RETURN_IF_ERROR(CheckLength(name, kMaxLabelBytes));
  if (!LooksLikeDnsLabel(name)) {
    return InvalidError(
        fmt::format("the name \"{}\" must consist of lower case letters, digits and '-', and begin "
                    "and end with a letter or digit",
                    Excerpt(name, 80)));
  }
  return Status::Ok();
}

Status CheckDnsSubdomain(std::string_view name) {
  RETURN_IF_ERROR(CheckLength(name, kMaxSubdomainBytes));
  const auto labels = Split(name, '.');
  if (!std::all_of(labels.begin(), labels.end(), LooksLikeDnsLabel)) {
    return InvalidError(
        fmt::format("the name \"{}\" must consist of lower case letters, digits, '-' and '.', and "
                    "each part between dots must begin and end with a letter or digit",
                    Excerpt(name, 80)));
  }
  return Status::Ok();
}

Status CheckKey(const ResourceType& type, const ObjectKey& key) {
  if (type.namespaced) {
    RETURN_IF_ERROR(CheckStep("name space", key.name_space));
  }
  return CheckStep("name", key.name);
}

}  // namespace hearth::kube
