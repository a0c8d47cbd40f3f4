#include "operator_app/options.h"

#include <algorithm>

#include "base/strings.h"
#include "operator_app/controllers.h"

namespace hearth::operator_app {
namespace {

void AddIdentity(OperatorOptions& options, OptionTable& table) {
  table.Add({.name = "config",
             .help = "OperatorConfiguration file; what it says counts more than other options",
             .target = &options.config_file,
             .value_name = "file"});
  table.Add({.name = "operator-namespace",
             .help = "Name space that the operator runs in",
             .target = &options.name_space,
             .environment = "POD_NAMESPACE",
             .value_name = "name"});
  table.Add({.name = "service-account",
             .help = "Service account that it runs as",
             .target = &options.service_account,
             .environment = "POD_SERVICE_ACCOUNT",
             .value_name = "name"});
  table.Add({.name = "controllers",
             .help = "Controllers to run, all when not given",
             .target = &options.controllers,
             .value_name = "name",
             .check = OneOf(ControllerNames())});
}

void AddSnapshots(snapshot::SnapshotControllerOptions& options, OptionTable& table) {
  table.Add({.name = "namespace",
             .help = "Look after the objects of this name space only",
             .target = &options.namespaces.restricted_to,
             .value_name = "name"});
  table.Add({.name = "exclude-namespace",
             .help = "Leave the objects of this name space alone; a star at either end stands for "
                     "anything",
             .target = &options.namespaces.excluded,
             .value_name = "name"});
  table.Add({.name = "capture-deadline",
             .help = "How long after its creation a snapshot that is not captured fails; 0: never",
             .target = &options.limits.deadline});
  table.Add({.name = "agent-grace",
             .help = "How long an agent whose lease ran out may stay silent before its captures "
                     "fail",
             .target = &options.limits.agent_grace,
             .check = Positive()});
  table.Add({.name = "artifact-delete-timeout",
             .help = "How long the deletion of a snapshot waits for its artifact to be deleted",
             .target = &options.limits.delete_timeout,
             .check = Positive()});
}

void AddWebhooks(WebhookOptions& options, OptionTable& table) {
  table.Add(
      {.name = "webhooks", .help = "Answer the API server's webhooks", .target = &options.enabled});
  table.Add({.name = "webhook-address",
             .help = "Where they are answered, host:port",
             .target = &options.address,
             .value_name = "address"});
  table.Add({.name = "webhook-certificates",
             .help = "auto: made and renewed by the operator; manual: files that somebody else "
                     "makes",
             .target = &options.certificates,
             .choices = {"auto", "manual"}});
  table.Add({.name = "webhook-certificate-dir",
             .help = "Where tls.crt and tls.key are when manual",
             .target = &options.directory,
             .value_name = "directory"});
  table.Add({.name = "webhook-secret",
             .help = "Secret that keeps them when auto",
             .target = &options.secret,
             .value_name = "name"});
  table.Add({.name = "webhook-service",
             .help = "Service by which the API server finds the operator",
             .target = &options.service,
             .value_name = "name"});
}

Status CheckAbsolute(std::string_view path) {
  return path.starts_with('/') ? Status::Ok() : InvalidError("must be an absolute path");
}

// What the webhooks take; named as for `hearth validate`.
void AddFeatures(OperatorOptions& options, OptionTable& table) {
  table.Add({.name = "checkpoints",
             .help = "Pods may start from checkpoints",
             .target = &options.checkpoints});
  table.Add({.name = "gms-snapshots",
             .help = "Checkpoints may have a GPU memory service",
             .target = &options.gms_snapshots});
  table.Add({.name = "checkpoint-path",
             .help = "Where the checkpoint storage is mounted",
             .target = &options.checkpoint_path,
             .value_name = "path",
             .check = CheckAbsolute});
  table.Add({.name = "grove", .help = "Graphs may use groups of pods", .target = &options.grove});
  table.Add({.name = "topology",
             .help = "Sets may ask for topology-aware scheduling",
             .target = &options.topology});
  table.Add({.name = "scheduler",
             .help = "A scheduler of the cluster, the default one first; may be repeated; "
                     "default-scheduler and kai-scheduler when not given",
             .target = &options.schedulers,
             .value_name = "name"});
}

}  // namespace

OperatorOptions::OperatorOptions() {
  manager.name = "hearth-operator";
  manager.health_address = ":8081";
  manager.leader_elect = true;
}

void OperatorOptions::AddTo(OptionTable& table) {
  manager.AddTo(table);
  AddIdentity(*this, table);
  AddSnapshots(snapshots, table);
  AddWebhooks(webhooks, table);
  AddFeatures(*this, table);
}

admission::Setup OperatorOptions::MakeSetup(const std::string& version) const {
  admission::Setup setup;
  setup.grove = grove;
  setup.topology = topology;
  if (!schedulers.empty()) {
    setup.schedulers = schedulers;
  }
  setup.checkpoints = checkpoints;
  setup.gms_snapshots = gms_snapshots;
  setup.checkpoint_path = checkpoint_path;
  setup.operator_version = version;
  setup.operator_account = "system:serviceaccount:" + name_space + ":" + service_account;
  return setup;
}

}  // namespace hearth::operator_app
