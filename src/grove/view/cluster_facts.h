#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "claims/plan.h"
#include "grove/model/facts.h"
#include "kube/model/object.h"
#include "pods/trouble.h"

// A set and all that belongs to it, as a cluster has it. Pure.
namespace hearth::grove {

struct Device {
  std::string request;
  std::string driver;
  std::string pool;
  std::string name;
};

struct SharedClaim {
  claims::ClaimFacts facts;
  std::vector<Device> devices;
};

// A pod, with what holds it up.
struct PodState {
  PodFacts facts;
  std::string node;
  pods::Trouble trouble;
  std::vector<std::string> foreign_gates;  // that others than us take away
  bool waits_for_start = false;            // its init container for the start order is running
};

struct ClusterObjects {
  kube::Object set;
  std::vector<kube::Object> groups;
  std::vector<kube::Object> cliques;
  std::vector<kube::Object> pods;
  std::vector<kube::Object> gangs;
  std::vector<kube::Object> claims;  // of the set, and those its pods name
  bool serves_claims = true;         // the cluster has ResourceClaims at all
};

struct ClusterFacts {
  SetFacts set;
  std::vector<GroupFacts> groups;
  std::vector<CliqueFacts> cliques;
  std::vector<PodState> pods;
  std::vector<GangFacts> gangs;
  std::vector<SharedClaim> claims;
  bool serves_claims = true;

  // kInvalid: the set cannot be read.
  static Result<ClusterFacts> From(const ClusterObjects& objects);
};

}  // namespace hearth::grove
