#include "agent/work/real_node.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <utility>

#include "agent/claims/api_claims.h"
#include "agent/cri/cri_runtime.h"
#include "agent/criu/oldest_version.h"
#include "agent/cuda/container_gpus.h"
#include "agent/cuda/cuda_checkpoint.h"
#include "agent/host/journal_place.h"
#include "agent/kubelet/pod_resources.h"
#include "agent/work/real_work.h"

namespace hearth::agent {
namespace {

constexpr Duration kAnswer = std::chrono::seconds(5);

// Everything that the work needs, in the order in which it goes.
struct Machinery {
  std::unique_ptr<ContainerRuntime> runtime;
  std::unique_ptr<cuda::CudaCheckpoint> driver;
  std::unique_ptr<cuda::Sequence> cuda;
  std::unique_ptr<cuda::ClaimReader> claims;
  std::unique_ptr<cuda::AssignedDevices> assigned;
  std::unique_ptr<cuda::ContainerGpus> seen;
  std::unique_ptr<cuda::GpuDiscovery> gpus;
};

// Beside us, as they are installed together.
std::string OwnProgram(const std::string& name) {
  std::error_code error;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? name : (self.parent_path() / name).string();
}

Result<std::shared_ptr<Machinery>> MakeMachinery(const node::Settings& settings,
                                                 controller::Manager& manager) {
  auto machinery = std::make_shared<Machinery>();
  ASSIGN_OR_RETURN(machinery->runtime,
                   MakeCriRuntime({.socket = settings.runtime_socket}, RealClock()));
  machinery->driver = cuda::MakeCudaCheckpointProgram({.proc = settings.host_proc},
                                                      RealProcessRunner(), RealClock());
  machinery->cuda = std::make_unique<cuda::Sequence>(*machinery->driver, RealClock());
  machinery->seen = cuda::MakeDriverGpus(settings.host_proc);
  machinery->assigned = MakePodResources({}, RealClock());
  machinery->claims = MakeApiClaims(manager.client(), manager.discovery(), RealClock());
  machinery->gpus = std::make_unique<cuda::GpuDiscovery>(
      machinery->claims.get(), machinery->assigned.get(), machinery->seen.get());
  return machinery;
}

// Who runs in a pod is started again without what only its container had.
Status CheckJournal(const node::Settings& settings, const Logger& log) {
  Status kept = CheckJournalPlace(settings.journal_directory);
  if (kept.ok() || settings.manager.config.kubeconfig.empty()) {
    return kept;
  }
  log.Warning(std::string(kept.message()));
  return Status::Ok();
}

}  // namespace

Result<node::NodeParts> MakeRealNode(const node::Settings& settings, controller::Manager& manager,
                                     const Logger& log) {
  RealWorkOptions options{.node = settings.agent.node,
                          .host_proc = settings.host_proc,
                          .journal_directory = settings.journal_directory,
                          .bundle = settings.binaries,
                          .nsrestore = OwnProgram("nsrestore"),
                          .storage_directory = settings.storage_directory,
                          .criu = settings.criu,
                          .exclusions = settings.exclusions,
                          .compress = settings.compress,
                          .other_namespaces = settings.agent.other_namespaces,
                          .other_images = settings.other_images};
  if (::access(options.nsrestore.c_str(), X_OK) != 0) {
    return NotFoundError(
        fmt::format("{} is not there: it is installed beside snapshot-agent", options.nsrestore));
  }
  RETURN_IF_ERROR(CheckJournal(settings, log));
  ASSIGN_OR_RETURN(std::shared_ptr<Machinery> machinery, MakeMachinery(settings, manager));
  options.cut_off = RecoverFromDeath({.journal_directory = options.journal_directory,
                                      .storage_directory = options.storage_directory,
                                      .host_proc = options.host_proc},
                                     {.runtime = *machinery->runtime,
                                      .files = RealFileSystem(),
                                      .clock = RealClock(),
                                      .cuda = machinery->cuda.get()},
                                     log);
  ASSIGN_OR_RETURN(auto work, MakeRealWork(options, {.runtime = *machinery->runtime,
                                                     .files = RealFileSystem(),
                                                     .clock = RealClock(),
                                                     .cuda = machinery->cuda.get(),
                                                     .gpus = machinery->gpus.get(),
                                                     .kept = machinery}));
  node::NodeParts parts;
  parts.checks.push_back(
      {"runtime", [machinery] {
         return machinery->runtime->Version(WaitLimit::For(RealClock(), kAnswer)).status();
       }});
  ASSIGN_OR_RETURN(const criu::Program criu, criu::FindProgram(options.bundle));
  parts.checks.push_back({"criu", [criu]() -> Status {
                            ASSIGN_OR_RETURN(criu::Worker worker, criu::Worker::Start(criu));
                            ASSIGN_OR_RETURN(
                                const criu::Version version,
                                worker.AskVersion(WaitLimit::For(RealClock(), kAnswer)));
                            return criu::CheckAge(version);
                          }});
  parts.work = std::move(work);
  return parts;
}

}  // namespace hearth::agent
