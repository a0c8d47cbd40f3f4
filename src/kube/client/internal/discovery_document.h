#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "http/message.h"
#include "json/view.h"
#include "kube/client/discovery.h"

// What a server's discovery documents say. Pure.
namespace hearth::kube::internal {

// What to send as Accept: aggregated documents if the server has them, else the plain ones.
inline constexpr std::string_view kAggregatedAccept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
    "application/json";

// One version of a group, as the plain documents name them; the preferred version of a group first.
struct ServedVersion {
  std::string group;
  std::string version;
  std::string Path() const;  // "/api/v1", "/apis/apps/v1"
};

// From an APIGroupDiscoveryList, in its order: groups by priority, preferred versions first.
std::vector<Discovery::Entry> ReadAggregated(json::View document);
// From APIVersions (/api) or an APIGroupList (/apis).
std::vector<ServedVersion> ReadVersions(json::View document);
// From the APIResourceList of one version.
std::vector<Discovery::Entry> ReadResources(const ServedVersion& version, json::View document);

bool IsAggregated(json::View document);

}  // namespace hearth::kube::internal
