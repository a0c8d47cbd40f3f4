#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "gms/core/domain.h"

namespace hearth::gms {

// Keeps everybody out of both domains of a device while its owner is captured. Prepared only when
// nobody holds a lease and no writer waits, weights are committed and kv_cache is empty; who waits
// nevertheless, a reader of kv_cache, is turned away. Ended by abort or complete with the token, by
// its deadline, or when its owner goes. Pure; not thread-safe. After each call take the effects of
// both domains. Errors carry a reason of refusals.h.
class CheckpointFence {
 public:
  // Both must outlive the fence.
  CheckpointFence(Domain& weights, Domain& kv_cache) : weights_(weights), kv_cache_(kv_cache) {}

  struct State {
    bool ready = false;                // wire: checkpoint_ready, else serving
    std::optional<std::string> token;  // while ready
  };
  // Asked again while ready, the same token; deadline and owner are those of the last call.
  // kConflict with upstream's words when something is in the way. `new_token` is taken when a fence
  // goes up; `owner`: a pid whose end takes the fence down, 0 for none.
  Result<State> Prepare(std::string new_token, SteadyTime deadline = SteadyTime::max(),
                        int owner = 0);
  // The same again after success succeeds again. kInvalid, kConflict with upstream's words
  // otherwise.
  Result<State> Abort(std::string_view token) { return Resolve(token, Resolution::kAborted); }
  Result<State> Complete(std::string_view token) { return Resolve(token, Resolution::kCompleted); }
  State state() const;
  // Takes it down when its time is over. This, and the end of the owner, count as an abort.
  void Expire(SteadyTime now);
  void OwnerGone(int owner);
  SteadyTime deadline() const { return deadline_; }
  int owner() const { return owner_; }

 private:
  enum class Resolution : uint8_t { kAborted, kCompleted };
  Result<State> Resolve(std::string_view token, Resolution resolution);
  Status Obstacle() const;
  void Lower(Resolution resolution);

  Domain& weights_;
  Domain& kv_cache_;
  std::optional<std::string> token_;
  SteadyTime deadline_ = SteadyTime::max();
  int owner_ = 0;
  std::string resolved_token_;
  std::optional<Resolution> resolution_;
};

}  // namespace hearth::gms
