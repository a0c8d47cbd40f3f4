#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "agent/node/content_facts.h"
#include "base/clock.h"
#include "base/result.h"
#include "base/wait_limit.h"
#include "json/value.h"
#include "kube/client/client.h"

namespace hearth::agent::node {

// What the status of a content tells of its artifact.
struct ArtifactFacts {
  std::string checkpoint_id;
  std::string version;
  uint64_t size_bytes = 0;
  std::string digest;
  std::optional<Duration> cold_start = {};  // of what was captured, when it is known
};

// Writes the agent's conditions. Every write carries the version it was decided on; when somebody
// else was faster it is decided again on what is there now, eight times at most. Blocking;
// thread-safe.
class ContentStatus {
 public:
  ContentStatus(kube::Client& client, Clock& clock) : client_(client), clock_(clock) {}

  // What is there after a try to write Ready=True.
  enum class Settled {
    kWritten,
    kWasReady,
    kWasFailed,  // somebody gave up meanwhile; Failed stays
    kGone,       // deleted, or another of the same name
  };
  // A failure says that it is not known.
  Result<Settled> SetReady(const ContentFacts& content, const ArtifactFacts& artifact,
                           const WaitLimit& limit);
  // Failed=True, unless it is Ready or Failed already or gone.
  Result<Settled> SetFailed(const ContentFacts& content, std::string_view reason,
                            std::string_view message, const WaitLimit& limit);
  // The answer to kArtifactFinalizer.
  Status SetArtifactDeleted(const ContentFacts& content, bool deleted, std::string_view reason,
                            std::string_view message, const WaitLimit& limit);

 private:
  struct Wanted {
    std::string_view type;
    bool holds;
    std::string_view reason;
    std::string_view message;
    json::Value artifact;  // null: leave it
  };
  Result<Settled> Settle(const ContentFacts& content, const Wanted& wanted, const WaitLimit& limit);
  Status Patch(const ContentFacts& content, const Wanted& wanted, const WaitLimit& limit);
  // As the server has it now; kNotFound also when another has its name.
  Result<ContentFacts> ReadAgain(const ContentFacts& content, const WaitLimit& limit);

  kube::Client& client_;
  Clock& clock_;
};

}  // namespace hearth::agent::node
