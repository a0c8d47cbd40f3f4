#include <ostream>
#include <utility>

#include "kube/config/config.h"
#include "net/event_loop.h"
#include "operator_app/crd_apply.h"

namespace hearth::operator_app {
namespace {

constexpr int kExitFailed = 1;

class CrdApply : public command_line::Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.Add({.name = "kubeconfig",
               .help = "File that says how to reach the API server",
               .target = &config_.kubeconfig,
               .value_name = "file"});
    table.Add({.name = "context",
               .help = "Context of the kubeconfig to use instead of its current one",
               .target = &config_.context,
               .value_name = "name"});
    table.Add({.name = "conversion-webhook-service-name",
               .help = "Service that converts objects between versions",
               .target = &options_.service_name,
               .value_name = "name"});
    table.Add({.name = "conversion-webhook-service-namespace",
               .help = "Name space of that Service",
               .target = &options_.service_namespace,
               .environment = "POD_NAMESPACE",
               .value_name = "name"});
    table.Add({.name = "timeout",
               .help = "How long it may take in all",
               .target = &timeout_,
               .check = Positive()});
  }

  int Run(command_line::Terminal& terminal) override {
    options_.version = HEARTH_VERSION;
    const Status applied = Apply(terminal);
    if (!applied.ok()) {
      terminal.err << "hearth-operator crd-apply: " << applied.message() << "\n";
      return kExitFailed;
    }
    return command_line::kExitOk;
  }

 private:
  Status Apply(command_line::Terminal& terminal) {
    const auto sources = kube::ConfigSources::Real();
    ASSIGN_OR_RETURN(const kube::Config config, kube::LoadConfig(config_, sources));
    net::EventLoop loop("net");
    ASSIGN_OR_RETURN(const auto transport, kube::MakeHttpTransport(loop, config, sources));
    kube::Client client(*transport, RealClock());
    const WaitLimit limit = WaitLimit::For(RealClock(), timeout_, terminal.stop);
    const std::vector<json::Value> definitions = RenderDefinitions(options_);
    RETURN_IF_ERROR(
        ApplyDefinitions(client, definitions, limit, [&](const std::string& name, Applied applied) {
          terminal.out << name << " " << AppliedName(applied) << std::endl;
        }));
    kube::Discovery discovery(client, RealClock());
    return AwaitServed(discovery, RealClock(), definitions, limit);
  }

  kube::ConfigRequest config_;
  CrdOptions options_;
  Duration timeout_ = std::chrono::minutes(2);
};

}  // namespace

std::unique_ptr<command_line::Command> MakeCrdApply() { return std::make_unique<CrdApply>(); }

}  // namespace hearth::operator_app
