#pragma once

#include "controller/cached.h"
#include "controller/reconciler.h"
#include "dynamo/checkpoint/checkpoint_job.h"
#include "dynamo/checkpoint/storage.h"
#include "dynamo/operator/resources.h"

namespace hearth::dynamo {

struct CleanUpOptions {
  StorageConfig storage;
  CleanupOptions job;
};

// The end of a DynamoCheckpoint: its artifacts are removed by a Job, then it may go. It never stays
// for artifacts that cannot be removed: when the namespace ends as well, the storage is gone, or
// the Job fails three times, a warning says what was left behind, and it goes.
Result<controller::Outcome> CleanUp(controller::Pass& pass, const controller::CachedObject& cached,
                                    const CheckpointFacts& checkpoint,
                                    const controller::Cached<JobFields>& jobs,
                                    const CleanUpOptions& options);

}  // namespace hearth::dynamo
