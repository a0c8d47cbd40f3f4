#include "snapshot/ctl/internal/secret_exposure.h"

#include <algorithm>
#include <array>

#include "base/secret_name.h"

namespace hearth::snapshot::ctl {
namespace {

bool Contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

}  // namespace

std::string_view KindName(Exposure::Kind kind) {
  constexpr std::array<std::string_view, 4> kNames = {"environment", "open file", "mapped file",
                                                      "mount"};
  return kNames[static_cast<size_t>(kind)];
}

bool LooksLikeSecretPath(std::string_view path) {
  constexpr std::array<std::string_view, 2> kFolders = {"/run/secrets/", "/.ssh/"};
  constexpr std::array<std::string_view, 11> kEnds = {".pem",
                                                      ".key",
                                                      ".p12",
                                                      ".pfx",
                                                      ".keytab",
                                                      "/.netrc",
                                                      "/.npmrc",
                                                      "/.kube/config",
                                                      "/.docker/config.json",
                                                      "/id_rsa",
                                                      "/.aws/credentials"};
  const bool certificate = path.ends_with("/cert.pem") || path.ends_with("/ca.pem") ||
                           Contains(path, "/ssl/certs/") || path.ends_with("/cacert.pem");
  const auto folder = [&](std::string_view part) {
    return Contains(std::string(path) + "/", part);
  };
  const auto end = [&](std::string_view part) { return path.ends_with(part); };
  return std::any_of(kFolders.begin(), kFolders.end(), folder) ||
         (!certificate && std::any_of(kEnds.begin(), kEnds.end(), end));
}

std::vector<Exposure> FindExposures(const images::Captured& captured) {
  using Kind = Exposure::Kind;
  std::vector<Exposure> found;
  const auto add_file = [&](Kind kind, uint32_t pid, const std::string& path) {
    if (LooksLikeSecretPath(path)) {
      found.push_back({kind, pid, path});
    }
  };
  for (const images::CapturedProcess& process : captured.processes) {
    for (const std::string& name : process.environment_names) {
      if (LooksLikeSecretName(name)) {
        found.push_back({Kind::kEnvironment, process.pid, name});
      }
    }
    for (const images::Descriptor& descriptor : process.descriptors) {
      add_file(Kind::kOpenFile, process.pid, captured.PathOf(descriptor.file));
    }
    for (const images::Mapping& mapping : process.mappings) {
      const bool file = mapping.kind == images::MappingKind::kFile ||
                        mapping.kind == images::MappingKind::kSharedFile;
      add_file(Kind::kMappedFile, process.pid, file ? captured.PathOf(mapping.object) : "");
    }
  }
  for (const images::SavedMount& mount : captured.mounts) {
    add_file(Kind::kMount, 0, mount.mount_point);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

}  // namespace hearth::snapshot::ctl
