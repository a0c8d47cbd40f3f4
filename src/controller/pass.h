#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "controller/cached_object.h"
#include "controller/event_recorder.h"
#include "controller/written.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace hearth::controller {

// One run of a reconciler for one key: how it writes, how long it may take, where it logs. Every
// write is compared with what the cache shows first and not sent when it would change nothing; what
// was sent is remembered for the read-your-writes gate. Writes may be sent from several threads
// side by side (side_by_side.h); everything else is for one.
class Pass {
 public:
  // The logger is made when it is first used: most passes change nothing and have nothing to say.
  using MakeLogger = std::function<Logger()>;
  Pass(kube::Client& client, EventRecorder& events, MakeLogger make_logger, WaitLimit limit);

  // Makes `desired` (apiVersion, kind, metadata, fields we own) true by server-side apply, forced,
  // with the client's field manager. `cached` is the object as the cache shows it, null when it is
  // not there; its projection must keep what `desired` holds, else it will be sent every time, and
  // kAppliedAnnotation (ControllerBuilder::Owns sees to that), else a field that is no longer
  // wanted stays. True when a request was sent. With `Since::kCached` it is refused (kConflict)
  // when the object has changed since the cache saw it: for desired fields that were read from it.
  enum class Since { kWhenever, kCached };
  struct ApplyOptions {
    Since since = Since::kWhenever;
    // The object may have been made with plain writes, ours or those of these managers: before the
    // first change their fields become ours, or they could never be given up (ownership.h).
    std::span<const std::string_view> former_managers;
    // Send it also when all is there but our stamp is not: there may be fields that are no longer
    // wanted.
    bool must_be_stamped = false;
  };
  Result<bool> Apply(const kube::ResourceType& type, json::Value desired,
                     const CachedObject* cached) {
    return Apply(type, std::move(desired), cached, ApplyOptions());
  }
  Result<bool> Apply(const kube::ResourceType& type, json::Value desired,
                     const CachedObject* cached, const ApplyOptions& options);
  // A new object, whole. kAlreadyExists (reason AlreadyExists) when one of that name is there.
  Status Create(const kube::ResourceType& type, const json::Value& object);
  // A merge patch onto this very object (uid precondition).
  Status Patch(const kube::ResourceType& type, const CachedObject& cached, json::Value patch);
  // One status write per pass: the status as it should be, whole (server-side apply on the status
  // sub-resource), sent when the cached one is not the same. What `former_managers` wrote there and
  // is no longer wanted goes with it. CHECKs that it is called once per object.
  Result<bool> ApplyStatus(const kube::ResourceType& type, const CachedObject& cached,
                           json::Value status,
                           std::span<const std::string_view> former_managers = {});
  // Deletes this very object (uid precondition); gone already is fine, kConflict when it is not as
  // `options` want it. Nothing is sent when it is being deleted. True when sent.
  Result<bool> Delete(const kube::ResourceType& type, const CachedObject& cached,
                      kube::DeleteOptions options = {});
  // True when a request was sent. Conflicts are retried by the next pass.
  Result<bool> AddFinalizer(const kube::ResourceType& type, const CachedObject& cached,
                            std::string_view finalizer);
  Result<bool> RemoveFinalizer(const kube::ResourceType& type, const CachedObject& cached,
                               std::string_view finalizer);

  // For anything else; what is written through it must be told with Wrote.
  kube::Client& client() { return client_; }
  void Wrote(const kube::ResourceType& type, const kube::Object& object);

  // Published after the pass has succeeded in its writes. `reason` is CamelCase.
  void Event(const kube::ResourceType& type, const CachedObject& about, EventType event_type,
             std::string_view reason, std::string_view note);

  const Logger& log() const;
  const WaitLimit& limit() const { return limit_; }
  // Not while others write.
  const std::vector<Write>& writes() const { return writes_; }

 private:
  void Remember(Write write);
  // Makes what the managers own by plain writes ours; the object as it is then, which may be
  // another version than the cached one. kConflict: it is another object, or was written meanwhile.
  Result<kube::Object> TakeOver(const kube::ResourceType& type, const CachedObject& cached,
                                std::string_view subresource,
                                std::span<const std::string_view> managers, Since since,
                                bool* moved);
  Status UnlessGone(const kube::ResourceType& type, const CachedObject& cached,
                    const Status& failure);

  kube::Client& client_;
  EventRecorder& events_;
  MakeLogger make_logger_;
  mutable std::optional<Logger> logger_;
  WaitLimit limit_;
  std::mutex mutex_;
  std::vector<Write> writes_;
  std::vector<std::string> statuses_;
};

// Annotation with the hash of what we applied last, so that a field that is no longer wanted is
// noticed and given up.
inline constexpr std::string_view kAppliedAnnotation = "hearth.dev/applied";

// Puts it there. Objects that are created instead of applied, and may be applied later, need it,
// too; theirs tells that their fields are not yet ours (ownership.h).
void StampApplied(json::Value& desired);
void StampCreated(json::Value& desired);
bool IsStamped(json::View object);
bool WasApplied(json::View object);

// Whether the API server must be told: pure, see Pass::Apply.
bool NeedsApply(json::View cached, json::View desired);

}  // namespace hearth::controller
