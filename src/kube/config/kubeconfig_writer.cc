#include "base/base64.h"
#include "json/value.h"
#include "json/yaml.h"
#include "kube/config/config.h"

namespace hearth::kube {
namespace {

using json::Value;

constexpr const char* kName = "hearth";

Value ClusterOf(const Config& config) {
  Value cluster = Value::Object({{"server", config.server.ToString() + config.path_prefix}});
  if (!config.ca_pem.empty()) {
    cluster.Set("certificate-authority-data", EncodeBase64(config.ca_pem));
  }
  if (!config.server_name.empty()) {
    cluster.Set("tls-server-name", config.server_name);
  }
  if (config.insecure_skip_verify) {
    cluster.Set("insecure-skip-tls-verify", true);
  }
  return cluster;
}

Value UserOf(const Config& config, const std::string& token) {
  Value user = Value::Object();
  if (!token.empty()) {
    user.Set("token", token);
  }
  if (!config.certificate_pem.empty()) {
    user.Set("client-certificate-data", EncodeBase64(config.certificate_pem));
    user.Set("client-key-data", EncodeBase64(config.private_key_pem));
  }
  return user;
}

Value Named(std::string_view what, Value body) {
  return Value::Array({Value::Object({{"name", kName}, {std::string(what), std::move(body)}})});
}

}  // namespace

std::string WriteKubeconfig(const Config& config, const std::string& token) {
  Value context = Value::Object({{"cluster", kName}, {"user", kName}});
  if (!config.name_space.empty()) {
    context.Set("namespace", config.name_space);
  }
  return json::WriteYaml(Value::Object({{"apiVersion", "v1"},
                                        {"kind", "Config"},
                                        {"clusters", Named("cluster", ClusterOf(config))},
                                        {"users", Named("user", UserOf(config, token))},
                                        {"contexts", Named("context", std::move(context))},
                                        {"current-context", kName}}));
}

}  // namespace hearth::kube
