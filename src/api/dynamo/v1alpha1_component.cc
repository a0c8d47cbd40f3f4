#include "api/dynamo/v1alpha1_component.h"

#include "api/dynamo/checkpoint_config.h"
#include "api/dynamo/component.h"
#include "api/dynamo/component_status.h"
#include "api/dynamo/failover.h"
#include "api/dynamo/feature_rules.h"
#include "api/dynamo/gpu_memory_service.h"
#include "api/dynamo/internal/component_fields.h"
#include "api/dynamo/shared_memory.h"
#include "api/dynamo/v1alpha1_pod.h"
#include "api/table/common.h"

namespace hearth::api::dynamo::v1alpha1 {
namespace {

Node IngressNode() {
  return Object(
      "",
      {Field("enabled", Boolean(), "Makes the component reachable from outside."),
       Field("host", String(), "Host name."),
       Field("useVirtualService", Boolean(), "A VirtualService of Istio instead of an Ingress."),
       Field("virtualServiceGateway", String(), "Gateway of the VirtualService."),
       Field("hostPrefix", String(), "Put before the host name."),
       Field("annotations", StringMap(), "Annotations of the object."),
       Field("labels", StringMap(), "Labels of the object."),
       Field("tls", Object("", {Field("secretName", String(), "Secret with certificate and key.")}),
             "TLS of the object."),
       Field("hostSuffix", String(), "Put after the host name."),
       Field("ingressControllerClassName", String(), "Class of the ingress controller.")});
}

Node AutoscalingNode() {
  const Node integer(schema::Schema{.type = schema::Type::kInteger});
  return Object(
      "", {Field("enabled", Boolean(), "Deprecated and ignored."),
           Field("minReplicas", integer, "Deprecated and ignored."),
           Field("maxReplicas", integer, "Deprecated and ignored."),
           Field("behavior", Kube("autoscaling.v2.HorizontalPodAutoscalerBehavior"),
                 "Deprecated and ignored."),
           Field("metrics", ListOf(Kube("autoscaling.v2.MetricSpec")), "Deprecated and ignored.")});
}

Node MultinodeNode() {
  schema::Schema node = *Multinode::Fields().schema();
  node.required = {"nodeCount"};
  return Node(std::move(node));
}

Node ModelReferenceNode() {
  return Object("", {Field("name", String(), "Name of the base model.").Required(),
                     Field("revision", String(), "Revision of the model.")});
}

Node EppConfigNode() {
  schema::Schema node = *EppConfig::Fields().schema();
  node.rules.clear();
  return Node(std::move(node));
}

Node ServiceStatusNode() {
  return Object(
      "How the component is.",
      {Field("observedGeneration", Integer64(),
             "The generation of the spec that was last worked through without an error."),
       Field("conditions", ConditionList(),
             "Available: enough instances serve. DynamoComponentReady: its objects are in place."),
       Field("podSelector", StringMap(), "Labels of the pods. Never written by the operator."),
       Field("service", ServiceReplicaStatusNode(), "How many instances there are.")});
}

}  // namespace

std::vector<Field> ServiceFields() {
  return {
      Field("annotations", StringMap(), "Put on the objects that are made for the component."),
      Field("labels", StringMap(), "Put on the objects that are made for the component."),
      Field("serviceName", String(), "Name of the component."),
      Field("componentType", String(),
            "The role of the component: frontend, worker, planner, epp."),
      Field("subComponentType", String(), "The role among workers: prefill or decode."),
      Field("dynamoNamespace", String(), "Deprecated and ignored: it follows from the graph."),
      Field("globalDynamoNamespace", Boolean(),
            "Puts the component into the Dynamo namespace that all graphs share."),
      Field("resources", ResourcesNode(), "What the main container needs."),
      Field("autoscaling", AutoscalingNode(), "Deprecated and ignored."),
      Field("envs", ListOf(Kube("core.v1.EnvVar")), "Environment variables of main."),
      Field("envFromSecret", String(),
            "Name of a Secret whose keys become environment variables of main."),
      Field("volumeMounts", ListOf(VolumeMountNode()), "Claims that main mounts."),
      Field("ingress", IngressNode(),
            "How the component is reached from outside. Kept, but nothing is made for it: the "
            "Service is there."),
      Field("modelRef", ModelReferenceNode(),
            "The model that is served. Makes a headless Service for discovery."),
      Field("sharedMemory", Node(SharedMemory::Fields().schema()),
            "The size of /dev/shm; 8Gi when absent."),
      Field("extraPodMetadata",
            Object("", {Field("annotations", StringMap(), "Annotations of the pods."),
                        Field("labels", StringMap(), "Labels of the pods.")}),
            "Labels and annotations of the pods."),
      Field("extraPodSpec", ExtraPodSpecNode(),
            "The pod, as far as the fields beside this do not tell; mainContainer is merged over "
            "main."),
      Field("livenessProbe", Kube("core.v1.Probe"), "Liveness probe of main."),
      Field("readinessProbe", Kube("core.v1.Probe"), "Readiness probe of main."),
      Field("replicas", Integer32().Min(0), "How many instances are wanted; 1 when absent."),
      Field("minAvailable", Integer32().Min(1),
            "Instances that are scheduled together and below which all are started anew. With "
            "Grove only; cannot be changed."),
      Field("multinode", MultinodeNode(),
            "One instance spans several nodes. Cannot be added or taken away later."),
      Field("scalingAdapter",
            Object("", {Field("enabled", Boolean().Default(false), "Asks for a scaling adapter.")}),
            "Gives replicas to an external scaler. Accepted; this operator has no scaling adapter "
            "and says so in a condition."),
      Field("eppConfig", EppConfigNode(), "Configuration of the endpoint picker."),
      Field("frontendSidecar", FrontendSidecarNode(), "A frontend beside main, in the same pod."),
      Field("checkpoint", CheckpointConfigNode(),
            "Capture of a warm worker, and restore of later ones from it."),
      Field("topologyConstraint", Node(TopologyConstraint::Fields().schema()),
            "Where the pods of an instance must be together. Cannot be changed."),
      Field("gpuMemoryService", Node(GpuMemoryService::Fields().schema()),
            "Gives GPU memory to a server of its own; GPUs are claimed by dynamic resource "
            "allocation."),
      Field("failover", FailoverNode(),
            "A second engine that stands by on the same GPU memory. Needs gpuMemoryService with "
            "the same mode.")};
}

std::vector<schema::Rule> ServiceRules() {
  std::vector<schema::Rule> rules = internal::MinAvailableRules();
  for (schema::Rule& rule : FeatureRules({.intra_pod = "intraPod", .has_flag = true})) {
    rules.push_back(std::move(rule));
  }
  return rules;
}

Node ServiceNode() { return Object("A component of the graph.", ServiceFields(), ServiceRules()); }

Node ComponentDeploymentRoot() {
  std::vector<Field> fields = ServiceFields();
  fields.insert(fields.begin(), Field("backendFramework", Codec<BackendFramework>::Describe(),
                                      "The inference engine. Cannot be changed."));
  return Root("DynamoComponentDeployment runs one component of an inference graph.",
              Object("", std::move(fields), ServiceRules()), ServiceStatusNode(),
              /*spec_required=*/false);
}

}  // namespace hearth::api::dynamo::v1alpha1
