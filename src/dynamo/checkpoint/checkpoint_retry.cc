#include "dynamo/checkpoint/checkpoint_retry.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "json/time.h"

namespace hearth::dynamo {
namespace {

namespace dyn = api::dynamo;

constexpr size_t kMostRecord = 2000;  // of an annotation that people read

// Failures of a capture, and not of what was asked for.
constexpr std::array kWorthAnother = {"JobFailed", "PodSnapshotFailed", "JobDeletedBeforeComplete"};

std::optional<int> Number(const std::string& text) {
  int number = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && read == end && number >= 0 ? std::optional(number) : std::nullopt;
}

const api::Condition* Failure(const CheckpointFacts& checkpoint) {
  for (const api::Condition& condition : checkpoint.status.conditions) {
    const bool worth = std::find(kWorthAnother.begin(), kWorthAnother.end(), condition.reason) !=
                       kWorthAnother.end();
    if (condition.status == "False" && worth) {
      return &condition;
    }
  }
  return nullptr;
}

}  // namespace

std::optional<Retry> NextTry(const CheckpointFacts& checkpoint, const RetryPolicy& policy,
                             WallTime now) {
  const api::Condition* const failure = Failure(checkpoint);
  const auto version = Number(checkpoint.artifact_version);
  if (checkpoint.status.phase != dyn::CheckpointPhase::kFailed || failure == nullptr || !version) {
    return std::nullopt;
  }
  const int most = Number(checkpoint.retries).value_or(checkpoint.automatic ? policy.most : 0);
  const auto tried =
      static_cast<int>(std::count(checkpoint.tries.begin(), checkpoint.tries.end(), '\n') +
                       (checkpoint.tries.empty() ? 0 : 1));
  if (tried >= most) {
    return std::nullopt;
  }
  double pause = std::chrono::duration<double>(policy.first_pause).count();
  for (int i = 0; i < tried; ++i) {
    pause *= policy.factor;
  }
  const auto failed_at = json::Time::Parse(failure->last_transition_time);
  const Duration since =
      failed_at.ok() ? std::max(Duration::zero(), now - failed_at->at) : Duration::zero();
  const Duration wait = std::chrono::duration_cast<Duration>(std::chrono::duration<double>(pause));
  Retry retry;
  retry.wait = std::max(Duration::zero(), wait - since);
  retry.version = std::to_string(*version + 1);
  retry.record =
      fmt::format("{}{}{}: {}: {}", checkpoint.tries, checkpoint.tries.empty() ? "" : "\n",
                  checkpoint.artifact_version, failure->reason, failure->message)
          .substr(0, kMostRecord);
  return retry;
}

}  // namespace hearth::dynamo
