#include "api/dynamo/graph_deployment.h"

#include "api/dynamo/graph_status.h"
#include "api/dynamo/kv_transfer_policy.h"
#include "api/table/common.h"

namespace hearth::api::dynamo {
namespace {

Node ComponentList() {
  return ListOf(Node(ComponentSpec::Fields().schema()))
      .MapBy({"name"})
      .MaxItems(25)
      .Rule("self.filter(c, has(c.type) && c.type == 'epp').size() <= 1",
            "at most one component may have type epp")
      .Rule("self.all(a, self.exists_one(b, a.name.lowerAscii() == b.name.lowerAscii()))",
            "component names must be unique case-insensitively");
}

}  // namespace

const StructTable& RestartStrategy::Fields() {
  static const StructTable table(
      "How components are restarted.",
      {Field("type", &RestartStrategy::type, "One after the other, or all at once.")
           .Default("Sequential"),
       Field("order", &RestartStrategy::order,
             "All components in the order they are restarted in. Not with Parallel.")});
  return table;
}

const StructTable& Restart::Fields() {
  static const StructTable table(
      "A wish to restart all components.",
      {Field("id", &Restart::id, String().MinLength(1), "Any text; a new one asks for a restart.")
           .Required(),
       Field("strategy", &Restart::strategy, "How components are restarted.")});
  return table;
}

const StructTable& GraphTopologyConstraint::Fields() {
  static const StructTable table(
      "Where the pods of a graph must be together.",
      {Field("clusterTopologyName", &GraphTopologyConstraint::cluster_topology_name,
             String().MinLength(1),
             "Name of the cluster topology that says which levels there are.")
           .Required(),
       Field("packDomain", &GraphTopologyConstraint::pack_domain, TopologyDomain(),
             "The level that components are packed into which say nothing themselves.")});
  return table;
}

const StructTable& GraphExperimental::Fields() {
  static const StructTable table(
      "Features that may still change between versions.",
      {Field("kvTransferPolicy", &GraphExperimental::kv_transfer_policy, KvTransferPolicyNode(),
             "Keeps transfers of the KV cache between prefill and decode workers near.")});
  return table;
}

schema::Rule NoRestartOnCreate() {
  return {.rule = "oldSelf.hasValue() || !has(self.restart)",
          .message =
              "spec.restart must be unset on create; set spec.restart.id after creation to "
              "request a restart",
          .optional_old_self = true};
}

const StructTable& GraphDeploymentSpec::Fields() {
  static const StructTable table(
      "The graph.",
      {Field("annotations", &GraphDeploymentSpec::annotations,
             "Put on every object that is made for the graph. What podTemplate says wins."),
       Field("labels", &GraphDeploymentSpec::labels,
             "Put on every object that is made for the graph. What podTemplate says wins."),
       Field("priorityClassName", &GraphDeploymentSpec::priority_class_name,
             "PriorityClass of all pods. With Grove only."),
       Field("components", &GraphDeploymentSpec::components, ComponentList(),
             "The components, at most one of them with type epp. None can be added or taken away "
             "later."),
       Field("env", &GraphDeploymentSpec::env, ListOf(Kube("core.v1.EnvVar")),
             "Environment variables of every component; its own of the same name win."),
       Field("backendFramework", &GraphDeploymentSpec::backend_framework,
             "The inference engine. Cannot be changed."),
       Field("restart", &GraphDeploymentSpec::restart,
             "Asks for a restart of all components. Cannot be set at creation."),
       Field("topologyConstraint", &GraphDeploymentSpec::topology_constraint,
             "Where pods must be together. Cannot be changed."),
       Field("experimental", &GraphDeploymentSpec::experimental,
             "Features that may still change between versions.")},
      {NoRestartOnCreate()});
  return table;
}

Node GraphDeploymentRoot() {
  return Root(
      "DynamoGraphDeployment runs an inference graph: frontends, workers and what they need.",
      Node(GraphDeploymentSpec::Fields().schema()), Node(GraphDeploymentStatus::Fields().schema()),
      /*spec_required=*/false);
}

}  // namespace hearth::api::dynamo
