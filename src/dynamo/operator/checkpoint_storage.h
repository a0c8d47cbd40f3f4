#pragma once

#include <string>

#include "base/result.h"
#include "controller/pass.h"
#include "dynamo/checkpoint/storage.h"

namespace hearth::dynamo {

// Where the checkpoints of a namespace are kept: as configured, else as the agents there have it.
// kNotFound names the namespace and what to do.
Result<Storage> FindStorage(kube::Client& client, const WaitLimit& limit,
                            const StorageConfig& config, const std::string& name_space);

// The same, and its claim is there: made when it was asked for. kNotFound: there is none and it may
// not be made.
Result<Storage> EnsureStorage(controller::Pass& pass, const StorageConfig& config,
                              const std::string& name_space);

}  // namespace hearth::dynamo
