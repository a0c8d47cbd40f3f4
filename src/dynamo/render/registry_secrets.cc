#include "dynamo/render/registry_secrets.h"

#include "base/base64.h"
#include "json/parse.h"

namespace hearth::dynamo {
namespace {

constexpr std::string_view kDocker = "docker.io";

// "https://index.docker.io/v1/" is what Docker's own registry is called by those who log in there.
std::string Plain(std::string_view registry) {
  if (const size_t scheme = registry.find("://"); scheme != std::string_view::npos) {
    registry.remove_prefix(scheme + 3);
  }
  while (registry.ends_with('/')) {
    registry.remove_suffix(1);
  }
  for (const std::string_view version : {"/v1", "/v2"}) {
    if (registry.ends_with(version)) {
      registry.remove_suffix(version.size());
    }
  }
  return std::string(registry == "index.docker.io" ? kDocker : registry);
}

bool NamesARegistry(std::string_view first) {
  return first.find_first_of(".:") != std::string_view::npos || first == "localhost";
}

std::string WithRegistry(std::string_view image) {
  const size_t slash = image.find('/');
  if (slash != std::string_view::npos && NamesARegistry(image.substr(0, slash))) {
    return std::string(image);
  }
  return std::string(kDocker) + "/" + std::string(image);
}

}  // namespace

std::vector<std::string> RegistriesOf(json::View secret_data) {
  const auto text = DecodeBase64(secret_data[".dockerconfigjson"].StringOr(""));
  const auto config = text.ok() ? json::Parse(*text) : Result<json::Blob>(text.status());
  std::vector<std::string> registries;
  if (config.ok()) {
    for (const auto& member : config->view()["auths"].members()) {
      registries.push_back(Plain(member.Name()));
    }
  }
  return registries;
}

bool Serves(std::string_view registry, std::string_view image) {
  const std::string whole = WithRegistry(image);
  return !registry.empty() && whole.starts_with(registry) && whole.size() > registry.size() &&
         whole[registry.size()] == '/';
}

}  // namespace hearth::dynamo
