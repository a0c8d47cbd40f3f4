#include "cli/gather.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <vector>

#include "base/nearest_name.h"
#include "claims/versions.h"
#include "grove/model/labels.h"
#include "grove/model/types.h"
#include "kube/client/discovery.h"

namespace hearth::cli {
namespace {

using kube::Object;
using kube::ResourceType;

constexpr int64_t kPage = 500;

class Gatherer {
 public:
  Gatherer(kube::Client& client, const kube::ObjectKey& set, const WaitLimit& limit)
      : client_(client), key_(set), limit_(limit) {}

  Result<grove::ClusterObjects> Gather() {
    ASSIGN_OR_RETURN(found_.set, GetSet());
    ASSIGN_OR_RETURN(found_.groups, List(grove::PodCliqueScalingGroups(), PartsOfSet()));
    ASSIGN_OR_RETURN(found_.cliques, List(grove::PodCliques(), PartsOfSet()));
    ASSIGN_OR_RETURN(found_.gangs, List(grove::PodGangs(), PartsOfSet()));
    ASSIGN_OR_RETURN(found_.pods, List(kube::types::Pods(), PartsOfSet()));
    RETURN_IF_ERROR(GatherClaims());
    return std::move(found_);
  }

 private:
  std::string PartsOfSet() const {
    return fmt::format("{}={},{}={}", grove::kManagedByLabel, grove::kManagedBy,
                       grove::kPartOfLabel, key_.name);
  }

  Result<std::vector<Object>> List(const ResourceType& type, const std::string& selector) {
    std::vector<Object> objects;
    RETURN_IF_ERROR(client_.ListAll(type, key_.name_space, limit_,
                                    {.label_selector = selector, .limit = kPage},
                                    [&](const Object& object) {
                                      objects.push_back(object);
                                      return Status::Ok();
                                    }));
    return objects;
  }

  Result<Object> GetSet() {
    auto set = client_.Get(grove::PodCliqueSets(), key_, limit_);
    if (set.ok() || !set.status().Is(Code::kNotFound)) {
      return set;
    }
    const auto others = List(grove::PodCliqueSets(), "");
    if (!others.ok()) {
      return others.status().Is(Code::kNotFound)
                 ? NotFoundError("the cluster knows no PodCliqueSets; is the operator installed?")
                 : others.status();
    }
    std::vector<std::string> names;
    for (const Object& other : *others) {
      names.push_back(other.meta().name());
    }
    const std::string near = NearestName(key_.name, names);
    return NotFoundError(fmt::format("there is no PodCliqueSet {} in namespace {}{}", key_.name,
                                     key_.name_space,
                                     near.empty() ? "" : "; did you mean " + near + "?"))
        .WithReason(kNoSuchSet);
  }

  // Those with the set's labels, and others that its pods name.
  Status GatherClaims() {
    ASSIGN_OR_RETURN(const auto version, ClaimVersion());
    found_.serves_claims = version.has_value();
    if (!version) {
      return Status::Ok();
    }
    const ResourceType& type = claims::ResourceClaims(*version);
    ASSIGN_OR_RETURN(found_.claims, List(type, PartsOfSet()));
    std::set<std::string> known;
    for (const Object& claim : found_.claims) {
      known.insert(claim.meta().name());
    }
    for (const std::string& name : NamedByPods()) {
      if (known.contains(name)) {
        continue;
      }
      auto claim = client_.Get(type, {key_.name_space, name}, limit_);
      if (claim.ok()) {
        found_.claims.push_back(*std::move(claim));
      } else if (!claim.status().Is(Code::kNotFound)) {
        return claim.status();
      }
    }
    return Status::Ok();
  }

  std::set<std::string> NamedByPods() const {
    std::set<std::string> names;
    for (const Object& pod : found_.pods) {
      for (const json::View claim : pod["spec"]["resourceClaims"].items()) {
        if (claim["resourceClaimName"].IsString()) {
          names.insert(claim["resourceClaimName"].StringOr(""));
        }
      }
    }
    return names;
  }

  Result<std::optional<claims::ApiVersion>> ClaimVersion() {
    kube::Discovery discovery(client_, RealClock());
    ASSIGN_OR_RETURN(const auto served, discovery.All(limit_));
    std::vector<std::string> versions;
    for (const auto& entry : served) {
      if (entry.type.group == "resource.k8s.io" && entry.type.kind == "ResourceClaim") {
        versions.push_back(entry.type.version);
      }
    }
    return claims::ChooseVersion(versions);
  }

  kube::Client& client_;
  const kube::ObjectKey& key_;
  const WaitLimit& limit_;
  grove::ClusterObjects found_;
};

}  // namespace

Result<grove::ClusterObjects> GatherSet(kube::Client& client, const kube::ObjectKey& set,
                                        const WaitLimit& limit) {
  RETURN_IF_ERROR(kube::CheckDnsSubdomain(set.name).WithContext(set.name));
  return Gatherer(client, set, limit).Gather();
}

}  // namespace hearth::cli
