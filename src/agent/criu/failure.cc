#include "agent/criu/failure.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/check.h"
#include "base/strings.h"

namespace hearth::agent::criu {
namespace {

// A line of CRIU's is cut where a person stops reading.
constexpr size_t kLongestLine = 300;
constexpr int kMostGroups = 3;

// Printed in good runs, too, or saying only that something went wrong before.
constexpr std::string_view kHarmless[] = {
    "rlimit: Can't setup RLIMIT_NOFILE for self",
    "Dumping FAILED.",
    "Restoring FAILED.",
    "Pre-dumping FAILED.",
    "iptables has no CONNMARK",
    "Couldn't find iptables version",
    "Couldn't find ip6tables version",
    "ipset: Can't",
};

// "(00.051928) Error (criu/cr-restore.c:1237): text" without the time and the place.
bool ReadErrorLine(std::string_view line, std::string_view& text) {
  constexpr std::string_view kMark = "Error (";
  const size_t mark = line.find(kMark);
  if (mark == std::string_view::npos) {
    return false;
  }
  const size_t end = line.find("): ", mark);
  text = Trim(end == std::string_view::npos ? line.substr(mark) : line.substr(end + 3));
  return true;
}

bool IsHarmless(std::string_view text) {
  return std::any_of(std::begin(kHarmless), std::end(kHarmless), [&](std::string_view known) {
    return text.find(known) != std::string_view::npos;
  });
}

struct CompiledRule {
  const FailureRule* rule;
  std::unique_ptr<RE2> pattern;
};

const std::vector<CompiledRule>& Compiled() {
  static const std::vector<CompiledRule> compiled = [] {
    std::vector<CompiledRule> all;
    for (const FailureRule& rule : FailureRules()) {
      auto pattern =
          std::make_unique<RE2>(re2::StringPiece(rule.pattern.data(), rule.pattern.size()));
      CHECK(pattern->ok() && pattern->NumberOfCapturingGroups() <= kMostGroups) << rule.reason;
      all.push_back({&rule, std::move(pattern)});
    }
    return all;
  }();
  return compiled;
}

// {1} and {2} replaced by what the groups matched.
std::string Fill(std::string_view text,
                 const std::array<re2::StringPiece, kMostGroups + 1>& groups) {
  std::string filled(text);
  for (size_t i = 1; i < groups.size(); ++i) {
    const std::string hole = fmt::format("{{{}}}", i);
    const std::string value(groups[i].data(), groups[i].size());
    for (size_t at = filled.find(hole); at != std::string::npos;
         at = filled.find(hole, at + value.size())) {
      filled.replace(at, hole.size(), value);
    }
  }
  return filled;
}

bool Explain(std::string_view line, Failure& failure) {
  for (const CompiledRule& each : Compiled()) {
    std::array<re2::StringPiece, kMostGroups + 1> groups;
    if (!each.pattern->Match(re2::StringPiece(line.data(), line.size()), 0, line.size(),
                             RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()))) {
      continue;
    }
    failure = {.reason = std::string(each.rule->reason),
               .cause = Fill(each.rule->cause, groups),
               .fix = Fill(each.rule->fix, groups),
               .certainty = each.rule->certainty,
               .retryable = each.rule->retryable,
               .line = Excerpt(line, kLongestLine)};
    return true;
  }
  return false;
}

}  // namespace

std::string_view CertaintyName(Certainty certainty) {
  switch (certainty) {
    case Certainty::kCertain:
      return "certain";
    case Certainty::kLikely:
      return "likely";
    case Certainty::kUnknown:
      break;
  }
  return "unknown";
}

bool IsMomentary(const Failure& failure) {
  constexpr std::array<std::string_view, 5> kMoments = {"UnixSocketNotListed", "TcpInFlight",
                                                        "ControlMessagesInQueue", "CorkedSocket",
                                                        "ZombieThreads"};
  return std::find(kMoments.begin(), kMoments.end(), failure.reason) != kMoments.end();
}

std::vector<std::string> ErrorLines(std::string_view log, size_t most) {
  std::vector<std::string> lines;
  for (const std::string_view line : Split(log, '\n')) {
    std::string_view text;
    if (lines.size() < most && ReadErrorLine(line, text) && !IsHarmless(text) &&
        std::find(lines.begin(), lines.end(), text) == lines.end()) {
      lines.emplace_back(text);
    }
  }
  return lines;
}

Failure ExplainLog(std::string_view log) {
  constexpr size_t kEnough = 1000;
  const std::vector<std::string> lines = ErrorLines(log, kEnough);
  Failure failure;
  for (const std::string& line : lines) {
    if (Explain(line, failure)) {
      return failure;
    }
  }
  failure.reason = "Unexplained";
  if (lines.empty()) {
    failure.cause = "CRIU failed and its log has no error";
    failure.fix =
        "raise logLevel to 4 and try again; if the log ends in the middle, CRIU was killed";
    failure.retryable = true;
    return failure;
  }
  failure.line = Excerpt(lines.front(), kLongestLine);
  failure.cause = fmt::format("CRIU failed: {}", failure.line);
  failure.fix = "look at the lines around it in the log (snapshotctl explain LOG)";
  return failure;
}

std::string Describe(const Failure& failure) {
  std::string text = fmt::format("{}; {} [{}, {}", failure.cause, failure.fix, failure.reason,
                                 CertaintyName(failure.certainty));
  if (!failure.line.empty() && failure.certainty != Certainty::kUnknown) {
    text += fmt::format("; CRIU: {}", failure.line);
  }
  return text + "]";
}

}  // namespace hearth::agent::criu
