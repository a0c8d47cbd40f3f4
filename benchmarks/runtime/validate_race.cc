#include "validate_race.h"

#include <fmt/format.h>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "kube/testing/control_plane.h"
#include "rows.h"

namespace hearth::bench {
namespace {

constexpr auto kTimeout = std::chrono::minutes(20);
constexpr uint64_t kMostOutput = 64 << 20;

// A graph as people write it: a frontend and two kinds of workers.
constexpr const char* kComponent = R"(  - name: {0}
    type: {1}
    replicas: 2
    podTemplate:
      metadata:
        labels: {{team: inference}}
      spec:
        serviceAccountName: model-reader
        tolerations:
        - {{key: nvidia.com/gpu, operator: Exists, effect: NoSchedule}}
        containers:
        - name: main
          image: registry.example/{1}:1.4.2
          command: [python3, -m, dynamo.{1}]
          args: [--model, llama-3-70b, --tensor-parallel-size, "4"]
          env:
          - {{name: HF_HOME, value: /models}}
          - {{name: LOG_LEVEL, value: info}}
          - name: TOKEN
            valueFrom: {{secretKeyRef: {{name: hub, key: token}}}}
          resources:
            requests: {{cpu: "8", memory: 64Gi}}
            limits: {{cpu: "16", memory: 128Gi, nvidia.com/gpu: "4"}}
          volumeMounts:
          - {{name: models, mountPath: /models}}
        volumes:
        - name: models
          persistentVolumeClaim: {{claimName: models}}
)";

std::string Graph(size_t number) {
  return fmt::format(R"(apiVersion: nvidia.com/v1beta1
kind: DynamoGraphDeployment
metadata:
  name: graph-{}
  namespace: default
spec:
  backendFramework: vllm
  components:
)",
                     number) +
         fmt::format(fmt::runtime(kComponent), "frontend", "frontend") +
         fmt::format(fmt::runtime(kComponent), "prefill-worker", "worker") +
         fmt::format(fmt::runtime(kComponent), "decode-worker", "worker");
}

}  // namespace

ValidateRace::ValidateRace(std::string hearth, std::string kubeconfig, std::string directory,
                           const Plan& plan)
    : hearth_(std::move(hearth)),
      kubeconfig_(std::move(kubeconfig)),
      directory_(std::move(directory)),
      plan_(plan) {}

std::vector<std::string> ValidateRace::Kubectl(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), {kubectl_, "--kubeconfig=" + kubeconfig_,
                                       "--cache-dir=" + directory_ + "/../kubectl-cache"});
  return arguments;
}

Result<double> ValidateRace::Seconds(const std::vector<std::string>& argv) const {
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(const ProcessOutcome done,
                   RealProcessRunner().Run({.argv = argv, .output_limit = kMostOutput},
                                           WaitLimit::For(RealClock(), kTimeout)));
  const double seconds = std::chrono::duration<double>(RealClock().Now() - begin).count();
  if (!done.ok()) {
    return UnavailableError(fmt::format("{}: {}{}", argv.front(), done.errors, done.output));
  }
  return seconds;
}

Status ValidateRace::Prepare() {
  RETURN_IF_ERROR(RealFileSystem().MakeDirectories(directory_, 0755));
  for (size_t i = 0; i < plan_.manifests; ++i) {
    RETURN_IF_ERROR(
        RealFileSystem().Write(fmt::format("{}/graph-{:04}.yaml", directory_, i), Graph(i), 0644));
  }
  ASSIGN_OR_RETURN(const kube::KubeBinaries binaries, kube::KubeBinaries::Find());
  kubectl_ = binaries.kubectl;
  const std::string crds = std::string(HEARTH_SOURCE_DIR) + "/deploy/crds";
  RETURN_IF_ERROR(Seconds(Kubectl({"apply", "--server-side", "-f", crds})));
  RETURN_IF_ERROR(
      Seconds(Kubectl({"wait", "--for=condition=Established", "--timeout=60s", "crd", "--all"})));
  return Status::Ok();
}

Status ValidateRace::Run(Samples& samples) {
  const std::string one = directory_ + "/graph-0000.yaml";
  for (size_t i = 0; i < plan_.validate_starts; ++i) {
    ASSIGN_OR_RETURN(const double seconds, Seconds({hearth_, "validate", one}));
    samples.Add(names::kOurs, metric::kValidateOneSeconds, seconds);
  }
  ASSIGN_OR_RETURN(const double ours, Seconds({hearth_, "validate", directory_}));
  samples.Add(names::kOurs, metric::kValidateSeconds, ours);
  ASSIGN_OR_RETURN(const double peer,
                   Seconds(Kubectl({"apply", "--dry-run=server", "-f", directory_})));
  samples.Add(names::kKubectl, metric::kValidateSeconds, peer);
  return Status::Ok();
}

}  // namespace hearth::bench
