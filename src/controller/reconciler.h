#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/clock.h"
#include "base/result.h"
#include "controller/pass.h"
#include "kube/model/names.h"

namespace hearth::controller {

// What a successful pass wants next. "Look again later" is an outcome, not an error.
class Outcome {
 public:
  static Outcome Done() { return Outcome(std::nullopt); }
  static Outcome After(Duration delay) { return Outcome(delay); }
  const std::optional<Duration>& delay() const { return delay_; }

 private:
  explicit Outcome(std::optional<Duration> delay) : delay_(delay) {}
  std::optional<Duration> delay_;
};

// Makes the world as one object wants it. Called on worker threads, for one key at a time each; may
// block within pass.limit(). Also called for an object that is gone. A failure is tried again with
// growing delays; a TerminalError is not, until an input changes, and neither is an object that the
// API server calls "Invalid".
class Reconciler {
 public:
  virtual ~Reconciler() = default;
  virtual Result<Outcome> Reconcile(Pass& pass, const kube::ObjectKey& key) = 0;
};

// The reason of a failure that another try cannot mend.
inline constexpr std::string_view kTerminalError = "TerminalError";
inline Status TerminalError(std::string message) {
  return {Code::kInvalid, std::string(kTerminalError), std::move(message)};
}

}  // namespace hearth::controller
