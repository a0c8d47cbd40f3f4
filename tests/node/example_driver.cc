#include "example_driver.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "base/file_system.h"
#include "base/strings.h"
#include "eventually.h"

namespace hearth::node {
namespace {

namespace fs = std::filesystem;

// As the driver's library for such files calls those of a claim: vendor, class, uid.
constexpr std::string_view kClaimFile = "k8s.gpu.example.com-gpu_";
constexpr std::string_view kForAllClaims = "common";

}  // namespace

Result<std::unique_ptr<ExampleDriver>> ExampleDriver::Start(kube::TestControlPlane& plane,
                                                            const KubeletRig& node, int devices) {
  ASSIGN_OR_RETURN(const kube::KubeBinaries binaries, kube::KubeBinaries::Find());
  if (::access(binaries.example_driver.c_str(), X_OK) != 0) {
    return NotFoundError(binaries.example_driver +
                         " is not there; tools/kube-assets dra-example-kubeletplugin builds it");
  }
  const std::string log = node.cdi_directory() + ".driver.log";
  const ChildProcess::Spec spec{
      .argv = {binaries.example_driver, "--kubeconfig=" + plane.kubeconfig_path(),
               "--node-name=" + node.node_name(), "--cdi-root=" + node.cdi_directory(),
               "--kubelet-plugins-directory-path=" + node.plugins_directory(),
               "--kubelet-registrar-directory-path=" + node.registration_directory(),
               fmt::format("--num-devices={}", devices)},
      // It writes the node's name into containers from there.
      .env = {{"NODE_NAME", node.node_name()}},
      .log_path = log};
  ASSIGN_OR_RETURN(ChildProcess process, ChildProcess::Start(spec));
  std::unique_ptr<ExampleDriver> driver(
      new ExampleDriver(plane, node.cdi_directory(), std::move(process), log));
  const auto offered = [&] {
    return plane
        .Kubectl({"get", "resourceslices", "-o", "jsonpath={.items[*].spec.devices[*].name}"})
        .value_or("");
  };
  const bool up = Eventually([&] {
    return !driver->process_.Running() ||
           Split(offered(), ' ').size() == static_cast<size_t>(devices);
  });
  if (!up || !driver->process_.Running()) {
    return UnavailableError(fmt::format("the example driver {}; its log ends:\n{}",
                                        up ? "ended" : "offers nothing", driver->LogTail()));
  }
  return driver;
}

// The devices that it offered are nobody's then.
ExampleDriver::~ExampleDriver() {
  process_.Stop(std::chrono::seconds(10));
  static_cast<void>(plane_.Kubectl({"delete", "resourceslices", "--all"}));
}

std::vector<std::string> ExampleDriver::PreparedClaims() const {
  std::vector<std::string> uids;
  for (const auto& entry : fs::directory_iterator(cdi_)) {
    const std::string name = entry.path().stem().string();
    if (name.starts_with(kClaimFile) && !name.ends_with(kForAllClaims)) {
      uids.push_back(name.substr(kClaimFile.size()));
    }
  }
  return uids;
}

std::string ExampleDriver::LogTail() const {
  const std::string text = RealFileSystem().Read(log_, 64 << 20).value_or("");
  return text.substr(text.size() > 3000 ? text.size() - 3000 : 0);
}

}  // namespace hearth::node
