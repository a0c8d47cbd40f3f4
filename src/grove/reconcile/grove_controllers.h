#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "claims/versions.h"
#include "controller/manager.h"
#include "grove/reconcile/clique_reconciler.h"
#include "grove/reconcile/gang_reconciler.h"
#include "grove/reconcile/group_reconciler.h"
#include "grove/reconcile/set_reconciler.h"

namespace hearth::grove {

struct GroveControllerOptions {
  std::string name_space;  // look after sets of this one only; empty: all
  // Whether sets of a namespace are looked after; not said: all are. Others are left alone, be they
  // deleted or not: another operator has them.
  std::function<bool(std::string_view name_space)> includes;
  // How many passes at a time.
  int set_workers = 10;
  int group_workers = 5;
  int clique_workers = 10;
  int gang_workers = 5;
  std::string scheduler = "default-scheduler";  // of sets that name none
  bool topology = true;                         // topology-aware scheduling
  std::string initc_image = "grove-initc";      // of the container that waits for other cliques
  // What the cluster was found to serve; see AskCluster.
  std::optional<claims::ApiVersion> claim_api = claims::ApiVersion::kV1;
  std::vector<std::string> schedulers_with_groups;
};

// Finds out what the cluster serves of what the controllers may use. Waits for the API server.
Status AskCluster(kube::Discovery& discovery, const WaitLimit& limit,
                  GroveControllerOptions& options);

// The controllers of sets, scaling groups, cliques and gangs. Must outlive the manager's Run.
class GroveControllers {
 public:
  GroveControllers(controller::Manager& manager, const GroveControllerOptions& options);

 private:
  GroveCaches caches_;
  GroveMetrics metrics_;
  SetReconciler sets_;
  GroupReconciler groups_;
  CliqueReconciler cliques_;
  GangReconciler gangs_;
};

}  // namespace hearth::grove
