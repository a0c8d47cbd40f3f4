#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "base/clock.h"

namespace hearth::bench {

// Names of what is measured.
namespace metric {
inline constexpr const char* kIdleBytes = "idle_bytes";          // resident, with nothing to watch
inline constexpr const char* kResidentBytes = "resident_bytes";  // with all Pods, at rest
inline constexpr const char* kPeakBytes = "peak_bytes";          // until then
inline constexpr const char* kFewBytes = "few_bytes";  // resident, with the first few Pods
inline constexpr const char* kDecodeSeconds = "decode_seconds";  // per event
inline constexpr const char* kBytesPerPod = "bytes_per_pod";
inline constexpr const char* kSyncSeconds =
    "sync_seconds";  // from the start until all Pods are in the cache
inline constexpr const char* kCurlSeconds = "curl_seconds";  // right after that
inline constexpr const char* kListedBytesPerPod = "listed_bytes_per_pod";
inline constexpr const char* kStartSeconds =
    "start_seconds";  // from the start to the first request
inline constexpr const char* kReconcilesPerSecond = "reconciles_per_second";
inline constexpr const char* kQueueSeconds = "queue_seconds";        // per item
inline constexpr const char* kValidateSeconds = "validate_seconds";  // all manifests
inline constexpr const char* kValidateOneSeconds = "validate_one_seconds";
inline constexpr const char* kAdmissionP99Seconds = "admission_p99_seconds";
inline constexpr const char* kToBetaSeconds = "to_v1beta1_seconds";
inline constexpr const char* kToAlphaSeconds = "to_v1alpha1_seconds";
// Of the event phases, with the rate behind: "cpu_per_event@100".
inline constexpr const char* kCpuPerEvent = "cpu_per_event";
inline constexpr const char* kLatencyP50 = "p50_us";
inline constexpr const char* kLatencyP99 = "p99_us";
inline constexpr const char* kLatencyP999 = "p999_us";
inline constexpr const char* kAchievedRate = "achieved_per_second";
inline constexpr const char* kCpuPerBurstEvent = "cpu_per_burst_event";
std::string At(const char* name, int rate);
}  // namespace metric

struct EventPhase {
  int per_second = 0;
  size_t changes = 0;
};

// How large and how long everything is.
struct Plan {
  size_t pods = 6000;
  size_t few_pods = 100;  // enough for everything to have been used once
  size_t decode_events = 20000;
  size_t rounds = 7;
  std::vector<EventPhase> phases = {{10, 30}, {100, 1000}, {200, 2000}};
  // Changes that wait in the connection when the contestant gets to run. Few enough for the server
  // not to give up on the watch.
  size_t burst_changes = 200;
  size_t bursts = 5;
  size_t storm_rounds = 3;
  size_t queue_items = 200000;
  size_t manifests = 1000;
  size_t validate_starts = 20;                // in each round
  size_t validate_rounds = 3;                 // at most: kubectl takes its time
  size_t door_runs = 2000;                    // of admission and of conversion, in each round
  Duration settle = std::chrono::seconds(3);  // before memory is read
  static Plan Quick();
};

}  // namespace hearth::bench
