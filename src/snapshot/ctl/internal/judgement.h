#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace hearth::snapshot::ctl {

// One thing that was looked at, and what to do when it is not as it must be.
struct Judgement {
  enum class Verdict { kFine, kWarning, kBad };
  Verdict verdict = Verdict::kFine;
  std::string what;    // "kernel"
  std::string found;   // "6.1.0"
  std::string advice;  // why, and what to do; empty when it is fine
};
std::string_view VerdictName(Judgement::Verdict verdict);

bool NoneBad(const std::vector<Judgement>& judgements);
// A line for each, its advice below it, and a last line that sums up: `good` or `bad`, as in
// "Looks good, with 2 warnings."
std::string JudgementText(const std::vector<Judgement>& judgements, std::string_view good,
                          std::string_view bad);
json::Value JudgementsJson(const std::vector<Judgement>& judgements);

}  // namespace hearth::snapshot::ctl
