#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/status.h"
#include "controller/conditions.h"
#include "grove/model/facts.h"

namespace hearth::grove {

// ReplicaFailure: True while what should be there cannot be made, or what should go cannot be
// deleted; absent otherwise. The reason tells who refuses: QuotaExceeded, WebhookUnavailable,
// DeniedByAdmission, Forbidden, Invalid, NameConflict, else `otherwise`.
controller::Condition ReplicaFailure(const Status& failure, std::string_view what,
                                     int64_t generation,
                                     std::string_view otherwise = "FailedCreate");
// Of pods that cannot be made.
controller::Condition ReplicaFailure(const Status& failure, size_t pods, int64_t generation);

// Its reason while pods of a former PodClique are long in ending.
inline constexpr std::string_view kIndexHeld = "IndexHeld";

// Whether pods were refused when they were last tried.
bool HasReplicaFailure(const CliqueFacts& clique);

}  // namespace hearth::grove
