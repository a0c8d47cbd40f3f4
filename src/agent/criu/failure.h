#pragma once

#include <string>
#include <string_view>
#include <vector>

// Why CRIU failed, from its log. Pure.
namespace hearth::agent::criu {

enum class Certainty {
  kCertain,  // the log says it
  kLikely,   // the log says something that this is the usual cause of
  kUnknown,  // no rule knows the line; the cause is CRIU's own words
};
std::string_view CertaintyName(Certainty certainty);

struct Failure {
  std::string reason;  // stable, for machines: "IoUring"; "Unexplained" when no rule fits
  std::string cause;   // one sentence
  std::string fix;     // what to do
  Certainty certainty = Certainty::kUnknown;
  bool retryable = false;  // the same again, without change, may work
  std::string line;        // of the log, without its time stamp; empty when it has no error
};

// The first error that is one: lines that CRIU prints in good runs, too, are passed over, and so is
// what only follows from an earlier one. A log may be cut at its beginning.
Failure ExplainLog(std::string_view log);

// Whether the cause is a moment that is over by now: trying again at once makes sense.
bool IsMomentary(const Failure& failure);

// The errors of a log, as they came and without repetition; what is harmless is left out.
std::vector<std::string> ErrorLines(std::string_view log, size_t most);

// "cause. fix [reason, likely; CRIU: line]", for a status or an event.
std::string Describe(const Failure& failure);

// One line of the rule base, for documentation and tests.
struct FailureRule {
  std::string_view reason;
  std::string_view pattern;  // RE2, searched in the line
  std::string_view cause;    // {1}, {2}: what the pattern's groups matched
  std::string_view fix;
  Certainty certainty = Certainty::kCertain;
  bool retryable = false;
};
const std::vector<FailureRule>& FailureRules();

}  // namespace hearth::agent::criu
