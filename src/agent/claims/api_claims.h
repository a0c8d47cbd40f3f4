#pragma once

#include <memory>

#include "agent/cuda/gpu_discovery.h"
#include "base/clock.h"
#include "kube/client/client.h"
#include "kube/client/discovery.h"

namespace hearth::agent {

struct ApiClaimsOptions {
  Duration answer = std::chrono::seconds(10);  // for each question: a container waits meanwhile
};

// Asks the API server, in the version of its claims that it prefers (v1, or an older beta). Errors
// are those of kube::Client; kNotFound with reason "NoMatch" where the server has no claims at all.
// What is passed must outlive it.
std::unique_ptr<cuda::ClaimReader> MakeApiClaims(kube::Client& client, kube::Discovery& discovery,
                                                 Clock& clock, ApiClaimsOptions options = {});

}  // namespace hearth::agent
