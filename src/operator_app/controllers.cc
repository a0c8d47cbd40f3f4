#include "operator_app/controllers.h"

#include <algorithm>

#include "dynamo/operator/dynamo_controllers.h"
#include "grove/reconcile/grove_controllers.h"
#include "operator_app/options.h"
#include "snapshot/operator/snapshot_controllers.h"

namespace hearth::operator_app {
namespace {

// A component that is a T, made from the manager and T's own options.
template <typename T>
class Holding : public Component {
 public:
  template <typename Options>
  Holding(controller::Manager& manager, const Options& options) : held_(manager, options) {}

 private:
  T held_;
};

template <typename T, auto kOptions>
std::unique_ptr<Component> Make(controller::Manager& manager, const OperatorOptions& options) {
  return std::make_unique<Holding<T>>(manager, options.*kOptions);
}

}  // namespace

const std::vector<ControllerRow>& ControllerTable() {
  static const std::vector<ControllerRow> kTable = {
      {"snapshot", "PodSnapshots and their contents",
       Make<snapshot::SnapshotControllers, &OperatorOptions::snapshots>},
      {"grove", "PodCliqueSets: groups of pods that are scheduled, scaled and updated together",
       Make<grove::GroveControllers, &OperatorOptions::sets>},
      {"dynamo", "DynamoGraphDeployments, their components and their checkpoints",
       Make<dynamo::DynamoControllers, &OperatorOptions::graphs>},
  };
  return kTable;
}

std::vector<std::string> ControllerNames() {
  std::vector<std::string> names;
  for (const ControllerRow& row : ControllerTable()) {
    names.emplace_back(row.name);
  }
  return names;
}

bool Runs(const OperatorOptions& options, std::string_view controller) {
  const auto& wanted = options.controllers;
  return wanted.empty() || std::find(wanted.begin(), wanted.end(), controller) != wanted.end();
}

std::vector<std::unique_ptr<Component>> MakeControllers(controller::Manager& manager,
                                                        const OperatorOptions& options) {
  std::vector<std::unique_ptr<Component>> made;
  for (const ControllerRow& row : ControllerTable()) {
    if (Runs(options, row.name)) {
      made.push_back(row.make(manager, options));
    }
  }
  return made;
}

}  // namespace hearth::operator_app
