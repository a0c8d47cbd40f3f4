#include <cstdlib>
#include <ostream>
#include <utility>

#include "operator_app/configuration.h"
#include "operator_app/controllers.h"
#include "operator_app/hearth_operator.h"
#include "operator_app/options.h"
#include "operator_app/webhooks.h"

namespace hearth::operator_app {
namespace {

constexpr Duration kDiscoveryTimeout = std::chrono::minutes(2);  // for what the cluster serves

class RunOperator : public command_line::Command {
 public:
  void AddOptions(OptionTable& table) override {
    options_.AddTo(table);
    std::string notes = "Controllers:\n";
    for (const ControllerRow& row : ControllerTable()) {
      notes += "  " + std::string(row.name) + "  " + std::string(row.summary) + "\n";
    }
    table.AddNotes(std::move(notes));
  }

  int Run(command_line::Terminal& terminal) override {
    const Status configured = ReadConfiguration(terminal.files, options_);
    if (!configured.ok()) {
      terminal.err << "hearth-operator run: " << configured.message() << "\n";
      return command_line::kExitUsage;
    }
    const Logger logger = options_.manager.MakeLogger();
    const Result<int> code = RunManager(terminal, logger);
    if (!code.ok()) {
      logger.Error("cannot start", {{"cause", code.status().ToString()}});
      return EXIT_FAILURE;
    }
    return *code;
  }

 private:
  Result<int> RunManager(command_line::Terminal& terminal, const Logger& logger) {
    ASSIGN_OR_RETURN(const auto manager, controller::Manager::Create(options_.manager, logger));
    options_.Settle();
    // Which watches there are depends on what the cluster has.
    const WaitLimit limit = WaitLimit::For(RealClock(), kDiscoveryTimeout, terminal.stop);
    if (Runs(options_, "grove")) {
      RETURN_IF_ERROR(grove::AskCluster(manager->discovery(), limit, options_.sets));
    }
    if (Runs(options_, "dynamo")) {
      RETURN_IF_ERROR(
          dynamo::AskCluster(manager->discovery(), limit, options_.graphs.graphs.features));
    }
    std::vector<std::unique_ptr<Component>> components = MakeControllers(*manager, options_);
    if (options_.webhooks.enabled) {
      ASSIGN_OR_RETURN(auto webhooks, Webhooks::Create(*manager, options_, HEARTH_VERSION));
      components.push_back(std::move(webhooks));
    }
    return controller::RunProgram(*manager, terminal.stop);
  }

  OperatorOptions options_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeRun() { return std::make_unique<RunOperator>(); }

}  // namespace hearth::operator_app
