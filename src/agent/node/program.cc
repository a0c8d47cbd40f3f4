#include "agent/node/program.h"

#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>

#include "base/file_system.h"
#include "kube/config/config.h"

namespace hearth::agent::node {
namespace {

constexpr size_t kLargestConfiguration = size_t{1} << 20;

Status ReadConfigurationFile(Settings& settings) {
  const auto text = RealFileSystem().Read(settings.config_file, kLargestConfiguration);
  if (text.status().Is(Code::kNotFound)) {
    return {};  // nothing is configured; what must be is asked for later
  }
  RETURN_IF_ERROR(text.status());
  return ReadConfiguration(*text, settings).WithContext(settings.config_file);
}

// Where the agent's own leases are, when nobody says.
Status FindNamespace(Settings& settings) {
  if (!settings.agent.name_space.empty()) {
    return {};
  }
  ASSIGN_OR_RETURN(const kube::Config config,
                   kube::LoadConfig(settings.manager.config, kube::ConfigSources::Real()));
  settings.agent.name_space = config.name_space;
  return {};
}

struct Built {
  std::unique_ptr<controller::Manager> manager;
  NodeParts node;
  std::unique_ptr<Agent> agent;  // goes first
};

Result<Built> Build(Settings settings, const Logger& log, const NodeFactory& make_node) {
  RETURN_IF_ERROR(FindNamespace(settings));
  Built built;
  ASSIGN_OR_RETURN(built.manager, controller::Manager::Create(settings.manager, log));
  ASSIGN_OR_RETURN(built.node, make_node(settings, *built.manager, log));
  ASSIGN_OR_RETURN(built.agent, Agent::Create(*built.manager, *built.node.work, settings.agent,
                                              std::move(built.node.checks)));
  return built;
}

int Complain(const Status& status) {
  std::fprintf(stderr, "snapshot-agent: %s\n", std::string(status.message()).c_str());
  return 1;
}

}  // namespace

Result<OptionTable::Parsed> ReadSettings(int argc, const char* const* argv,
                                         const Environment& environment, Settings& settings,
                                         std::string& help) {
  ReadLogLevel(environment("SNAPSHOT_LOG_LEVEL"), settings);
  OptionTable table("snapshot-agent",
                    "Captures and restores the containers of one node, as PodSnapshotContents and "
                    "pods ask for it.");
  settings.AddTo(table);
  table.AddNotes("Exit codes:\n  0  told to stop\n  1  could not start, or could not go on\n");
  help = table.Help();
  ASSIGN_OR_RETURN(const OptionTable::Parsed parsed, table.Parse(argc, argv));
  if (parsed != OptionTable::Parsed::kRun) {
    return parsed;
  }
  RETURN_IF_ERROR(ReadConfigurationFile(settings));
  RETURN_IF_ERROR(CompleteSettings(settings));
  return parsed;
}

int RunSnapshotAgent(int argc, const char* const* argv, const StopSignal& stop,
                     const NodeFactory& make_node) {
  Settings settings;
  settings.manager.name = "snapshot";  // who events come from
  settings.manager.health_address = ":8081";
  std::string help;
  const auto environment = [](const char* name) {
    const char* const value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread yet
    return std::string(value == nullptr ? "" : value);
  };
  const auto parsed = ReadSettings(argc, argv, environment, settings, help);
  if (!parsed.ok()) {
    return Complain(parsed.status());
  }
  if (*parsed != OptionTable::Parsed::kRun) {
    std::fputs(*parsed == OptionTable::Parsed::kHelp ? help.c_str()
                                                     : "snapshot-agent " HEARTH_VERSION "\n",
               stdout);
    return 0;
  }
  const Logger log = settings.manager.MakeLogger();
  for (const std::string& note : settings.notes) {
    log.Warning(note);
  }
  // Running captures may end by themselves for a while.
  settings.manager.shutdown_timeout = settings.agent.drain + std::chrono::seconds(10);
  auto built = Build(std::move(settings), log, make_node);
  if (!built.ok()) {
    return Complain(built.status());
  }
  return controller::RunProgram(*built->manager, stop.token());
}

}  // namespace hearth::agent::node
