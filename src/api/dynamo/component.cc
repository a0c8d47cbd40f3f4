#include "api/dynamo/component.h"

#include "api/dynamo/feature_rules.h"
#include "api/dynamo/internal/component_fields.h"

namespace hearth::api::dynamo {

Node TopologyDomain() { return String().Pattern("^[a-z0-9]([a-z0-9-]*[a-z0-9])?$"); }

const StructTable& Multinode::Fields() {
  static const StructTable table(
      "An instance that spans several nodes.",
      {Field("nodeCount", &Multinode::node_count, Integer32().Min(2).Default(2),
             "Number of nodes of an instance. Each uses the GPUs that main asks for.")});
  return table;
}

const StructTable& ModelReference::Fields() {
  static const StructTable table(
      "A model that is served.",
      {Field("name", &ModelReference::name, String().MinLength(1), "Name of the base model.")
           .Required(),
       Field("revision", &ModelReference::revision, "Revision of the model.")});
  return table;
}

const StructTable& ScalingAdapter::Fields() {
  static const StructTable table("Asks for a scaling adapter.", {});
  return table;
}

const StructTable& EppConfig::Fields() {
  static const StructTable table(
      "Configuration of the endpoint picker.",
      {Field("configMapRef", &EppConfig::config_map_ref, Kube("core.v1.ConfigMapKeySelector"),
             "A key of a ConfigMap that holds the configuration."),
       Field("config", &EppConfig::config, FreeForm(), "The configuration itself.")},
      {{.rule = "has(self.configMapRef) != has(self.config)",
        .message = "exactly one of configMapRef or config must be specified"}});
  return table;
}

const StructTable& CompilationCache::Fields() {
  static const StructTable table(
      "A volume that keeps what the engine compiles.",
      {Field("pvcName", &CompilationCache::pvc_name, String().MinLength(1),
             "Name of a PersistentVolumeClaim in the same namespace.")
           .Required(),
       Field("mountPath", &CompilationCache::mount_path,
             "Where it is mounted. Absent: where the engine looks for it.")});
  return table;
}

const StructTable& TopologyConstraint::Fields() {
  static const StructTable table(
      "Where pods must be together.",
      {Field("packDomain", &TopologyConstraint::pack_domain, TopologyDomain(),
             "The level of the topology that pods are packed into, rack say. Not wider than that "
             "of the graph.")
           .Required()});
  return table;
}

const StructTable& ComponentExperimental::Fields() {
  static const StructTable table(
      "Features that may still change between versions.",
      {Field("gpuMemoryService", &ComponentExperimental::gpu_memory_service,
             "When set, be it empty, GPU memory belongs to a server of its own, and GPUs are "
             "claimed by dynamic resource allocation. For worker, prefill and decode."),
       Field("failover", &ComponentExperimental::failover,
             "When set, be it empty, a second engine stands by on the same GPU memory. Needs "
             "gpuMemoryService with the same mode."),
       Field("checkpoint", &ComponentExperimental::checkpoint,
             "Capture of a warm worker, and restore of later ones from it.")},
      FeatureRules({.intra_pod = "IntraPod"}));
  return table;
}

const StructTable& ComponentSpec::Fields() {
  static const StructTable table("A component of a graph.",
                                 internal::ComponentFields<ComponentSpec>(),
                                 internal::ComponentRules());
  return table;
}

}  // namespace hearth::api::dynamo
