#pragma once

#include <cstdint>

#include "grove/model/facts.h"
#include "grove/plan/clique_status.h"

namespace hearth::grove {

// Whatever a spec says, no object gets more replicas than this: Kubernetes is made for clusters of
// 150,000 pods, and what a pass takes grows with the number.
inline constexpr int32_t kMostReplicas = 150'000;

// Bounds a number of replicas; what it was.
int32_t Bound(int32_t& replicas);
// What a group or a clique asks for.
int32_t AskedReplicas(const controller::CachedObject& part);
// All numbers of a set and its templates; the largest, as it was.
int32_t Bound(SetFacts& set);

// ReplicaFailure TooManyReplicas, when more are asked for and nothing worse is to be said.
void NoteTooMany(int32_t asked, int64_t generation, PassNotes& notes);

}  // namespace hearth::grove
