#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "json/value.h"
#include "kube/model/names.h"

// The three versions in which clusters serve resource.k8s.io. Ours is v1.
namespace hearth::claims {

enum class ApiVersion { kV1, kV1Beta2, kV1Beta1 };

// The best of what is served ("v1", "v1beta1", ...); nothing: none.
std::optional<ApiVersion> ChooseVersion(const std::vector<std::string>& served);
const kube::ResourceType& ResourceClaims(ApiVersion version);
const kube::ResourceType& ResourceClaimTemplates(ApiVersion version);

// A claim's spec from v1 into that version: v1beta1 has a request's fields beside its name, the
// others under `exactly`. And back. kInvalid: v1beta1 cannot say it.
Result<json::Value> SpecTo(ApiVersion version, json::Value spec);
json::Value SpecFrom(ApiVersion version, json::Value spec);
// A whole v1 claim, as plans have it, into what is sent.
Result<json::Value> ClaimTo(ApiVersion version, json::Value claim);

}  // namespace hearth::claims
