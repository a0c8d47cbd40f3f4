#pragma once

#include <string>
#include <vector>

#include "contestant.h"
#include "plan.h"
#include "report.h"
#include "statistics.h"

namespace hearth::bench {

// Who takes part, by name.
namespace names {
inline constexpr const char* kOurs = "hearth";
inline constexpr const char* kOursWhole = "hearth-keep-all";
inline constexpr const char* kOursCache = "hearth-cache-only";
inline constexpr const char* kGo = "controller-runtime";
inline constexpr const char* kGoUnstructured = "controller-runtime-unstructured";
inline constexpr const char* kRust = "kube-rs";
inline constexpr const char* kKubectl = "kubectl --dry-run=server";
inline constexpr const char* kUpstream = "upstream's handler";
}  // namespace names

// What the samples say about each goal. Pure. Contestants are asked only for why one was not run.
std::vector<Row> MakeRows(const Samples& samples, const Plan& plan,
                          const std::vector<Contestant>& contestants);

}  // namespace hearth::bench
