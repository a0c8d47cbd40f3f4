#pragma once

#include <cstdint>
#include <vector>

#include "snapshot/ctl/internal/judgement.h"
#include "snapshot/ctl/internal/process_survey.h"

// Whether processes can be captured, before it is tried. Pure.
namespace hearth::snapshot::ctl {

struct CaptureCost {
  uint64_t memory_bytes = 0;   // that would be saved
  uint64_t deleted_bytes = 0;  // of files that are deleted and still open
  double seconds = 0;          // at the rate that was assumed
};
struct LintLimits {
  uint64_t deleted_file_bytes = 512ULL << 20U;  // the largest that is saved
  uint64_t bytes_per_second = 1ULL << 30U;      // that an artifact is written with
};

// What is in the way, worst first; empty: nothing is.
std::vector<Judgement> JudgeCapture(const Survey& survey, const LintLimits& limits);
CaptureCost CostOf(const Survey& survey, const LintLimits& limits);

}  // namespace hearth::snapshot::ctl
