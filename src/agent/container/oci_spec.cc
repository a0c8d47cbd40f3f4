#include "agent/container/oci_spec.h"

#include <fmt/format.h>

#include "json/parse.h"

namespace hearth::agent {
namespace {

using json::View;

Status Wrong(std::string_view what) {
  return InvalidError(fmt::format("OCI configuration: {}", what));
}

Status ReadPaths(View list, std::string_view name, std::vector<std::string>& paths) {
  if (list.exists() && !list.IsArray() && !list.IsNull()) {
    return Wrong(fmt::format("{} must be a list", name));
  }
  for (const View item : list.items()) {
    auto path = item.String();
    if (!path || !path->starts_with('/')) {
      return Wrong(fmt::format("{} must hold absolute paths", name));
    }
    paths.push_back(*std::move(path));
  }
  return Status::Ok();
}

// A bind mount is one by its type, or by its options alone.
bool IsBind(View mount) {
  if (mount["type"].Equals("bind")) {
    return true;
  }
  for (const View option : mount["options"].items()) {
    if (option.Equals("bind") || option.Equals("rbind")) {
      return true;
    }
  }
  return false;
}

Status ReadMounts(View list, OciSpec& spec) {
  if (list.exists() && !list.IsArray() && !list.IsNull()) {
    return Wrong("mounts must be a list");
  }
  for (const View mount : list.items()) {
    const auto destination = mount["destination"].String();
    if (!destination || destination->empty()) {
      return Wrong("a mount has no destination");
    }
    spec.managed.mounts.push_back(*destination);
    if (IsBind(mount)) {
      spec.bind_destinations.push_back(*destination);
    }
  }
  return Status::Ok();
}

// The last one counts, as it does for the process.
std::string Variable(View process, std::string_view name) {
  const std::string prefix = std::string(name) + "=";
  std::string value;
  for (const View item : process["env"].items()) {
    const std::string text = item.StringOr("");
    if (text.starts_with(prefix)) {
      value = text.substr(prefix.size());
    }
  }
  return value;
}

}  // namespace

Result<OciSpec> ParseOciSpec(std::string_view json) {
  ASSIGN_OR_RETURN(const json::Blob blob, json::Parse(json));
  return ReadOciSpec(blob.view());
}

Result<OciSpec> ReadOciSpec(View top) {
  if (!top.IsObject()) {
    return Wrong("must be a map");
  }
  OciSpec spec;
  RETURN_IF_ERROR(ReadMounts(top["mounts"], spec));
  RETURN_IF_ERROR(ReadPaths(top["linux"]["maskedPaths"], "linux.maskedPaths", spec.managed.masked));
  RETURN_IF_ERROR(
      ReadPaths(top["linux"]["readonlyPaths"], "linux.readonlyPaths", spec.managed.readonly));
  spec.root = top["root"]["path"].StringOr("");
  spec.visible_devices = Variable(top["process"], "NVIDIA_VISIBLE_DEVICES");
  for (const View name : top["process"]["capabilities"]["bounding"].items()) {
    spec.capabilities.push_back(name.StringOr(""));
  }
  return spec;
}

Result<OciState> ParseOciState(std::string_view json) {
  ASSIGN_OR_RETURN(const json::Blob blob, json::Parse(json));
  const View top = blob.view();
  OciState state{.id = top["id"].StringOr(""),
                 .status = top["status"].StringOr(""),
                 .pid = 0,
                 .bundle = top["bundle"].StringOr("")};
  const int64_t pid = top["pid"].Int().value_or(0);
  if (state.id.empty() || state.status.empty() || pid < 0 || pid > 0x7fffffff) {
    return InvalidError("OCI state: has no id, status or pid");
  }
  state.pid = static_cast<int>(pid);
  return state;
}

}  // namespace hearth::agent
