#include "dynamo/operator/checkpoint_storage.h"

#include <fmt/format.h>

#include <vector>

#include "dynamo/operator/resources.h"
#include "kube/model/api_status.h"

namespace hearth::dynamo {
namespace {

constexpr std::string_view kAgents = "app.kubernetes.io/component=snapshot-agent";

}  // namespace

Result<Storage> FindStorage(kube::Client& client, const WaitLimit& limit,
                            const StorageConfig& config, const std::string& name_space) {
  ASSIGN_OR_RETURN(const auto configured, ConfiguredStorage(config));
  if (configured) {
    return *configured;
  }
  ASSIGN_OR_RETURN(const auto page, client.List(DaemonSets(), name_space, limit,
                                                {.label_selector = std::string(kAgents)}));
  std::vector<json::Value> agents;
  for (const auto& agent : page.items) {
    agents.emplace_back(agent.view());
  }
  if (const auto found = StorageOfAgents(agents)) {
    return *found;
  }
  return NotFoundError(
      fmt::format("no storage for checkpoints in namespace {}: set checkpoint.storage.pvc in the "
                  "operator's configuration, or run the snapshot agent there with a volume "
                  "\"checkpoints\" that is a PersistentVolumeClaim",
                  name_space));
}

Result<Storage> EnsureStorage(controller::Pass& pass, const StorageConfig& config,
                              const std::string& name_space) {
  ASSIGN_OR_RETURN(const Storage storage,
                   FindStorage(pass.client(), pass.limit(), config, name_space));
  const auto claim =
      pass.client().Get(VolumeClaims(), {name_space, storage.pvc_name}, pass.limit());
  if (claim.ok()) {
    return storage;
  }
  if (claim.status().reason() != kube::reason::kNotFound) {
    return claim.status();
  }
  if (!storage.configured || !config.create) {
    return NoStorageClaim(storage, name_space);
  }
  Status made = pass.Create(VolumeClaims(), RenderStorageClaim(config, name_space));
  if (!made.ok() && !made.Is(Code::kAlreadyExists)) {
    return made;
  }
  return storage;
}

}  // namespace hearth::dynamo
