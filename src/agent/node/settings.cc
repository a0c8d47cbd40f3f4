#include "agent/node/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/absolute_path.h"
#include "base/strings.h"
#include "json/quantity.h"
#include "json/yaml.h"
#include "snapshot/protocol/checkpoint_id.h"

namespace hearth::agent::node {
namespace {

using json::Value;

Status Wrong(std::string_view key, std::string_view rule) {
  return InvalidError(fmt::format("configuration: {} {}", key, rule));
}

Result<std::string> TextOf(std::string_view key, const Value& value) {
  if (!value.IsString() && !value.IsNull()) {
    return Wrong(key, "must be a text");
  }
  return std::string(Trim(value.StringOr("")));
}

Result<int64_t> NumberOf(std::string_view key, const Value& value, int64_t least) {
  const auto number = value.Int();
  if (!number || *number < least) {
    return Wrong(key, fmt::format("must be a whole number, {} or more", least));
  }
  return *number;
}

Result<bool> FlagOf(std::string_view key, const Value& value) {
  if (value.kind() != json::Kind::kBool) {
    return Wrong(key, "must be true or false");
  }
  return value.boolean();
}

Status ReadStorageType(std::string_view key, const Value& value, Settings&) {
  ASSIGN_OR_RETURN(const std::string type, TextOf(key, value));
  return type.empty() || type == "pvc" ? Status() : Wrong(key, "must be pvc");
}

Status ReadBasePath(std::string_view key, const Value& value, Settings& settings) {
  ASSIGN_OR_RETURN(const std::string path, TextOf(key, value));
  if (path != kStorageDirectory) {
    return Wrong(key, fmt::format("is '{}' and must be {}, where the volume of artifacts is "
                                  "mounted",
                                  Excerpt(path, 100), kStorageDirectory));
  }
  if (settings.storage_directory.empty()) {
    settings.storage_directory = path;
  }
  return {};
}

Status ReadAccessMode(std::string_view key, const Value& value, Settings&) {
  ASSIGN_OR_RETURN(const std::string mode, TextOf(key, value));
  return mode.empty() || mode == "agentMount"
             ? Status()
             : Wrong(key, "must be agentMount: workloads do not mount artifacts");
}

Status ReadCompression(std::string_view key, const Value& value, Settings& settings) {
  ASSIGN_OR_RETURN(const std::string word, TextOf(key, value));
  if (!word.empty() && word != "none" && word != "zstd") {
    return Wrong(key, "must be none or zstd");
  }
  settings.compress = word == "zstd";
  return {};
}

Status ReadSeconds(std::string_view key, const Value& value, Duration& into) {
  ASSIGN_OR_RETURN(const int64_t seconds, NumberOf(key, value, 1));
  into = std::chrono::seconds(seconds);
  return {};
}

Status ReadCount(std::string_view key, const Value& value, int& into) {
  ASSIGN_OR_RETURN(const int64_t count, NumberOf(key, value, 1));
  into = static_cast<int>(std::min<int64_t>(count, 1000));
  return {};
}

Status ReadBytes(std::string_view key, const Value& value, Settings& settings) {
  if (value.Int()) {
    ASSIGN_OR_RETURN(const int64_t bytes, NumberOf(key, value, 0));
    settings.agent.limits.bytes_in_flight = static_cast<uint64_t>(bytes);
    return {};
  }
  const auto quantity = json::Quantity::Parse(value.StringOr(""));
  const auto bytes = quantity.ok() ? quantity->ToInt() : std::nullopt;
  if (!bytes || *bytes < 0) {
    return Wrong(key, "must be a number of bytes, like 8Gi");
  }
  settings.agent.limits.bytes_in_flight = static_cast<uint64_t>(*bytes);
  return {};
}

Status ReadExclusions(std::string_view key, const Value& value, Settings& settings) {
  if (!value.IsArray()) {
    return Wrong(key, "must be a list of patterns");
  }
  settings.exclusions.clear();
  for (const Value& item : value.items()) {
    ASSIGN_OR_RETURN(std::string pattern, TextOf(key, item));
    settings.exclusions.push_back(std::move(pattern));
  }
  return {};
}

Status ReadCriu(std::string_view key, const Value& value, Settings& settings) {
  auto read = criu::ReadSettings(value);
  if (!read.ok()) {
    return read.status().WithContext(fmt::format("configuration: {}", key));
  }
  settings.criu = *std::move(read);
  return {};
}

// Every key there is. Those that end a path of their own come before what is above them.
struct Key {
  std::string_view path;
  Status (*read)(std::string_view key, const Value& value, Settings& settings);
};
const auto kPassOver = [](std::string_view, const Value&, Settings&) { return Status(); };
const Key kKeys[] = {
    {"storage.type", ReadStorageType},
    {"storage.basePath", ReadBasePath},
    {"storage.pvc.basePath", ReadBasePath},
    {"storage.accessMode", ReadAccessMode},
    {"overlay.exclusions", ReadExclusions},
    {"capture.timeoutSeconds",
     [](auto key, const auto& value, auto& settings) {
       return ReadSeconds(key, value, settings.agent.capture_timeout);
     }},
    {"capture.compression", ReadCompression},
    {"restore.restoreTimeoutSeconds",
     [](auto key, const auto& value, auto& settings) {
       return ReadSeconds(key, value, settings.agent.restore_timeout);
     }},
    {"restore.otherNamespaces",
     [](auto key, const auto& value, auto& settings) -> Status {
       ASSIGN_OR_RETURN(settings.agent.other_namespaces, FlagOf(key, value));
       return {};
     }},
    {"restore.otherImages",
     [](auto key, const auto& value, auto& settings) -> Status {
       ASSIGN_OR_RETURN(settings.other_images, FlagOf(key, value));
       return {};
     }},
    {"restore.nsRestorePath", kPassOver},  // of older versions: the helper is our own now
    {"shutdown.drainSeconds",
     [](auto key, const auto& value, auto& settings) {
       return ReadSeconds(key, value, settings.agent.drain);
     }},
    {"limits.captures",
     [](auto key, const auto& value, auto& settings) {
       return ReadCount(key, value, settings.agent.limits.captures);
     }},
    {"limits.restores",
     [](auto key, const auto& value, auto& settings) {
       return ReadCount(key, value, settings.agent.limits.restores);
     }},
    {"limits.bytesInFlight", ReadBytes},
    {"criu", ReadCriu},
};

bool IsAbove(const std::string& path) {
  const std::string prefix = path + ".";
  return std::any_of(std::begin(kKeys), std::end(kKeys),
                     [&](const Key& key) { return key.path.starts_with(prefix); });
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as the table of keys.
Status ReadMap(const std::string& prefix, const Value& map, Settings& settings) {
  for (const auto& [name, value] : map.members()) {
    const std::string path = prefix.empty() ? name : prefix + "." + name;
    const auto key = std::find_if(std::begin(kKeys), std::end(kKeys),
                                  [&](const Key& known) { return known.path == path; });
    if (key != std::end(kKeys)) {
      RETURN_IF_ERROR(key->read(path, value, settings));
    } else if (!IsAbove(path)) {
      settings.notes.push_back("configuration: " + path + " is not known and passed over");
    } else if (value.IsObject()) {
      RETURN_IF_ERROR(ReadMap(path, value, settings));
    } else if (!value.IsNull()) {
      return Wrong(path, "must be a map");
    }
  }
  return {};
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kLogLevels = {
    {{"trace", "debug"},
     {"debug", "debug"},
     {"info", "info"},
     {"warn", "warning"},
     {"error", "error"}}};

}  // namespace

void Settings::AddTo(OptionTable& table) {
  table.Add({.name = "node-name",
             .help = "Node whose pods are captured and restored",
             .target = &agent.node,
             .environment = "NODE_NAME",
             .value_name = "name"});
  table.Add({.name = "namespace",
             .help = "Namespace of the agents, for their leases; the service account's when empty",
             .target = &agent.name_space,
             .environment = "POD_NAMESPACE",
             .value_name = "name"});
  table.Add({.name = "restricted-namespace",
             .help = "Look at pods of this namespace alone; at all when empty",
             .target = &agent.only_namespace,
             .environment = "RESTRICTED_NAMESPACE",
             .value_name = "name"});
  table.Add({.name = "runtime",
             .help = "What runs the containers of the node",
             .target = &runtime,
             .environment = "RUNTIME_TYPE",
             .choices = {"containerd", "crio"}});
  table.Add({.name = "runtime-socket",
             .help = "Socket of the runtime; its usual one when empty",
             .target = &runtime_socket,
             .environment = "RUNTIME_SOCKET",
             .value_name = "path"});
  table.Add({.name = "config",
             .help = "Configuration file",
             .target = &config_file,
             .value_name = "file"});
  table.Add({.name = "storage-directory",
             .help = "Where artifacts are kept, instead of the file's storage.basePath",
             .target = &storage_directory,
             .value_name = "directory"});
  table.Add({.name = "binaries",
             .help = "Directory of CRIU and what it needs, as tools/criu makes it",
             .target = &binaries,
             .value_name = "directory"});
  table.Add({.name = "host-proc",
             .help = "Where the node's /proc is seen",
             .target = &host_proc,
             .value_name = "directory"});
  table.Add({.name = "journal-directory",
             .help = "Where it is written down what is under way, for the agent after this one: "
                     "a directory of the node",
             .target = &journal_directory,
             .value_name = "directory"});
  table.Add({.name = "kubeconfig",
             .help = "File that says how to reach the API server; the pod's service account when "
                     "empty",
             .target = &manager.config.kubeconfig,
             .value_name = "file"});
  table.Add({.name = "health-address",
             .help = "Where /healthz, /readyz and /metrics are served; none when empty",
             .target = &manager.health_address,
             .value_name = "address"});
  table.Add({.name = "log-format",
             .help = "How log lines look: text for people, json for machines",
             .target = &manager.log_format,
             .choices = {"text", "json"}});
  table.Add({.name = "log-level",
             .help = "What is logged: this and what is worse; SNAPSHOT_LOG_LEVEL when not given",
             .target = &manager.log_level,
             .choices = {"debug", "info", "warning", "error", "off"}});
}

Status ReadConfiguration(std::string_view yaml, Settings& settings) {
  auto documents = json::ParseYaml(yaml);
  if (!documents.ok()) {
    return documents.status().WithContext("configuration");
  }
  if (documents->empty()) {
    return {};
  }
  if (documents->size() > 1 || !documents->front().IsObject()) {
    return InvalidError("configuration: must be one map");
  }
  return ReadMap("", documents->front(), settings);
}

void ReadLogLevel(std::string_view word, Settings& settings) {
  if (word.empty()) {
    return;
  }
  const auto found = std::find_if(kLogLevels.begin(), kLogLevels.end(),
                                  [&](const auto& level) { return level.first == word; });
  if (found == kLogLevels.end()) {
    settings.manager.log_level = "info";
    settings.notes.push_back(
        fmt::format("SNAPSHOT_LOG_LEVEL: '{}' is none of trace, debug, info, warn, error; info is "
                    "used",
                    Excerpt(word, 50)));
    return;
  }
  settings.manager.log_level = found->second;
}

Status CompleteSettings(Settings& settings) {
  if (settings.agent.node.empty()) {
    return InvalidError("the name of the node is not known: set NODE_NAME or --node-name");
  }
  if (settings.storage_directory.empty()) {
    return InvalidError(
        fmt::format("configuration: storage.basePath is missing in {}; it must be {}",
                    settings.config_file, kStorageDirectory));
  }
  // What is beside them is found from them, and by programs that are elsewhere.
  for (std::string* const path : {&settings.storage_directory, &settings.binaries,
                                  &settings.host_proc, &settings.journal_directory}) {
    *path = AbsolutePath(*path);
  }
  RETURN_IF_ERROR(snapshot::StorageLayout::Create(settings.storage_directory));
  RETURN_IF_ERROR(criu::CheckSettings(settings.criu).WithContext("configuration: criu"));
  if (settings.compress && settings.criu.lazy_pages) {
    return InvalidError(
        "configuration: capture.compression and criu.lazyPages exclude each other: with the latter "
        "CRIU writes the memory itself");
  }
  settings.agent.needs_pod_ip = settings.criu.tcp_established;
  if (settings.runtime_socket.empty()) {
    settings.runtime_socket =
        settings.runtime == "crio" ? "/var/run/crio/crio.sock" : "/run/containerd/containerd.sock";
  }
  return {};
}

}  // namespace hearth::agent::node
