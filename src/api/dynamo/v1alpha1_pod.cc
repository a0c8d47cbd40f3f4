#include "api/dynamo/v1alpha1_pod.h"

namespace hearth::api::dynamo::v1alpha1 {
namespace {

Node ResourceItemNode() {
  return Object(
      "", {Field("cpu", String(), "CPUs: 1000m, 2."), Field("memory", String(), "Memory: 4Gi."),
           Field("gpu", String(), "Number of GPUs of one node."),
           Field("gpuType", String(), "Resource name of the GPUs; nvidia.com/gpu when absent."),
           Field("custom", StringMap(), "Further resources by their names.")});
}

}  // namespace

Node ResourcesNode() {
  return Object("What the main container needs.",
                {Field("requests", ResourceItemNode(), "What it needs at least."),
                 Field("limits", ResourceItemNode(), "What it gets at most."),
                 Field("claims", ListOf(Kube("core.v1.ResourceClaim")),
                       "Resource claims of the pod it uses.")});
}

Node VolumeMountNode() {
  return Object(
      "A claim that is mounted.",
      {Field("name", String(), "Name of an entry of pvcs.").Required(),
       Field("mountPoint", String(), "Where it is mounted. A compilation cache may leave it out."),
       Field("useAsCompilationCache", Boolean().Default(false),
             "The engine keeps there what it compiles.")});
}

Node ExtraPodSpecNode() {
  schema::Schema pod = Kube("core.v1.PodSpec").schema();
  schema::Schema main = Kube("core.v1.Container").schema();
  pod.required.clear();
  main.required.clear();
  main.description = "Merged over the container main; its name does not matter.";
  pod.properties.push_back(
      {"mainContainer", std::make_shared<const schema::Schema>(std::move(main))});
  return Node(std::move(pod));
}

Node FrontendSidecarNode() {
  return Object("A frontend beside main.",
                {Field("image", String(), "Image of the container.").Required(),
                 Field("args", ListOf(String()), "Arguments of the container."),
                 Field("envFromSecret", String(),
                       "Name of a Secret whose keys become environment variables."),
                 Field("envs", ListOf(Kube("core.v1.EnvVar")), "Environment variables.")});
}

}  // namespace hearth::api::dynamo::v1alpha1
