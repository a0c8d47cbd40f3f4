#pragma once

#include <string>

// Names of what is measured. Those of an operator have its name in front: "hearth.created".
namespace hearth::bench {

// Who takes part.
namespace who {
inline constexpr const char* kOurs = "hearth";
inline constexpr const char* kUpstream = "upstream";  // as it comes: 100 requests a second
inline constexpr const char* kUnlimited = "upstream-unlimited";  // without its own limit
}  // namespace who

namespace figure {
// Of an operator, seconds unless said otherwise.
inline constexpr const char* kStart = "start";                // until its first request
inline constexpr const char* kIdleBytes = "idle_bytes";       // resident, with nothing to do
inline constexpr const char* kCreated = "created";            // apply until all pods are there
inline constexpr const char* kReady = "ready";                // until all are ready
inline constexpr const char* kAvailable = "available";        // until the set's status says so
inline constexpr const char* kDeployCpu = "deploy_cpu";       // until it has settled
inline constexpr const char* kRequests = "requests_per_pod";  // until it has settled
inline constexpr const char* kWrites = "writes_per_object";   // without statuses and events
inline constexpr const char* kSetStatus = "set_status_writes";
inline constexpr const char* kPartStatus = "part_status_writes";  // per clique and gang
inline constexpr const char* kEvents = "events";
inline constexpr const char* kConflicts = "conflicts";  // answers 409
inline constexpr const char* kResyncWrites = "resync_writes";
inline constexpr const char* kResyncCpu = "resync_cpu";
inline constexpr const char* kHalf = "half";    // scaled from all to half
inline constexpr const char* kWhole = "whole";  // from half to all
inline constexpr const char* kZero = "zero";    // from all to none
inline constexpr const char* kAgain = "again";  // from none to all
inline constexpr const char* kGone = "gone";    // the set deleted, until nothing of it is left
inline constexpr const char* kChurnWorst = "churn_worst";
inline constexpr const char* kChurnMedian = "churn_median";
inline constexpr const char* kSmall = "small";  // ten pods, median
inline constexpr const char* kSmallP99 = "small_p99";
inline constexpr const char* kClaimRate = "claim_rate";  // claims a second
inline constexpr const char* kPodBytes = "pod_bytes";    // for one more cached pod
inline constexpr const char* kFullBytes = "full_bytes";  // resident with many pods
inline constexpr const char* kPeakBytes = "peak_bytes";  // until then

// Of ours and of loops that only create the same objects.
inline constexpr const char* kBareWriteRate = "bare.write_rate";  // ours, nobody runs the pods
inline constexpr const char* kBareSeconds = "bare.seconds";       // until the last object is there
inline constexpr const char* kRawWriteRate = "raw.write_rate";
inline constexpr const char* kRawSeconds = "raw.seconds";
inline constexpr const char* kRawSmall = "raw.small";  // ten pods, one after the other
inline constexpr const char* kRawClaimRate = "raw.claim_rate";
// Of growth, with the number of steps behind: "growth.requests.2".
inline constexpr const char* kGrowthRequests = "growth.requests";  // per pod
inline constexpr const char* kGrowthSeconds = "growth.seconds";    // per pod, until available
}  // namespace figure

inline std::string Of(const std::string& operator_name, const char* figure) {
  return operator_name + "." + figure;
}
inline std::string At(const char* figure, size_t step) {
  return std::string(figure) + "." + std::to_string(step);
}

}  // namespace hearth::bench
