#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "claims/level.h"
#include "claims/versions.h"
#include "json/value.h"
#include "json/view.h"

namespace hearth::claims {

// Where the spec of a claim comes from.
struct Template {
  std::string identity;  // "internal/<name>", "<namespace>/<name>/<uid>/<resourceVersion>"
  json::Value metadata;  // labels and annotations to hand on; null: none
  json::Value spec;      // resource.k8s.io/v1 ResourceClaimSpec
};

// A ResourceClaimTemplate of the cluster, as served in that version.
Template ExternalTemplate(ApiVersion version, json::View object);
// Whether two identities are of one external template: what it says cannot be changed, only
// replaced. True when either is unknown or of a template inside a set.
bool SameTemplate(std::string_view a, std::string_view b);

// kNotFound: there is no such template; kPermissionDenied: it may not be used.
using FindExternal = std::function<Result<Template>(const kube::ObjectKey& key)>;

// Which template of the cluster an entry means when none of the set is meant.
kube::ObjectKey ExternalKey(std::string_view set_name_space, const Sharing& entry);

// One inside the set when the entry has no namespace and there is one of the name; else that of the
// cluster. Fails as find_external does, with a message that names "<namespace>/<name>".
Result<Template> ResolveTemplate(
    const std::vector<api::grove::ResourceClaimTemplate>& internal_templates,
    std::string_view set_name_space, const Sharing& entry, const FindExternal& find_external);

}  // namespace hearth::claims
