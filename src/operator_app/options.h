#pragma once

#include <string>
#include <vector>

#include "admission/rules/request.h"
#include "base/options.h"
#include "controller/manager.h"
#include "dynamo/operator/dynamo_controllers.h"
#include "grove/reconcile/grove_controllers.h"
#include "snapshot/operator/snapshot_controllers.h"

namespace hearth::operator_app {

// Where the API server finds the webhooks, and by which certificate.
struct WebhookOptions {
  bool enabled = true;
  std::string address = "0.0.0.0:9443";
  std::string certificates = "auto";  // auto: our own authority; manual: files
  std::string directory = "/tmp/k8s-webhook-server/serving-certs";  // of those files
  std::string secret = "webhook-server-cert";
  std::string service = "hearth-webhook";
  // Accounts that may change what was made for sets, where that is protected.
  std::vector<std::string> exempt;
  // What becomes of a set that shares a template of another namespace which its user may not read.
  std::string foreign_templates = "deny";
};

// Everything that can be said to `hearth-operator run`.
struct OperatorOptions {
  OperatorOptions();

  controller::ManagerOptions manager;
  std::string name_space = "hearth-system";  // where the operator runs
  std::string service_account = "hearth-operator";
  std::vector<std::string> controllers;  // names of the table; none: all
  snapshot::SnapshotControllerOptions snapshots;
  hearth::grove::GroveControllerOptions sets;
  hearth::dynamo::DynamoOptions graphs;
  WebhookOptions webhooks;
  bool checkpoints = true;
  bool gms_snapshots = true;
  std::string checkpoint_path = admission::Setup().checkpoint_path;
  bool grove = true;
  std::vector<std::string> schedulers;  // none: what admission::Setup has
  std::string config_file;

  // Each once.
  void AddTo(OptionTable& table);
  // What one part of the options means for the controllers that another part is for. Once all are
  // read.
  void Settle();
  // What the options mean for the webhooks. `version` is the program's.
  admission::Setup MakeSetup(const std::string& version) const;
  // All of them: the operator, its agents, those of the cluster, and `exempt`.
  std::vector<std::string> AccountsThatMayChangeSets() const;
};

}  // namespace hearth::operator_app
