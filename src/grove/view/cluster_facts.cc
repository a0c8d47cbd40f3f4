#include "grove/view/cluster_facts.h"

#include <string_view>

#include "grove/model/labels.h"

namespace hearth::grove {
namespace {

using json::View;

constexpr std::string_view kStartOrderContainer = "grove-initc";

SharedClaim ReadClaim(const kube::Object& object) {
  SharedClaim claim{claims::ClaimFacts::From(Identity::Of(object.view()), object.view()), {}};
  for (const View result : object["status"]["allocation"]["devices"]["results"].items()) {
    claim.devices.push_back({result["request"].StringOr(""), result["driver"].StringOr(""),
                             result["pool"].StringOr(""), result["device"].StringOr("")});
  }
  return claim;
}

bool WaitsForStart(View pod) {
  for (const View container : pod["status"]["initContainerStatuses"].items()) {
    if (container["name"].Equals(kStartOrderContainer) && container["state"]["running"].exists()) {
      return true;
    }
  }
  return false;
}

PodState ReadPod(const kube::Object& object) {
  PodState pod;
  pod.facts = PodFacts::From(Identity::Of(object.view()), object.view());
  pod.node = object["spec"]["nodeName"].StringOr("");
  pod.trouble = pods::Trouble::Of(object.view());
  pod.waits_for_start = WaitsForStart(object.view());
  for (const std::string& gate : pod.trouble.gates) {
    if (gate != kGate) {
      pod.foreign_gates.push_back(gate);
    }
  }
  return pod;
}

template <typename Facts>
std::vector<Facts> ReadAll(const std::vector<kube::Object>& objects) {
  std::vector<Facts> facts;
  facts.reserve(objects.size());
  for (const kube::Object& object : objects) {
    facts.push_back(Facts::From(Identity::Of(object.view()), object.view()));
  }
  return facts;
}

}  // namespace

Result<ClusterFacts> ClusterFacts::From(const ClusterObjects& objects) {
  ClusterFacts facts;
  ASSIGN_OR_RETURN(facts.set, SetFacts::From(Identity::Of(objects.set.view()), objects.set.view()));
  facts.groups = ReadAll<GroupFacts>(objects.groups);
  facts.cliques = ReadAll<CliqueFacts>(objects.cliques);
  facts.gangs = ReadAll<GangFacts>(objects.gangs);
  for (const kube::Object& pod : objects.pods) {
    facts.pods.push_back(ReadPod(pod));
  }
  for (const kube::Object& claim : objects.claims) {
    facts.claims.push_back(ReadClaim(claim));
  }
  facts.serves_claims = objects.serves_claims;
  return facts;
}

}  // namespace hearth::grove
