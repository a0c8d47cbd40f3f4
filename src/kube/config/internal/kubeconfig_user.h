#pragma once

#include "base/result.h"
#include "kube/config/config.h"
#include "kube/config/internal/kubeconfig_document.h"

namespace hearth::kube::internal {

// Fills credentials and client certificate of `config` from a user entry. `cluster` is for exec
// plugins that want to know of it.
Status ReadUser(const KubeconfigEntry& user, const KubeconfigEntry& cluster,
                const ConfigSources& sources, Config& config);

// PEM text given inline as base64 or by file; the inline one wins, as for kubectl. `file` is set
// only when it came from one.
Status ReadPem(const KubeconfigEntry& entry, std::string_view member, FileSystem& files,
               std::string& pem, std::string& file);

}  // namespace hearth::kube::internal
