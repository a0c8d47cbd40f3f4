#include "agent/cri/cri_runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "agent/cri/cri_info.h"
#include "agent/cri/internal/cri_client.h"
#include "base/strings.h"

namespace hearth::agent {
namespace {

using internal::CriContainer;
using internal::CriStatus;
using Labels = std::map<std::string, std::string>;

// What kubelets label containers with.
constexpr const char* kPodUid = "io.kubernetes.pod.uid";
constexpr const char* kPodName = "io.kubernetes.pod.name";
constexpr const char* kPodNamespace = "io.kubernetes.pod.namespace";
constexpr const char* kContainerName = "io.kubernetes.container.name";

constexpr std::array<const char*, 3> kUsualSockets = {"/run/containerd/containerd.sock",
                                                      "/run/crio/crio.sock",
                                                      "/run/k3s/containerd/containerd.sock"};

std::string LabelOr(const Labels& labels, const char* name) {
  const auto label = labels.find(name);
  return label == labels.end() ? "" : label->second;
}

Labels LabelsOf(const PodContainer& which) {
  Labels labels;
  for (const auto& [name, value] :
       {std::pair(kPodUid, which.pod_uid), std::pair(kPodName, which.pod_name),
        std::pair(kPodNamespace, which.pod_namespace), std::pair(kContainerName, which.name)}) {
    if (!value.empty()) {
      labels.emplace(name, value);
    }
  }
  return labels;
}

bool HasAll(const Labels& labels, const Labels& wanted) {
  return std::includes(labels.begin(), labels.end(), wanted.begin(), wanted.end());
}

bool Runs(const CriContainer& container) {
  return container.state.phase == ContainerState::Phase::kRunning;
}

Status NotRunning(std::string_view what, const ContainerState& state) {
  const bool exited = state.phase == ContainerState::Phase::kExited;
  return UnavailableError(
      fmt::format("{} is {}, not running{}{}", what, PhaseName(state.phase),
                  exited ? fmt::format("; exit code {}", state.exit_code) : "",
                  state.reason.empty() ? "" : fmt::format(" ({})", Excerpt(state.reason, 100))));
}

Container Joined(CriStatus status, CriInfo info) {
  Container container;
  container.id = std::move(status.container.id);
  container.pid = info.pid;
  container.managed = std::move(info.spec.managed);
  container.bind_destinations = std::move(info.spec.bind_destinations);
  container.visible_devices = std::move(info.spec.visible_devices);
  container.capabilities = std::move(info.spec.capabilities);
  container.image = std::move(status.image);
  container.image_digest = DigestOf(status.image_reference);
  container.labels = std::move(status.container.labels);
  container.in_pod = {.pod_uid = LabelOr(container.labels, kPodUid),
                      .pod_name = LabelOr(container.labels, kPodName),
                      .pod_namespace = LabelOr(container.labels, kPodNamespace),
                      .name = LabelOr(container.labels, kContainerName)};
  container.log_path = std::move(status.log_path);
  container.snapshotter = std::move(info.snapshotter);
  container.snapshot_key = std::move(info.snapshot_key);
  return container;
}

class CriRuntime : public ContainerRuntime {
 public:
  CriRuntime(CriOptions options, Clock& clock)
      : socket_(options.socket), client_(std::move(options), clock) {}

  Result<std::string> Version(const WaitLimit& limit) override {
    ASSIGN_OR_RETURN(const auto version, client_.Version(limit));
    return fmt::format("{} {}", Excerpt(version.name, 100), Excerpt(version.version, 100));
  }

  Result<Container> Find(std::string_view id, const WaitLimit& limit) override {
    ASSIGN_OR_RETURN(CriStatus status, Ask(id, true, limit));
    const std::string what = fmt::format("container {} at {}", id, socket_);
    if (!Runs(status.container)) {
      return NotRunning(what, status.container.state);
    }
    const auto text = status.info.find("info");
    if (text == status.info.end()) {
      return UnsupportedError(
          fmt::format("{}: this runtime does not tell its process and configuration; containerd "
                      "and CRI-O do",
                      what));
    }
    ASSIGN_OR_RETURN(CriInfo info, ParseCriInfo(text->second).WithContext(what));
    return Joined(std::move(status), std::move(info));
  }

  Result<Container> FindInPod(const PodContainer& which, const WaitLimit& limit) override {
    const Labels wanted = LabelsOf(which);
    if ((which.pod_uid.empty() && which.pod_name.empty()) || which.name.empty()) {
      return InvalidError("a container in a pod is named by the pod and its own name");
    }
    ASSIGN_OR_RETURN(auto listed, client_.List(wanted, limit));
    // The selection is the server's; that it is one is checked here.
    std::erase_if(listed, [&](const CriContainer& c) { return !HasAll(c.labels, wanted); });
    if (listed.empty()) {
      return NotFoundError(fmt::format("{} is not at {}", Describe(which), socket_));
    }
    const auto best = std::max_element(
        listed.begin(), listed.end(), [](const CriContainer& a, const CriContainer& b) {
          return std::pair(Runs(a), a.created_at) < std::pair(Runs(b), b.created_at);
        });
    return Find(best->id, limit).WithContext(Describe(which));
  }

  Result<ContainerState> StateOf(std::string_view id, const WaitLimit& limit) override {
    ASSIGN_OR_RETURN(const CriStatus status, Ask(id, false, limit));
    return status.container.state;
  }

  Status Stop(std::string_view id, Duration grace, const WaitLimit& limit) override {
    RETURN_IF_ERROR(CheckContainerId(id));
    return client_.Stop(std::string(id), grace, limit);
  }

  Result<std::unique_ptr<ContainerEvents>> Watch(const WaitLimit& limit) override {
    ASSIGN_OR_RETURN(const auto version, client_.Version(limit));
    return version.name == "containerd" ? client_.ContainerdEvents() : client_.CriEvents();
  }

 private:
  Result<CriStatus> Ask(std::string_view id, bool verbose, const WaitLimit& limit) {
    RETURN_IF_ERROR(CheckContainerId(id));
    ASSIGN_OR_RETURN(CriStatus status, client_.Status(std::string(id), verbose, limit));
    // Runtimes take beginnings of ids as well.
    if (!status.container.id.starts_with(id)) {
      return InternalError(fmt::format("asked for container {}, {} answers about '{}'", id, socket_,
                                       Excerpt(status.container.id, 100)));
    }
    return status;
  }

  std::string socket_;
  internal::CriClient client_;
};

}  // namespace

Result<std::unique_ptr<ContainerRuntime>> MakeCriRuntime(CriOptions options, Clock& clock) {
  constexpr std::string_view kScheme = "unix://";
  if (options.socket.starts_with(kScheme)) {
    options.socket.erase(0, kScheme.size());
  }
  if (!options.socket.starts_with('/')) {
    return InvalidError(fmt::format("'{}' is not the absolute path of a container runtime's socket",
                                    Excerpt(options.socket, 200)));
  }
  return std::make_unique<CriRuntime>(std::move(options), clock);
}

Result<std::string> FindCriSocket(FileSystem& files, const std::string& root) {
  for (const char* const socket : kUsualSockets) {
    if (files.Stat(root + socket).ok()) {
      return root + socket;
    }
  }
  return NotFoundError(fmt::format("no container runtime has its socket at {}",
                                   Join({kUsualSockets.begin(), kUsualSockets.end()}, ", ")));
}

}  // namespace hearth::agent
