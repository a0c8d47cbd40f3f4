#include "agent/container/container.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/strings.h"

namespace hearth::agent {

std::string_view WithoutScheme(std::string_view container_id) {
  for (const std::string_view scheme : {"containerd://", "cri-o://", "crio://"}) {
    if (container_id.starts_with(scheme)) {
      return container_id.substr(scheme.size());
    }
  }
  return container_id;
}

Status CheckContainerId(std::string_view id) {
  const auto allowed = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '_' || c == '.' || c == '+';
  };
  constexpr size_t kLongest = 255;
  if (id.empty() || id.size() > kLongest || id.front() == '-' || id.front() == '.' ||
      !std::all_of(id.begin(), id.end(), allowed)) {
    return InvalidError(fmt::format("'{}' is not a container's id", Excerpt(id, 100)));
  }
  return Status::Ok();
}

std::string Describe(const PodContainer& container) {
  const bool by_uid = container.pod_name.empty();
  return fmt::format("container {} of pod {}", container.name.empty() ? "(any)" : container.name,
                     by_uid ? container.pod_uid
                            : fmt::format("{}/{}", container.pod_namespace, container.pod_name));
}

std::string_view PhaseName(ContainerState::Phase phase) {
  switch (phase) {
    case ContainerState::Phase::kCreated:
      return "created";
    case ContainerState::Phase::kRunning:
      return "running";
    case ContainerState::Phase::kExited:
      return "exited";
    case ContainerState::Phase::kUnknown:
      break;
  }
  return "in an unknown state";
}

Result<Container> ContainerRuntime::FindInPod(const PodContainer&, const WaitLimit&) {
  return UnsupportedError("this container runtime knows no pods");
}

Result<ContainerState> ContainerRuntime::StateOf(std::string_view, const WaitLimit&) {
  return UnsupportedError("this container runtime tells no states");
}

Status ContainerRuntime::Stop(std::string_view, Duration, const WaitLimit&) {
  return UnsupportedError("this container runtime stops nothing");
}

Result<std::unique_ptr<ContainerEvents>> ContainerRuntime::Watch(const WaitLimit&) {
  return UnsupportedError("this container runtime tells no events");
}

}  // namespace hearth::agent
