#include "snapshot/ctl/internal/judgement.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"

namespace hearth::snapshot::ctl {
namespace {

using Verdict = Judgement::Verdict;

constexpr size_t kLongestFound = 400;

size_t Count(const std::vector<Judgement>& judgements, Verdict verdict) {
  return static_cast<size_t>(
      std::count_if(judgements.begin(), judgements.end(),
                    [&](const Judgement& one) { return one.verdict == verdict; }));
}

}  // namespace

std::string_view VerdictName(Verdict verdict) {
  constexpr std::array<std::string_view, 3> kNames = {"ok", "warning", "bad"};
  return kNames[static_cast<size_t>(verdict)];
}

bool NoneBad(const std::vector<Judgement>& judgements) {
  return Count(judgements, Verdict::kBad) == 0;
}

std::string JudgementText(const std::vector<Judgement>& judgements, std::string_view good,
                          std::string_view bad) {
  size_t width = 0;
  for (const Judgement& one : judgements) {
    width = std::max(width, one.what.size());
  }
  std::string text;
  for (const Judgement& one : judgements) {
    text += fmt::format("{:8} {:{}}  {}\n", VerdictName(one.verdict), one.what, width,
                        Excerpt(one.found, kLongestFound));
    if (!one.advice.empty()) {
      text += fmt::format("{:9}{}\n", "", one.advice);
    }
  }
  const size_t warnings = Count(judgements, Verdict::kWarning);
  return text + fmt::format("{}{}.\n", NoneBad(judgements) ? good : bad,
                            warnings == 0 ? ""
                                          : fmt::format(", with {} warning{}", warnings,
                                                        warnings == 1 ? "" : "s"));
}

json::Value JudgementsJson(const std::vector<Judgement>& judgements) {
  json::Value array = json::Value::Array();
  for (const Judgement& one : judgements) {
    array.Append(json::Value::Object({{"what", one.what},
                                      {"found", one.found},
                                      {"verdict", VerdictName(one.verdict)},
                                      {"advice", one.advice}}));
  }
  return array;
}

}  // namespace hearth::snapshot::ctl
