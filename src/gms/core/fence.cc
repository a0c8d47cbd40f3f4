#include "gms/core/fence.h"

#include <utility>

#include "base/check.h"
#include "gms/core/refusals.h"

namespace hearth::gms {
namespace {

Status Blocked(std::string message) {
  return Status(Code::kConflict, std::string(refusal::kFenceBlocked), std::move(message));
}

bool InUse(const Domain::Facts& facts) {
  return facts.has_writer || facts.readers != 0 || facts.waiting_writers != 0;
}

}  // namespace

Status CheckpointFence::Obstacle() const {
  const Domain::Facts weights = weights_.Look();
  const Domain::Facts kv_cache = kv_cache_.Look();
  if (InUse(weights)) {
    return Blocked("weights has active or waiting sessions");
  }
  if (InUse(kv_cache)) {
    return Blocked("kv_cache has active or waiting sessions");
  }
  if (!weights.committed) {
    return Blocked("weights must be committed before checkpoint");
  }
  if (kv_cache.committed) {
    return Blocked("kv_cache must not be committed before checkpoint");
  }
  if (weights.allocations == 0) {
    return Blocked("weights must contain committed allocations");
  }
  if (kv_cache.allocations != 0) {
    return Blocked("kv_cache must be empty before checkpoint");
  }
  return {};
}

Result<CheckpointFence::State> CheckpointFence::Prepare(std::string new_token, SteadyTime deadline,
                                                        int owner) {
  CHECK(!new_token.empty());
  if (!token_) {
    RETURN_IF_ERROR(Obstacle());
    token_ = std::move(new_token);
    weights_.SetFenced(true);
    kv_cache_.SetFenced(true);
  }
  deadline_ = deadline;
  owner_ = owner;
  return state();
}

Result<CheckpointFence::State> CheckpointFence::Resolve(std::string_view token,
                                                        Resolution resolution) {
  if (token.empty()) {
    return Status(Code::kInvalid, std::string(refusal::kEmptyToken),
                  "checkpoint token must not be empty");
  }
  if (token_) {
    if (token != *token_) {
      return Status(Code::kConflict, std::string(refusal::kTokenMismatch),
                    "checkpoint token does not match the prepared checkpoint");
    }
    Lower(resolution);
  } else if (token != resolved_token_ || resolution != resolution_) {
    return Status(Code::kConflict, std::string(refusal::kTokenStale),
                  "checkpoint token is stale or already resolved");
  }
  return state();
}

CheckpointFence::State CheckpointFence::state() const { return {token_.has_value(), token_}; }

void CheckpointFence::Lower(Resolution resolution) {
  resolved_token_ = *std::exchange(token_, std::nullopt);
  resolution_ = resolution;
  deadline_ = SteadyTime::max();
  owner_ = 0;
  weights_.SetFenced(false);
  kv_cache_.SetFenced(false);
}

void CheckpointFence::Expire(SteadyTime now) {
  if (token_ && deadline_ != SteadyTime::max() && deadline_ <= now) {
    Lower(Resolution::kAborted);
  }
}

void CheckpointFence::OwnerGone(int owner) {
  if (token_ && owner_ != 0 && owner_ == owner) {
    Lower(Resolution::kAborted);
  }
}

}  // namespace hearth::gms
