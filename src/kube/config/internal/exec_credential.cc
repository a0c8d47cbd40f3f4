#include "kube/config/internal/exec_credential.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "json/builder.h"
#include "json/parse.h"
#include "json/time.h"
#include "kube/config/internal/authorization.h"

namespace hearth::kube::internal {
namespace {

constexpr std::array<std::string_view, 2> kVersions = {"client.authentication.k8s.io/v1",
                                                       "client.authentication.k8s.io/v1beta1"};

Status Wrong(const ExecPlugin& plugin, std::string_view what) {
  return InvalidError(fmt::format("credential plugin {}: {}", plugin.command, what));
}

Status CheckKind(json::View answer, const ExecPlugin& plugin) {
  if (!answer["kind"].Equals("ExecCredential")) {
    return Wrong(plugin, fmt::format("it printed an object of kind \"{}\", not an ExecCredential",
                                     Excerpt(answer["kind"].StringOr(""), 40)));
  }
  if (!answer["apiVersion"].Equals(plugin.api_version)) {
    return Wrong(plugin,
                 fmt::format("it answered in version \"{}\"; the kubeconfig says \"{}\"",
                             Excerpt(answer["apiVersion"].StringOr(""), 80), plugin.api_version));
  }
  return Status::Ok();
}

Status ReadCertificate(json::View status, const ExecPlugin& plugin, Credentials::Current& into) {
  into.certificate_pem = status["clientCertificateData"].StringOr("");
  into.private_key_pem = status["clientKeyData"].StringOr("");
  if (into.certificate_pem.empty() != into.private_key_pem.empty()) {
    return Wrong(plugin, "clientCertificateData and clientKeyData must come together");
  }
  return Status::Ok();
}

Result<std::optional<WallTime>> ReadExpiry(json::View status, const ExecPlugin& plugin) {
  const auto text = status["expirationTimestamp"].String();
  if (!text.has_value()) {
    return std::optional<WallTime>();
  }
  const auto time = json::Time::Parse(*text);
  if (time.status().reason() == json::kTimeTooLate) {
    return std::optional<WallTime>();  // 9999-12-31 is how some say "never"
  }
  if (!time.ok()) {
    return Wrong(plugin,
                 fmt::format("expirationTimestamp \"{}\" is no RFC 3339 time", Excerpt(*text, 40)));
  }
  return std::optional<WallTime>(time->at);
}

}  // namespace

Status CheckExecPlugin(const ExecPlugin& plugin) {
  if (std::find(kVersions.begin(), kVersions.end(), plugin.api_version) == kVersions.end()) {
    return UnsupportedError(fmt::format(
        "credential plugin {}: apiVersion \"{}\" is not supported; use {} (a newer version of the "
        "plugin, or the tool that wrote the kubeconfig, usually changes it)",
        plugin.command, plugin.api_version, kVersions[0]));
  }
  if (plugin.interactive_always) {
    return UnsupportedError(
        fmt::format("credential plugin {}: interactiveMode Always needs a terminal and there is "
                    "none here; use a plugin that works without one",
                    plugin.command));
  }
  return Status::Ok();
}

std::string WriteExecInfo(const ExecPlugin& plugin) {
  json::Builder builder;
  builder.BeginObject();
  builder.Key("apiVersion").String(plugin.api_version).Key("kind").String("ExecCredential");
  builder.Key("spec").BeginObject().Key("interactive").Bool(false);
  if (!plugin.cluster_info_json.empty()) {
    builder.Key("cluster").Raw(json::View::Trusted(plugin.cluster_info_json));
  }
  builder.EndObject().EndObject();
  return builder.Take();
}

Result<ExecAnswer> ParseExecAnswer(std::string_view output, const ExecPlugin& plugin) {
  const auto parsed = json::Parse(output);
  if (!parsed.ok()) {
    return Wrong(plugin, "what it printed is not JSON");
  }
  RETURN_IF_ERROR(CheckKind(parsed->view(), plugin));
  const json::View status = parsed->view()["status"];
  ExecAnswer answer;
  const std::string token = status["token"].StringOr("");
  if (!token.empty()) {
    auto header = BearerHeader(token);
    RETURN_IF_ERROR(header.ok() ? Status::Ok() : Wrong(plugin, header.status().message()));
    answer.current.authorization = *std::move(header);
  }
  RETURN_IF_ERROR(ReadCertificate(status, plugin, answer.current));
  if (token.empty() && answer.current.certificate_pem.empty()) {
    return Wrong(plugin, "its answer holds neither a token nor a client certificate in \"status\"");
  }
  ASSIGN_OR_RETURN(answer.expires, ReadExpiry(status, plugin));
  return answer;
}

}  // namespace hearth::kube::internal
