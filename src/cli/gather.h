#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/wait_limit.h"
#include "grove/view/cluster_facts.h"
#include "kube/client/client.h"

namespace hearth::cli {

// The reason of kNotFound when the cluster has sets, but not this one.
inline constexpr std::string_view kNoSuchSet = "NoSuchSet";

// A set and all that belongs to it. Reads only. kNotFound: there is no such set (kNoSuchSet), with
// the one that was probably meant, or the cluster does not know the kind.
Result<grove::ClusterObjects> GatherSet(kube::Client& client, const kube::ObjectKey& set,
                                        const WaitLimit& limit);

}  // namespace hearth::cli
