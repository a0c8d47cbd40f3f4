#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/dynamo/graph_deployment.h"
#include "api/dynamo/graph_status.h"

// Restarts of a whole graph: spec.restart.id, stamped on the pods of one component after the other,
// or of all at once. Pure.
namespace hearth::dynamo {

struct RestartProgress {
  std::string component;
  std::string stamp;     // restart id that its pods are asked to have now
  bool settled = false;  // all its pods are as they should be
};

struct RestartPlan {
  std::map<std::string, std::string> stamps;  // by component; empty: none
  std::optional<api::dynamo::RestartStatus> status;
};

RestartPlan PlanRestart(const std::optional<api::dynamo::Restart>& wish,
                        const std::optional<api::dynamo::RestartStatus>& before,
                        const std::vector<RestartProgress>& components);

}  // namespace hearth::dynamo
