#include "kube/config/internal/kubeconfig_exec.h"

#include <fmt/format.h>

#include <utility>

#include "base/base64.h"
#include "json/value.h"

namespace hearth::kube::internal {
namespace {

// Where a cluster entry keeps what is meant for plugins.
constexpr std::string_view kExtension = "client.authentication.k8s.io/exec";

const json::Value* PluginExtension(const KubeconfigEntry& cluster) {
  const json::Value* extensions = cluster.body().Find("extensions");
  if (extensions == nullptr || !extensions->IsArray()) {
    return nullptr;
  }
  for (const json::Value& item : extensions->items()) {
    const json::Value* name = item.Find("name");
    if (name != nullptr && name->StringOr("") == kExtension) {
      return item.Find("extension");
    }
  }
  return nullptr;
}

std::string ClusterInfo(const KubeconfigEntry& cluster, const Config& config) {
  json::Value info =
      json::Value::Object({{"server", config.server.ToString() + config.path_prefix}});
  if (!config.server_name.empty()) {
    info.Set("tls-server-name", config.server_name);
  }
  if (config.insecure_skip_verify) {
    info.Set("insecure-skip-tls-verify", true);
  }
  if (!config.ca_pem.empty()) {
    info.Set("certificate-authority-data", EncodeBase64(config.ca_pem));
  }
  if (const json::Value* extension = PluginExtension(cluster)) {
    info.Set("config", *extension);
  }
  return info.Write();
}

Result<std::vector<std::string>> ReadArgs(const KubeconfigEntry& exec) {
  std::vector<std::string> args;
  if (!exec.Has("args")) {
    return args;
  }
  const json::Value& list = *exec.body().Find("args");
  for (size_t i = 0; list.IsArray() && i < list.items().size(); ++i) {
    if (list.items()[i].IsString()) {
      args.push_back(list.items()[i].string());
    }
  }
  if (!list.IsArray() || args.size() != list.items().size()) {
    return exec.Error(Code::kInvalid, "exec.args must be a list of strings; put numbers in quotes");
  }
  return args;
}

Result<std::vector<std::pair<std::string, std::string>>> ReadEnv(const KubeconfigEntry& exec) {
  std::vector<std::pair<std::string, std::string>> env;
  if (!exec.Has("env")) {
    return env;
  }
  const json::Value& list = *exec.body().Find("env");
  const Status wrong = exec.Error(
      Code::kInvalid, "exec.env must be a list of objects with name and value, both strings");
  if (!list.IsArray()) {
    return wrong;
  }
  for (const json::Value& item : list.items()) {
    const json::Value* name = item.Find("name");
    const json::Value* value = item.Find("value");
    if (name == nullptr || !name->IsString() || value == nullptr || !value->IsString()) {
      return wrong;
    }
    env.emplace_back(name->string(), value->string());
  }
  return env;
}

// A command with a slash that is not absolute lies beside the kubeconfig; one without is looked up
// in PATH.
Result<std::string> ReadCommand(const KubeconfigEntry& exec) {
  ASSIGN_OR_RETURN(std::string command, exec.Text("command"));
  if (command.empty()) {
    return exec.Error(Code::kInvalid,
                      "exec.command is missing: which program gives the credentials?");
  }
  return command.find('/') == std::string::npos ? command : exec.ResolvePath(command);
}

Result<bool> ReadInteractiveAlways(const KubeconfigEntry& exec) {
  ASSIGN_OR_RETURN(const std::string mode, exec.Text("interactiveMode"));
  if (!mode.empty() && mode != "Never" && mode != "IfAvailable" && mode != "Always") {
    return exec.Error(Code::kInvalid, "exec.interactiveMode must be Never, IfAvailable or Always");
  }
  return mode == "Always";
}

}  // namespace

Result<ExecPlugin> ReadExec(const KubeconfigEntry& user, const KubeconfigEntry& cluster,
                            const Config& config) {
  const json::Value& body = *user.body().Find("exec");
  if (!body.IsObject()) {
    return user.Error(Code::kInvalid, "exec must be an object");
  }
  const KubeconfigEntry exec("user", user.name(), user.file(), body);
  ExecPlugin plugin;
  ASSIGN_OR_RETURN(plugin.api_version, exec.Text("apiVersion"));
  ASSIGN_OR_RETURN(plugin.command, ReadCommand(exec));
  ASSIGN_OR_RETURN(plugin.args, ReadArgs(exec));
  ASSIGN_OR_RETURN(plugin.env, ReadEnv(exec));
  ASSIGN_OR_RETURN(plugin.install_hint, exec.Text("installHint"));
  ASSIGN_OR_RETURN(plugin.interactive_always, ReadInteractiveAlways(exec));
  ASSIGN_OR_RETURN(const bool tell, exec.Flag("provideClusterInfo", false));
  if (tell) {
    plugin.cluster_info_json = ClusterInfo(cluster, config);
  }
  return plugin;
}

}  // namespace hearth::kube::internal
