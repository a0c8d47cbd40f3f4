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

// What the engine is doing, for whoever asks.
enum class Phase { kLoading, kStandby, kServing };

// The engine behind its HTTP routes:
//
//   POST /v1/completions {"prompt": "...", "max_tokens": 8}   the next letters; counts the request
//   GET  /state                                               phase, requests served, digest of all
//   answers so far, origin of the weights POST /sleep, /wake gives the weights back, takes them
//   again at the same addresses GET  /healthz                                             200 while
//   serving
//
// The count and the digest live in this process only: they tell whether a restored process is the
// one that was captured. Thread-safe.
class Service {
 public:
  void SetPhase(Phase phase);
  // Takes the weights over once they are loaded. Must outlive the service.
  void SetWeights(Weights& weights, Calibration calibration);

  http::Response Handle(const http::Request& request);

  Status Sleep();
  Status Wake();

 private:
  http::Response Complete(const http::Request& request);
  http::Response State();

  std::mutex mutex_;
  Phase phase_ = Phase::kLoading;
  Weights* weights_ = nullptr;
  Calibration calibration_;
  uint64_t requests_ = 0;
  uint64_t digest_ = 0;
};

}  // namespace hearth::engine
