#include "gms/protocol/socket_path.h"

#include <fmt/format.h>
#include <sys/un.h>

#include <cstdlib>
#include <vector>

#include "base/file_system.h"
#include "base/strings.h"

namespace hearth::gms {
namespace {

std::string NonEmpty(const Environment& environment, const std::string& name) {
  return environment(name).value_or("");
}

bool IsUuid(std::string_view text) { return text.starts_with("GPU-") || text.starts_with("MIG-"); }

// Trimmed, empty ones dropped.
std::vector<std::string> Elements(std::string text) {
  for (char& c : text) {
    c = c == ';' ? ',' : c;
  }
  std::vector<std::string> elements;
  for (const std::string_view piece : Split(text, ',')) {
    if (!Trim(piece).empty()) {
      elements.emplace_back(Trim(piece));
    }
  }
  return elements;
}

std::optional<std::string> At(const std::vector<std::string>& elements, int index) {
  if (index < 0 || static_cast<size_t>(index) >= elements.size()) {
    return std::nullopt;
  }
  return elements[static_cast<size_t>(index)];
}

}  // namespace

Environment ProcessEnvironment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::string SocketDirectory(const Environment& environment) {
  for (const char* name : {"GMS_SOCKET_DIR", "TMPDIR"}) {
    if (std::string value = NonEmpty(environment, name); !value.empty()) {
      return value;
    }
  }
  return "/tmp";
}

std::string DomainSocketPath(std::string_view directory, std::string_view uuid,
                             std::string_view tag) {
  return fmt::format("{}/gms_{}_{}.sock", directory, uuid, tag);
}

std::string OrdinalSocketPath(std::string_view directory, int ordinal, std::string_view tag) {
  return fmt::format("{}/gms_{}_{}.sock", directory, ordinal, tag);
}

std::string AdminSocketPath(std::string_view directory) {
  return fmt::format("{}/gms_admin.sock", directory);
}

std::string AdminSocketPath(std::string_view directory, std::string_view name) {
  return fmt::format("{}/gms_admin_{}.sock", directory, name);
}

std::vector<std::string> AdminSocketsIn(const std::string& directory) {
  std::vector<std::string> sockets;
  const auto names = RealFileSystem().List(directory);
  if (!names.ok()) {
    return sockets;
  }
  for (const std::string& name : *names) {  // sorted, and '.' comes before '_'
    if (name == "gms_admin.sock" || (name.starts_with("gms_admin_") && name.ends_with(".sock"))) {
      sockets.push_back(fmt::format("{}/{}", directory, name));
    }
  }
  return sockets;
}

Status CheckSocketPath(std::string_view path) {
  constexpr size_t kMost = sizeof(sockaddr_un::sun_path) - 1;
  if (path.empty() || path.size() > kMost) {
    return InvalidError(
        fmt::format("socket path '{}' has {} bytes, too long for AF_UNIX, which takes 1 to {}: set "
                    "GMS_SOCKET_DIR to a shorter directory",
                    path, path.size(), kMost));
  }
  return Status::Ok();
}

std::optional<std::string> UuidFromEnvironment(int device, const Environment& environment) {
  const std::string own = NonEmpty(environment, fmt::format("GMS_GPU_UUID_{}", device));
  if (!Trim(own).empty()) {
    return std::string(Trim(own));
  }
  if (auto uuid = At(Elements(NonEmpty(environment, "GMS_GPU_UUIDS")), device)) {
    return uuid;
  }
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"}) {
    std::vector<std::string> elements = Elements(NonEmpty(environment, name));
    std::erase_if(elements, [](const std::string& element) { return !IsUuid(element); });
    if (auto uuid = At(elements, device)) {
      return uuid;
    }
  }
  return std::nullopt;
}

}  // namespace hearth::gms
