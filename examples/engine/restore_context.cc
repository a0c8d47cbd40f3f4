#include "restore_context.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/publish.h"
#include "json/parse.h"
#include "json/value.h"

namespace hearth::engine {
namespace {

constexpr const char* kFile = "/restore-context.json";
constexpr uint64_t kMostBytes = 1 << 20;

// What operators set for one container, and nothing that a user says. Not the folder of the memory
// service: a restored process sees the mounts that the captured one had, so the operator puts the
// server's folder where that one looked for it.
constexpr const char* kOwnVariables[] = {"POD_NAME",
                                         "POD_NAMESPACE",
                                         "POD_UID",
                                         "CONTAINER_NAME",
                                         "ENGINE_ID",
                                         "FAILOVER_LOCK_PATH",
                                         "DYN_NAMESPACE",
                                         "DYN_NAMESPACE_WORKER_SUFFIX",
                                         "DYN_COMPONENT",
                                         "DYN_PARENT_DGD_K8S_NAME",
                                         "DYN_PARENT_DGD_K8S_NAMESPACE",
                                         "DYN_DISCOVERY_BACKEND",
                                         "DYN_KUBE_DISCOVERY_MODE",
                                         "DYN_SYSTEM_ENABLED",
                                         "DYN_SYSTEM_PORT",
                                         "DYN_SYSTEM_STARTING_HEALTH_STATUS",
                                         "NATS_SERVER",
                                         "ETCD_ENDPOINTS"};

bool IsOwn(std::string_view name) {
  return std::find(std::begin(kOwnVariables), std::end(kOwnVariables), name) !=
         std::end(kOwnVariables);
}

}  // namespace

Status WriteRestoreContext(FileSystem& files, const std::string& directory) {
  json::Value variables = json::Value::Object();
  for (const char* const name : kOwnVariables) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): see the header
    variables.Set(name, value == nullptr ? json::Value() : json::Value(value));
  }
  const json::Value context = json::Value::Object({{"env", std::move(variables)}});
  return PublishFile(files, directory + kFile, context.Write());
}

Status ApplyRestoreContext(FileSystem& files, const std::string& directory) {
  ASSIGN_OR_RETURN(const std::string text, files.Read(directory + kFile, kMostBytes));
  ASSIGN_OR_RETURN(const json::Value context, json::ParseValue(text).WithContext(kFile));
  const json::Value* const variables = context.Find("env");
  if (variables == nullptr || !variables->IsObject()) {
    return InvalidError("restore-context.json has no object \"env\"");
  }
  for (const auto& [name, value] : variables->members()) {
    if (!IsOwn(name)) {
      continue;
    }
    if (value.IsString()) {
      ::setenv(name.c_str(), value.string().c_str(), 1);  // NOLINT(concurrency-mt-unsafe)
    } else {
      ::unsetenv(name.c_str());  // NOLINT(concurrency-mt-unsafe)
    }
  }
  return Status::Ok();
}

}  // namespace hearth::engine
