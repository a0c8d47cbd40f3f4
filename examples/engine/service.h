#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string>

#include "base/clock.h"
#include "http/message.h"
#include "model.h"
#include "weights.h"

namespace hearth::engine {

// What the engine is doing, for whoever asks. In standby another engine of its group serves.
enum class Phase { kLoading, kAsleep, kStandby, kServing };

// The engine behind its HTTP routes:
//
//   POST /v1/completions {"prompt": "...", "max_tokens": 8}
//                       the next letters; counts the request
//   GET  /state         phase, how it started, requests served, digest of all answers so far,
//                       origin of the weights
//   POST /sleep, /wake  gives the weights back, takes them again at the same addresses
//   GET  /live          200: somebody is there
//   GET  /health        200 while serving, or ready to take over from the engine that serves
//   GET  /healthz       200 while serving
//
// The count and the digest live in this process only: they tell whether a restored process is the
// one that was captured. Thread-safe.
class Service {
 public:
  void SetPhase(Phase phase);
  // It did not start here: it was captured elsewhere, and restored.
  void SetRestored();
  // /health says 200 while loading, too.
  void SetReadyFromTheStart(bool ready);
  // Takes the weights over once they are loaded. Must outlive the service.
  void SetWeights(Weights& weights, Calibration calibration);

  http::Response Handle(const http::Request& request);

  Status Sleep();
  Status Wake();

 private:
  http::Response Complete(const http::Request& request);
  http::Response State();
  http::Response Health(bool standby_counts);

  std::mutex moving_;  // one sleeps or wakes at a time; taken before the other
  std::mutex mutex_;
  Phase phase_ = Phase::kLoading;
  bool restored_ = false;
  bool ready_from_the_start_ = false;
  Weights* weights_ = nullptr;
  bool awake_ = false;
  Calibration calibration_;
  uint64_t requests_ = 0;
  uint64_t digest_ = 0;
};

}  // namespace hearth::engine
