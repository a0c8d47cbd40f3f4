#include "agent/claims/api_claims.h"

#include <fmt/format.h>

#include "agent/cuda/dra.h"

namespace hearth::agent {
namespace {

constexpr std::string_view kGroup = "resource.k8s.io";

class ApiClaims : public cuda::ClaimReader {
 public:
  ApiClaims(kube::Client& client, kube::Discovery& discovery, Clock& clock,
            ApiClaimsOptions options)
      : client_(client), discovery_(discovery), clock_(clock), options_(options) {}

  Result<json::Blob> Pod(std::string_view name_space, std::string_view name,
                         const WaitLimit& limit) override {
    return Get(kube::types::Pods(), name_space, name, limit.AtMost(clock_, options_.answer));
  }

  Result<json::Blob> Claim(std::string_view name_space, std::string_view name,
                           const WaitLimit& limit) override {
    const WaitLimit soon = limit.AtMost(clock_, options_.answer);
    ASSIGN_OR_RETURN(const auto type, discovery_.FindKind(kGroup, "ResourceClaim", "", soon));
    return Get(type, name_space, name, soon);
  }

  Result<std::vector<json::Blob>> SlicesOfNode(std::string_view node,
                                               const WaitLimit& limit) override {
    const WaitLimit soon = limit.AtMost(clock_, options_.answer);
    ASSIGN_OR_RETURN(const auto type, discovery_.FindKind(kGroup, "ResourceSlice", "", soon));
    kube::ListOptions which;
    which.field_selector = fmt::format("spec.nodeName={},spec.driver={}", node, cuda::kGpuDriver);
    ASSIGN_OR_RETURN(const kube::ListPage page, client_.List(type, "", soon, which));
    std::vector<json::Blob> slices;
    slices.reserve(page.items.size());
    for (const kube::Object& slice : page.items) {
      slices.push_back(slice.blob());
    }
    return slices;
  }

 private:
  Result<json::Blob> Get(const kube::ResourceType& type, std::string_view name_space,
                         std::string_view name, const WaitLimit& limit) {
    ASSIGN_OR_RETURN(const kube::Object object,
                     client_.Get(type, {std::string(name_space), std::string(name)}, limit));
    return object.blob();
  }

  kube::Client& client_;
  kube::Discovery& discovery_;
  Clock& clock_;
  const ApiClaimsOptions options_;
};

}  // namespace

std::unique_ptr<cuda::ClaimReader> MakeApiClaims(kube::Client& client, kube::Discovery& discovery,
                                                 Clock& clock, ApiClaimsOptions options) {
  return std::make_unique<ApiClaims>(client, discovery, clock, options);
}

}  // namespace hearth::agent
