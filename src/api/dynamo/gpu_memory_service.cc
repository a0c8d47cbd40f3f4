#include "api/dynamo/gpu_memory_service.h"

#include "api/dynamo/pod_template.h"

namespace hearth::api::dynamo {
namespace {

// What both versions have, but for the words they use for the mode.
template <typename T>
std::vector<Field> CommonFields(const std::string& default_mode) {
  return {
      Field("mode", &T::mode,
            "Where the server runs: in the pod of the engine, or in a pod of its own on the same "
            "node (with Grove only).")
          .Default(default_mode),
      Field("deviceClassName", &T::device_class_name, "The DeviceClass that GPUs are claimed from.")
          .Default("gpu.nvidia.com"),
      Field("extraClientContainers", &T::extra_client_containers, ListOf(DnsLabel()).Set(),
            "Further containers of the pod template that use the service: they get the claim, the "
            "socket directory and GMS_SOCKET_DIR."),
      Field("extraClientPods", &T::extra_client_pods,
            ListOf(Node(GmsClientPod::Fields().schema())).MapBy({"name"}),
            "Reserved for pods that use an inter-pod server; refused for now."),
      Field("checkpoint", &T::checkpoint,
            "The operator's own loader and saver of GPU memory. When this is set, be it empty, "
            "both are added; when absent, bring your own containers with extraClientContainers and "
            "checkpoint.job.gmsClientContainers. The loader is put where the server is: with an "
            "inter-pod server into its pod, not into those of the engines.")};
}

std::vector<schema::Rule> ModeRules(const std::string& intra_pod, const std::string& inter_pod) {
  return {
      {.rule = "!has(self.extraClientContainers) || size(self.extraClientContainers) == 0 || "
               "self.mode == '" +
               intra_pod + "'",
       .message = "extraClientContainers is only supported with mode=" + intra_pod},
      {.rule = "!has(self.extraClientPods) || size(self.extraClientPods) == 0 || self.mode == '" +
               inter_pod + "'",
       .message = "extraClientPods is only supported with mode=" + inter_pod},
      {.rule = "!has(self.extraClientPods) || size(self.extraClientPods) == 0",
       .message = "extraClientPods is reserved for inter-pod GMS and is not implemented yet"}};
}

}  // namespace

const StructTable& GmsClientPod::Fields() {
  static const StructTable table(
      "A pod that uses the GPU memory service of a component.",
      {Field("name", &GmsClientPod::name, DnsLabel(), "Names the pod within the component.")
           .Required(),
       Field("podTemplate", &GmsClientPod::pod_template, SchemalessPodTemplate(), "The pod.")
           .Required()});
  return table;
}

const StructTable& GpuMemoryService::Fields() {
  static const StructTable table(
      "A server that owns the GPU memory of a worker and shares it with other processes.",
      CommonFields<GpuMemoryService>("IntraPod"), ModeRules("IntraPod", "InterPod"));
  return table;
}

namespace v1alpha1 {
namespace {

std::vector<Field> FlaggedFields() {
  std::vector<Field> fields = CommonFields<GpuMemoryService>("intraPod");
  fields.insert(fields.begin(),
                Field("enabled", &GpuMemoryService::enabled, "Turns the service on.").Required());
  return fields;
}

std::vector<schema::Rule> FlaggedRules() {
  std::vector<schema::Rule> rules = ModeRules("intraPod", "interPod");
  rules.push_back(
      {.rule = "!has(self.checkpoint) || !(has(self.checkpoint.loader) || "
               "has(self.checkpoint.saver)) || self.enabled",
       .message = "gpuMemoryService.checkpoint requires gpuMemoryService.enabled=true"});
  return rules;
}

}  // namespace

const StructTable& GpuMemoryService::Fields() {
  static const StructTable table(
      "A server that owns the GPU memory of a worker and shares it with other processes.",
      FlaggedFields(), FlaggedRules());
  return table;
}

}  // namespace v1alpha1
}  // namespace hearth::api::dynamo
