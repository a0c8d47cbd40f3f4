#include "operator_app/configuration.h"

#include <fmt/format.h>

#include <functional>
#include <vector>

#include "json/value.h"
#include "json/yaml.h"

namespace hearth::operator_app {
namespace {

using json::Value;

constexpr uint64_t kMostBytes = 1 << 20;
constexpr const char* kApiVersion = "operator.config.dynamo.nvidia.com/v1alpha1";
constexpr const char* kKind = "OperatorConfiguration";

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

Status TakeMode(const Value& value, OperatorOptions& options) {
  const std::string mode = value.StringOr("");
  if (mode != "auto" && mode != "manual") {
    return InvalidError("must be auto or manual");
  }
  options.webhooks.certificates = mode;
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

std::string& HealthAddress(OperatorOptions& options) { return options.manager.health_address; }
std::string& WebhookAddress(OperatorOptions& options) { return options.webhooks.address; }

const std::vector<Field>& Fields() {
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
      {"orchestrators.grove.enabled", Flag([](Options & o) -> auto& { return o.grove; })},
  };
  return kFields;
}

Status CheckKind(const Value& document) {
  const Value* version = document.Find("apiVersion");
  const Value* kind = document.Find("kind");
  if (version == nullptr || kind == nullptr || version->StringOr("") != kApiVersion ||
      kind->StringOr("") != kKind) {
    return InvalidError(fmt::format("must be a {} of {}", kKind, kApiVersion));
  }
  return {};
}

}  // namespace

Status ParseConfiguration(const std::string& text, OperatorOptions& options) {
  ASSIGN_OR_RETURN(const Value document, json::ParseYamlDocument(text));
  RETURN_IF_ERROR(CheckKind(document));
  OperatorOptions changed = options;
  for (const Field& field : Fields()) {
    const Value* value = document.FindPath(field.path);
    if (value != nullptr && !value->IsNull()) {
      RETURN_IF_ERROR(field.take(*value, changed).WithContext(field.path));
    }
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
