#include "agent/node/content_status.h"

#include <algorithm>

#include "base/strings.h"
#include "controller/conditions.h"
#include "json/time.h"
#include "snapshot/protocol/conditions.h"

namespace hearth::agent::node {
namespace {

constexpr int kMostTries = 8;
constexpr size_t kLongestMessage = 4096;

json::Value ToValue(const ArtifactFacts& artifact) {
  json::Value value = json::Value::Object({{"checkpointID", artifact.checkpoint_id},
                                           {"version", artifact.version},
                                           {"sizeBytes", artifact.size_bytes},
                                           {"digest", artifact.digest}});
  if (artifact.cold_start) {
    value.Set(
        "coldStartMilliseconds",
        static_cast<int64_t>(
            std::chrono::duration_cast<std::chrono::milliseconds>(*artifact.cold_start).count()));
  }
  return value;
}

bool IsGone(const Status& status) { return status.Is(Code::kNotFound); }

}  // namespace

Result<ContentStatus::Settled> ContentStatus::SetReady(const ContentFacts& content,
                                                       const ArtifactFacts& artifact,
                                                       const WaitLimit& limit) {
  return Settle(content,
                {snapshot::kReadyCondition, true, snapshot::reason::kCaptured,
                 "Checkpoint captured and verified", ToValue(artifact)},
                limit);
}

Result<ContentStatus::Settled> ContentStatus::SetFailed(const ContentFacts& content,
                                                        std::string_view reason,
                                                        std::string_view message,
                                                        const WaitLimit& limit) {
  return Settle(content, {snapshot::kFailedCondition, true, reason, message, {}}, limit);
}

Status ContentStatus::SetArtifactDeleted(const ContentFacts& content, bool deleted,
                                         std::string_view reason, std::string_view message,
                                         const WaitLimit& limit) {
  const Status patched =
      Patch(content, {snapshot::kArtifactDeletedCondition, deleted, reason, message, {}}, limit);
  return IsGone(patched) ? Status::Ok() : patched;
}

Result<ContentStatus::Settled> ContentStatus::Settle(const ContentFacts& content,
                                                     const Wanted& wanted, const WaitLimit& limit) {
  ContentFacts now = content;
  Status last;
  for (int i = 0; i < kMostTries; ++i) {
    if (now.terminal()) {
      return now.failed ? Settled::kWasFailed : Settled::kWasReady;
    }
    last = Patch(now, wanted, limit);
    if (last.ok()) {
      return Settled::kWritten;
    }
    if (IsGone(last)) {
      return Settled::kGone;
    }
    if (!last.Is(Code::kConflict)) {
      return last;
    }
    auto read = ReadAgain(content, limit);
    if (IsGone(read.status())) {
      return Settled::kGone;
    }
    RETURN_IF_ERROR(read.status());
    now = *std::move(read);
  }
  return last;
}

Status ContentStatus::Patch(const ContentFacts& content, const Wanted& wanted,
                            const WaitLimit& limit) {
  const controller::Condition condition{
      std::string(wanted.type), wanted.holds ? "True" : "False", std::string(wanted.reason),
      Excerpt(wanted.message, kLongestMessage), content.generation};
  json::Value patch = json::Value::Object(
      {{"metadata", json::Value::Object({{"resourceVersion", content.resource_version}})}});
  patch["status"].Set("conditions", controller::SetCondition(content.conditions, condition,
                                                             json::Time{clock_.WallNow()}));
  if (!wanted.artifact.IsNull()) {
    patch["status"].Set("artifact", wanted.artifact);
  }
  kube::WriteOptions options;
  options.subresource = "status";
  const std::string body = patch.Write();
  return client_
      .Patch(Contents(), {"", content.name}, kube::PatchType::kMerge, json::View::Trusted(body),
             limit, options)
      .status();
}

Result<ContentFacts> ContentStatus::ReadAgain(const ContentFacts& content, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const kube::Object object, client_.Get(Contents(), {"", content.name}, limit));
  ContentFacts now = ReadContent(object.view());
  if (now.uid != content.uid) {
    return NotFoundError("content " + content.name + " was replaced by another");
  }
  return now;
}

}  // namespace hearth::agent::node
