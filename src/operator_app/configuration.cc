#include "operator_app/configuration.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "base/duration.h"
#include "base/strings.h"
#include "grove/scheduler/backend.h"
#include "json/value.h"
#include "json/yaml.h"

namespace hearth::operator_app {
namespace {

using json::Value;

constexpr uint64_t kMostBytes = 1 << 20;
constexpr const char* kDynamoVersion = "operator.config.dynamo.nvidia.com/v1alpha1";
constexpr const char* kGroveVersion = "operator.config.grove.io/v1alpha1";
constexpr const char* kKind = "OperatorConfiguration";
constexpr const char* kGroveLease = "grove-operator-leader-election";

// Where a field goes; a failure says what was expected.
using Take = std::function<Status(const Value& value, OperatorOptions& options)>;
struct Field {
  const char* path;
  Take take;
};

Take Text(std::function<std::string&(OperatorOptions&)> target) {
  return [target = std::move(target)](const Value& value, OperatorOptions& options) -> Status {
    if (!value.IsString()) {
      return InvalidError("must be a string");
    }
    target(options) = value.string();
    return {};
  };
}

Take Flag(std::function<bool&(OperatorOptions&)> target) {
  return [target = std::move(target)](const Value& value, OperatorOptions& options) -> Status {
    if (value.kind() != json::Kind::kBool) {
      return InvalidError("must be true or false");
    }
    target(options) = value.boolean();
    return {};
  };
}

// An address is written in two fields; either may be absent.
Take Host(std::function<std::string&(OperatorOptions&)> address) {
  return [address = std::move(address)](const Value& value, OperatorOptions& options) -> Status {
    if (!value.IsString()) {
      return InvalidError("must be a string");
    }
    std::string& text = address(options);
    text = value.string() + text.substr(std::min(text.rfind(':'), text.size()));
    return {};
  };
}

Take Port(std::function<std::string&(OperatorOptions&)> address) {
  return [address = std::move(address)](const Value& value, OperatorOptions& options) -> Status {
    const auto port = value.Int();
    if (!port.has_value() || *port < 0 || *port > 65535) {
      return InvalidError("must be a port");
    }
    std::string& text = address(options);
    text = fmt::format("{}:{}", text.substr(0, text.rfind(':')), *port);
    return {};
  };
}

Take Time(std::function<Duration&(OperatorOptions&)> target) {
  return [target = std::move(target)](const Value& value, OperatorOptions& options) -> Status {
    const auto duration = ParseDuration(value.StringOr(""));
    if (!duration.ok() || *duration <= Duration::zero()) {
      return InvalidError("must be a duration longer than nothing, such as 15s");
    }
    target(options) = *duration;
    return {};
  };
}

Take Workers(std::function<int&(OperatorOptions&)> target) {
  return [target = std::move(target)](const Value& value, OperatorOptions& options) -> Status {
    constexpr int64_t kMostWorkers = 1000;
    const auto count = value.Int();
    if (!count.has_value() || *count < 1 || *count > kMostWorkers) {
      return InvalidError(fmt::format("must be a number from 1 to {}", kMostWorkers));
    }
    target(options) = static_cast<int>(*count);
    return {};
  };
}

Take OneOfThese(std::vector<std::string> names,
                std::function<std::string&(OperatorOptions&)> target) {
  return [names = std::move(names), target = std::move(target)](
             const Value& value, OperatorOptions& options) -> Status {
    const std::string name = value.StringOr("");
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return InvalidError(fmt::format("must be one of {}", Join(names, ", ")));
    }
    target(options) = name;
    return {};
  };
}

Status TakeMode(const Value& value, OperatorOptions& options) {
  const std::string mode = value.StringOr("");
  if (mode != "auto" && mode != "manual") {
    return InvalidError("must be auto or manual");
  }
  options.webhooks.certificates = mode;
  return {};
}

dynamo::Surroundings& Told(OperatorOptions& options) { return options.graphs.graphs.surroundings; }

Status TakeNoProfile(const Value& value, OperatorOptions& options) {
  if (value.kind() != json::Kind::kBool) {
    return InvalidError("must be true or false");
  }
  if (value.boolean()) {
    options.graphs.graphs.seccomp_profile.clear();
  }
  return {};
}

Status TakeTerminationDelay(const Value& value, OperatorOptions& options) {
  if (!ParseDuration(value.StringOr("")).ok()) {
    return InvalidError("must be a duration, such as 15m");
  }
  options.graphs.graphs.grove.termination_delay = value.StringOr("");
  return {};
}

// Without one the storage is where it is anyway.
Status TakeBasePath(const Value& value, OperatorOptions& options) {
  if (!value.IsString() || !(value.string().empty() || value.string().starts_with('/'))) {
    return InvalidError("must be an absolute path");
  }
  if (!value.string().empty()) {
    options.checkpoint_path = value.string();
  }
  return {};
}

// Schedulers of the cluster, by the names of their profiles.
Status TakeProfiles(const Value& value, OperatorOptions& options) {
  const std::vector<std::string> known = hearth::grove::BackendNames();
  std::vector<std::string> names;
  if (value.IsArray()) {
    for (const Value& profile : value.items()) {
      const Value* name = profile.Find("name");
      names.push_back(name == nullptr ? "" : name->StringOr(""));
      if (std::find(known.begin(), known.end(), names.back()) == known.end() ||
          std::count(names.begin(), names.end(), names.back()) > 1) {
        return InvalidError(
            fmt::format("each name must be there once, and be one of {}", Join(known, ", ")));
      }
    }
  }
  if (std::find(names.begin(), names.end(), "default-scheduler") == names.end()) {
    return InvalidError("must be a list that has default-scheduler");
  }
  options.schedulers = std::move(names);
  return {};
}

// It is the first of the list for the webhooks. Comes after the list.
Status TakeDefaultProfile(const Value& value, OperatorOptions& options) {
  const std::string name = value.StringOr("");
  auto& schedulers = options.schedulers;
  const auto found = std::find(schedulers.begin(), schedulers.end(), name);
  if (found == schedulers.end()) {
    return InvalidError("must be the name of one of scheduler.profiles");
  }
  std::rotate(schedulers.begin(), found, found + 1);
  options.sets.scheduler = name;
  return {};
}

Status TakeExempt(const Value& value, OperatorOptions& options) {
  if (!value.IsArray()) {
    return InvalidError("must be a list of user names");
  }
  for (const Value& name : value.items()) {
    if (!name.IsString()) {
      return InvalidError("must be a list of user names");
    }
    options.webhooks.exempt.push_back(name.string());
  }
  return {};
}

std::string& HealthAddress(OperatorOptions& options) { return options.manager.health_address; }
std::string& WebhookAddress(OperatorOptions& options) { return options.webhooks.address; }

// As Grove's own operator reads it.
const std::vector<Field>& GroveFields() {
  using Options = OperatorOptions;
  static const std::vector<Field> kFields = {
      {"server.healthProbes.bindAddress", Host(HealthAddress)},
      {"server.healthProbes.port", Port(HealthAddress)},
      {"server.webhooks.bindAddress", Host(WebhookAddress)},
      {"server.webhooks.port", Port(WebhookAddress)},
      {"server.webhooks.serverCertDir",
       Text([](Options & o) -> auto& { return o.webhooks.directory; })},
      {"server.webhooks.secretName", Text([](Options & o) -> auto& { return o.webhooks.secret; })},
      {"server.webhooks.certProvisionMode", TakeMode},
      {"leaderElection.enabled", Flag([](Options & o) -> auto& { return o.manager.leader_elect; })},
      {"leaderElection.leaseDuration",
       Time([](Options & o) -> auto& { return o.manager.lease_duration; })},
      {"leaderElection.renewDeadline",
       Time([](Options & o) -> auto& { return o.manager.renew_deadline; })},
      {"leaderElection.retryPeriod",
       Time([](Options & o) -> auto& { return o.manager.retry_period; })},
      {"leaderElection.resourceName",
       Text([](Options & o) -> auto& { return o.manager.lease_name; })},
      {"leaderElection.resourceNamespace",
       Text([](Options & o) -> auto& { return o.manager.lease_namespace; })},
      {"controllers.podCliqueSet.concurrentSyncs",
       Workers([](Options & o) -> auto& { return o.sets.set_workers; })},
      {"controllers.podCliqueScalingGroup.concurrentSyncs",
       Workers([](Options & o) -> auto& { return o.sets.group_workers; })},
      {"controllers.podClique.concurrentSyncs",
       Workers([](Options & o) -> auto& { return o.sets.clique_workers; })},
      {"controllers.podGang.concurrentSyncs",
       Workers([](Options & o) -> auto& { return o.sets.gang_workers; })},
      {"logLevel",
       OneOfThese(
           {"debug", "info", "error"}, [](Options & o) -> auto& { return o.manager.log_level; })},
      {"logFormat",
       OneOfThese(
           {"json", "text"}, [](Options & o) -> auto& { return o.manager.log_format; })},
      {"authorizer.exemptServiceAccountUserNames", TakeExempt},
      {"topologyAwareScheduling.enabled",
       Flag([](Options & o) -> auto& { return o.sets.topology; })},
      {"scheduler.profiles", TakeProfiles},
      {"scheduler.defaultProfileName", TakeDefaultProfile},
  };
  return kFields;
}

// As Dynamo's operator reads it.
const std::vector<Field>& DynamoFields() {
  using Options = OperatorOptions;
  static const std::vector<Field> kFields = {
      {"server.healthProbe.bindAddress", Host(HealthAddress)},
      {"server.healthProbe.port", Port(HealthAddress)},
      {"server.webhook.host", Host(WebhookAddress)},
      {"server.webhook.port", Port(WebhookAddress)},
      {"server.webhook.certDir", Text([](Options & o) -> auto& { return o.webhooks.directory; })},
      {"server.webhook.certProvisionMode", TakeMode},
      {"server.webhook.secretName", Text([](Options & o) -> auto& { return o.webhooks.secret; })},
      {"server.webhook.serviceName", Text([](Options & o) -> auto& { return o.webhooks.service; })},
      {"leaderElection.enabled", Flag([](Options & o) -> auto& { return o.manager.leader_elect; })},
      {"leaderElection.id", Text([](Options & o) -> auto& { return o.manager.lease_name; })},
      {"leaderElection.namespace",
       Text([](Options & o) -> auto& { return o.manager.lease_namespace; })},
      {"namespace.restricted",
       Text([](Options & o) -> auto& { return o.snapshots.namespaces.restricted_to; })},
      {"checkpoint.enabled", Flag([](Options & o) -> auto& { return o.checkpoints; })},
      {"checkpoint.storage.pvc.basePath", TakeBasePath},
      {"checkpoint.storage.type",
       Text([](Options & o) -> auto& { return o.graphs.graphs.storage.type; })},
      {"checkpoint.storage.pvc.pvcName",
       Text([](Options & o) -> auto& { return o.graphs.graphs.storage.pvc_name; })},
      {"checkpoint.storage.pvc.create",
       Flag([](Options & o) -> auto& { return o.graphs.graphs.storage.create; })},
      {"checkpoint.storage.pvc.size",
       Text([](Options & o) -> auto& { return o.graphs.graphs.storage.size; })},
      {"checkpoint.storage.pvc.storageClassName",
       Text([](Options & o) -> auto& { return o.graphs.graphs.storage.storage_class; })},
      {"checkpoint.storage.pvc.accessMode",
       Text([](Options & o) -> auto& { return o.graphs.graphs.storage.access_mode; })},
      {"checkpoint.seccomp.profile",
       Text([](Options & o) -> auto& { return o.graphs.graphs.seccomp_profile; })},
      {"checkpoint.seccomp.disabled", TakeNoProfile},
      {"checkpoint.cleanupImage",
       Text([](Options & o) -> auto& { return o.graphs.cleanup.image; })},
      {"orchestrators.grove.enabled", Flag([](Options & o) -> auto& { return o.grove; })},
      {"orchestrators.grove.terminationDelay", TakeTerminationDelay},
      {"dra.enabled", Flag([](Options & o) -> auto& { return o.graphs.graphs.features.claims; })},
      {"discovery.backend",
       OneOfThese(
           {"kubernetes", "etcd"}, [](Options & o) -> auto& { return Told(o).discovery_backend; })},
      {"infrastructure.natsAddress",
       Text([](Options & o) -> auto& { return Told(o).nats_address; })},
      {"infrastructure.etcdAddress",
       Text([](Options & o) -> auto& { return Told(o).etcd_address; })},
      {"infrastructure.modelExpressURL",
       Text([](Options & o) -> auto& { return Told(o).model_express_url; })},
      {"infrastructure.prometheusEndpoint",
       Text([](Options & o) -> auto& { return Told(o).prometheus_endpoint; })},
  };
  return kFields;
}

// Which of the two kinds of file it is; null: neither.
const std::vector<Field>* FieldsOf(const Value& document) {
  const Value* version = document.Find("apiVersion");
  const Value* kind = document.Find("kind");
  if (version == nullptr || kind == nullptr || kind->StringOr("") != kKind) {
    return nullptr;
  }
  const std::string text = version->StringOr("");
  return text == kDynamoVersion  ? &DynamoFields()
         : text == kGroveVersion ? &GroveFields()
                                 : nullptr;
}

}  // namespace

Status ParseConfiguration(const std::string& text, OperatorOptions& options) {
  ASSIGN_OR_RETURN(const Value document, json::ParseYamlDocument(text));
  const std::vector<Field>* fields = FieldsOf(document);
  if (fields == nullptr) {
    return InvalidError(
        fmt::format("must be a {} of {} or {}", kKind, kDynamoVersion, kGroveVersion));
  }
  OperatorOptions changed = options;
  if (fields == &GroveFields() && changed.manager.lease_name.empty()) {
    // Whoever comes with Grove's file takes over from Grove's operator, and only one may work.
    changed.manager.lease_name = kGroveLease;
  }
  for (const Field& field : *fields) {
    const Value* value = document.FindPath(field.path);
    if (value != nullptr && !value->IsNull()) {
      RETURN_IF_ERROR(field.take(*value, changed).WithContext(field.path));
    }
  }
  if (changed.manager.lease_duration <= changed.manager.renew_deadline) {
    return InvalidError("leaderElection.leaseDuration: must be longer than renewDeadline");
  }
  options = std::move(changed);
  return {};
}

Status ReadConfiguration(FileSystem& files, OperatorOptions& options) {
  if (options.config_file.empty()) {
    return {};
  }
  ASSIGN_OR_RETURN(const std::string text, files.Read(options.config_file, kMostBytes));
  return ParseConfiguration(text, options).WithContext(options.config_file);
}

}  // namespace hearth::operator_app
