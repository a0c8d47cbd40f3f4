// greeter: a complete controller. Copy this folder to begin your own.
#include <cstdio>

#include "base/stop_signal.h"
#include "greeter.h"

int main(int argc, char** argv) {
  const hearth::StopSignal stop;
  hearth::controller::ManagerOptions options{.name = "greeter"};
  hearth::OptionTable table("greeter", "Keeps a ConfigMap with greetings for every Greeting.");
  options.AddTo(table);
  const auto parsed = table.Parse(argc, argv);
  if (!parsed.ok()) {
    std::fprintf(stderr, "greeter: %s\n", std::string(parsed.status().message()).c_str());
    return 2;
  }
  if (*parsed != hearth::OptionTable::Parsed::kRun) {
    std::fputs(*parsed == hearth::OptionTable::Parsed::kHelp ? table.Help().c_str() : "greeter 1\n",
               stdout);
    return 0;
  }
  const hearth::Logger logger = options.MakeLogger();
  const auto manager = hearth::controller::Manager::Create(options, logger);
  if (!manager.ok()) {
    logger.Error("cannot start", {{"cause", manager.status().ToString()}});
    return 1;
  }
  hearth::greeter::Greeter greeter(**manager);
  return hearth::controller::RunProgram(**manager, stop.token());
}
