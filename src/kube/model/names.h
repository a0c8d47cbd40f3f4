#pragma once

#include <compare>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hearth::kube {

// A kind of resource as the API serves it. `name` is the plural in URLs ("pods"), `kind` what
// objects carry ("Pod").
struct ResourceType {
  std::string group;  // "" for core
  std::string version;
  std::string name;
  std::string kind;
  bool namespaced = true;

  std::string ApiVersion() const;  // "v1", "apps/v1"
  std::string ToString() const;    // "pods", "deployments.apps"
  friend auto operator<=>(const ResourceType&, const ResourceType&) = default;
};

// "apps/v1" -> {"apps", "v1"}; "v1" -> {"", "v1"}.
struct GroupVersion {
  std::string group;
  std::string version;
  static Result<GroupVersion> Parse(std::string_view api_version);
};

// Names one object of a known type.
struct ObjectKey {
  std::string name_space;  // empty for cluster-scoped
  std::string name;

  std::string ToString() const;  // "ns/name" or "name"
  static Result<ObjectKey> Parse(std::string_view text);
  friend auto operator<=>(const ObjectKey&, const ObjectKey&) = default;
};

struct ObjectKeyHash {
  size_t operator()(const ObjectKey& key) const;
};

// The built-in types the runtime itself uses.
namespace types {
const ResourceType& Namespaces();
const ResourceType& Pods();
const ResourceType& ConfigMaps();
const ResourceType& Secrets();
const ResourceType& Services();
const ResourceType& ServiceAccounts();
const ResourceType& Nodes();
const ResourceType& Leases();                     // coordination.k8s.io/v1
const ResourceType& Events();                     // events.k8s.io/v1
const ResourceType& Deployments();                // apps/v1
const ResourceType& CustomResourceDefinitions();  // apiextensions.k8s.io/v1
}  // namespace types

// RFC 1123 checks as the API server makes them; kInvalid says which rule is broken.
Status CheckDnsLabel(std::string_view name);
Status CheckDnsSubdomain(std::string_view name);

// Whether the key is the address of one object of this type. An empty name would be that of the
// whole collection, and dots or slashes lead elsewhere: a DELETE must reach neither.
Status CheckKey(const ResourceType& type, const ObjectKey& key);

}  // namespace hearth::kube
