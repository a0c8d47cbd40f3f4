#pragma once

#include "base/result.h"
#include "kube/config/config.h"
#include "kube/config/internal/kubeconfig_document.h"

namespace hearth::kube::internal {

// The exec plugin of a user entry. `config` has what is known of the cluster so far.
Result<ExecPlugin> ReadExec(const KubeconfigEntry& user, const KubeconfigEntry& cluster,
                            const Config& config);

}  // namespace hearth::kube::internal
