#include "gms/client/socket_path.h"

#include <fmt/format.h>
#include <sys/un.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <vector>

#include "base/strings.h"

namespace hearth::gms {
namespace {

// Elements of a list divided by commas or semicolons, without blanks.
std::vector<std::string> Elements(std::string text) {
  std::replace(text.begin(), text.end(), ';', ',');
  std::vector<std::string> elements;
  for (const std::string_view piece : Split(text, ',')) {
    if (const std::string_view element = Trim(piece); !element.empty()) {
      elements.emplace_back(element);
    }
  }
  return elements;
}

bool IsUuid(const std::string& text) {
  return text.starts_with("GPU-") || text.starts_with("MIG-");
}

std::optional<std::string> Element(const std::vector<std::string>& elements, int index) {
  if (index < 0 || static_cast<size_t>(index) >= elements.size()) {
    return std::nullopt;
  }
  return elements[static_cast<size_t>(index)];
}

std::optional<std::string> FromEnvironment(int ordinal, const ReadEnvironment& environment) {
  const auto own = environment(fmt::format("GMS_GPU_UUID_{}", ordinal));
  if (own && !Trim(*own).empty()) {
    return std::string(Trim(*own));
  }
  if (auto uuid = Element(Elements(environment("GMS_GPU_UUIDS").value_or("")), ordinal)) {
    return uuid;
  }
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "NVIDIA_VISIBLE_DEVICES"}) {
    std::vector<std::string> elements = Elements(environment(name).value_or(""));
    std::erase_if(elements, [](const std::string& element) { return !IsUuid(element); });
    if (auto uuid = Element(elements, ordinal)) {
      return uuid;
    }
  }
  return std::nullopt;
}

}  // namespace

ReadEnvironment ProcessEnvironment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::string DefaultSocketDir(const ReadEnvironment& environment) {
  for (const char* name : {"GMS_SOCKET_DIR", "TMPDIR"}) {
    if (auto dir = environment(name); dir && !dir->empty()) {
      return *dir;
    }
  }
  return "/tmp";
}

Result<std::string> DeviceUuid(int ordinal, const UuidLookup& lookup,
                               const ReadEnvironment& environment) {
  if (auto uuid = FromEnvironment(ordinal, environment)) {
    return *uuid;
  }
  if (!lookup) {
    return NotFoundError(
        fmt::format("the environment does not tell the UUID of device {}: set GMS_GPU_UUID_{}",
                    ordinal, ordinal));
  }
  return lookup(ordinal);
}

Result<std::string> SocketPath(std::string_view dir, std::string_view device,
                               std::string_view tag) {
  const std::string path = fmt::format("{}/gms_{}_{}.sock", dir, device, tag);
  if (path.size() >= sizeof(sockaddr_un::sun_path)) {
    return InvalidError(
        fmt::format("socket path {} is too long for AF_UNIX: {} bytes, at most {}; "
                    "set GMS_SOCKET_DIR to a shorter folder",
                    path, path.size(), sizeof(sockaddr_un::sun_path) - 1));
  }
  return path;
}

}  // namespace hearth::gms
