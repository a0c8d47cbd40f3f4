#pragma once

#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/wait_limit.h"
#include "kube/client/client.h"

namespace hearth::kube {

// What the server serves, asked once and again when something is not found. Aggregated discovery
// where the server has it, else group by group; a group that does not answer hides only itself.
// Thread-safe.
class Discovery {
 public:
  struct Entry {
    ResourceType type;
    std::string singular;
    std::vector<std::string> short_names;
    std::vector<std::string> categories;
    std::vector<std::string> verbs;
    std::vector<std::string> subresources;
  };

  Discovery(Client& client, Clock& clock);

  // By group and kind, the preferred version unless given. kNotFound with reason "NoMatch" after
  // asking the server again (at most every ten seconds).
  Result<ResourceType> FindKind(std::string_view group, std::string_view kind,
                                std::string_view version, const WaitLimit& limit);
  // As people type it: pods, po, Pod, deployments.apps, deployments.v1.apps.
  Result<ResourceType> FindResource(std::string_view text, const WaitLimit& limit);
  Result<std::vector<Entry>> All(const WaitLimit& limit);
  void Invalidate();

 private:
  Result<ResourceType> Find(const std::function<bool(const Entry&)>& fits, const std::string& what,
                            const WaitLimit& limit);
  std::optional<ResourceType> FindKnown(const std::function<bool(const Entry&)>& fits);
  bool MayAskAgain();
  Result<std::vector<Entry>> Load(const WaitLimit& limit);

  Client& client_;
  Clock& clock_;
  std::mutex mutex_;
  std::vector<Entry> entries_;
  bool loaded_ = false;
  SteadyTime loaded_at_;
};

}  // namespace hearth::kube
