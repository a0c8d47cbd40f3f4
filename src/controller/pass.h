#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
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
// was sent is remembered for the read-your-writes gate. Used by one thread.
class Pass {
 public:
  // The logger is made when it is first used: most passes change nothing and have nothing to say.
  using MakeLogger = std::function<Logger()>;
  Pass(kube::Client& client, EventRecorder& events, MakeLogger make_logger, WaitLimit limit);

  // Makes `desired` (apiVersion, kind, metadata, fields we own) true by server-side apply, forced,
  // with the client's field manager. `cached` is the object as the cache shows it, null when it is
  // not there; its projection must keep what `desired` holds, else it will be sent every time, and
  // kAppliedAnnotation (ControllerBuilder::Owns sees to that), else a field that is no longer
  // wanted stays. True when a request was sent.
  Result<bool> Apply(const kube::ResourceType& type, json::Value desired,
                     const CachedObject* cached);
  // One status write per pass: the status as it should be, whole (server-side apply on the status
  // sub-resource), sent when the cached one is not the same. CHECKs that it is called once per
  // object.
  Result<bool> ApplyStatus(const kube::ResourceType& type, const CachedObject& cached,
                           json::Value status);
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
  const std::vector<Write>& writes() const { return writes_; }

 private:
  Status UnlessGone(const kube::ResourceType& type, const CachedObject& cached,
                    const Status& failure);

  kube::Client& client_;
  EventRecorder& events_;
  MakeLogger make_logger_;
  mutable std::optional<Logger> logger_;
  WaitLimit limit_;
  std::vector<Write> writes_;
  std::vector<std::string> statuses_;
};

// Annotation with the hash of what we applied last, so that a field that is no longer wanted is
// noticed and given up.
inline constexpr std::string_view kAppliedAnnotation = "hearth.dev/applied";

// Whether the API server must be told: pure, see Pass::Apply.
bool NeedsApply(json::View cached, json::View desired);

}  // namespace hearth::controller
