#include "operator_app/options.h"

#include <algorithm>

#include "admission/protection/protection.h"
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

void AddSets(hearth::grove::GroveControllerOptions& options, OptionTable& table) {
  table.Add({.name = "default-scheduler",
             .help = "Scheduler of sets that name none",
             .target = &options.scheduler,
             .value_name = "name"});
  table.Add({.name = "initc-image",
             .help = "Image of the container that waits until other cliques have started",
             .target = &options.initc_image,
             .environment = "GROVE_INIT_CONTAINER_IMAGE",
             .value_name = "image"});
}

void AddGraphs(hearth::dynamo::DynamoOptions& options, OptionTable& table) {
  dynamo::StorageConfig& storage = options.graphs.storage;
  table.Add({.name = "checkpoint-pvc",
             .help =
                 "PersistentVolumeClaim that checkpoints are kept in, in each namespace; as the "
                 "agents there have it when not given",
             .target = &storage.pvc_name,
             .value_name = "name"});
  table.Add({.name = "checkpoint-pvc-size",
             .help = "Make the claim where there is none, of this size",
             .target = &storage.size,
             .value_name = "quantity"});
  table.Add({.name = "checkpoint-pvc-class",
             .help = "Storage class of claims that are made",
             .target = &storage.storage_class,
             .value_name = "name"});
  table.Add({.name = "checkpoint-cleanup-image",
             .help = "Image that removes artifacts of deleted checkpoints; needs /bin/sh",
             .target = &options.cleanup.image,
             .value_name = "image"});
  table.Add({.name = "seccomp-profile",
             .help = "Localhost profile of pods that are captured or restored; empty: none",
             .target = &options.graphs.seccomp_profile,
             .value_name = "path"});
  dynamo::Surroundings& told = options.graphs.surroundings;
  table.Add({.name = "nats-address",
             .help = "NATS_SERVER of all components",
             .target = &told.nats_address,
             .value_name = "url"});
  table.Add({.name = "etcd-address",
             .help = "ETCD_ENDPOINTS of all components",
             .target = &told.etcd_address,
             .value_name = "url"});
  table.Add({.name = "discovery-backend",
             .help = "How components find each other",
             .target = &told.discovery_backend,
             .choices = {"kubernetes", "etcd"}});
  table.Add({.name = "dra",
             .help = "Use ResourceClaims where the cluster has them",
             .target = &options.graphs.features.claims});
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
  table.Add({.name = "authorizer-exempt",
             .help = "User name that may change what was made for a PodCliqueSet, where "
                     "authorizer-webhook protects it; may be repeated",
             .target = &options.exempt,
             .value_name = "user"});
  table.Add({.name = "foreign-claim-templates",
             .help =
                 "What becomes of a PodCliqueSet that shares a ResourceClaimTemplate of another "
                 "name space which its user may not read",
             .target = &options.foreign_templates,
             .choices = {"deny", "warn"}});
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
             .target = &options.gms_snapshots,
             .environment = "DYN_OPERATOR_ALLOW_GMS_SNAPSHOT"});
  table.Add({.name = "checkpoint-path",
             .help = "Where the checkpoint storage is mounted",
             .target = &options.checkpoint_path,
             .value_name = "path",
             .check = CheckAbsolute});
  table.Add({.name = "grove", .help = "Graphs may use groups of pods", .target = &options.grove});
  table.Add({.name = "topology",
             .help = "Sets may ask for topology-aware scheduling, and what they ask for is handed "
                     "to schedulers",
             .target = &options.sets.topology});
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
  // Webhooks are answered meanwhile, and ending would end that, too.
  manager.sync_timeout = std::chrono::hours(1);
}

void OperatorOptions::AddTo(OptionTable& table) {
  manager.AddTo(table);
  AddIdentity(*this, table);
  AddSnapshots(snapshots, table);
  AddSets(sets, table);
  AddGraphs(graphs, table);
  AddWebhooks(webhooks, table);
  AddFeatures(*this, table);
}

void OperatorOptions::Settle() {
  const auto includes = [namespaces = snapshots.namespaces](std::string_view name) {
    return namespaces.Include(name);
  };
  sets.name_space = snapshots.namespaces.restricted_to;
  sets.includes = includes;
  dynamo::GraphOptions& options = graphs.graphs;
  options.name_space = snapshots.namespaces.restricted_to;
  options.includes = includes;
  options.features.grove = grove;
  options.checkpoints = checkpoints;
  options.gms_snapshots = gms_snapshots;
  if (!options.storage.pvc_name.empty()) {
    options.storage.base_path = checkpoint_path;
    options.storage.create = options.storage.create || !options.storage.size.empty();
  }
}

admission::Setup OperatorOptions::MakeSetup(const std::string& version) const {
  admission::Setup setup;
  setup.grove = grove;
  setup.topology = sets.topology;
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

std::vector<std::string> OperatorOptions::AccountsThatMayChangeSets() const {
  const std::string own = "system:serviceaccount:" + name_space + ":";
  std::vector<std::string> accounts = admission::protection::ClusterAccounts();
  accounts.push_back(own + service_account);
  accounts.push_back(own + "snapshot-agent");  // labels pods that it captures
  accounts.insert(accounts.end(), webhooks.exempt.begin(), webhooks.exempt.end());
  return accounts;
}

}  // namespace hearth::operator_app
