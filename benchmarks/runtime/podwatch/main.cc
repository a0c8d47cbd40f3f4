// Podwatch on our own runtime. See benchmarks/peers/README.md for the arguments and the protocol.
#include <iostream>

#include "base/options.h"
#include "commands.h"
#include "meter.h"
#include "subject.h"

namespace hearth::bench {
namespace {

OptionTable Options(PodwatchOptions& options) {
  OptionTable table("podwatch", "Watches Pods, to be measured; ./bench runtime starts it.");
  table.Add(
      {.name = "kubeconfig", .help = "Path of the kubeconfig", .target = &options.kubeconfig});
  table.Add({.name = "namespace",
             .help = "Name space to watch; all when empty",
             .target = &options.name_space});
  table.Add({.name = "workers",
             .help = "Reconciles at once",
             .target = &options.workers,
             .check = Between(1, 256)});
  table.Add({.name = "keep-all",
             .help = "Keep everything but managedFields",
             .target = &options.keep_all});
  table.Add(
      {.name = "no-reconcile", .help = "Run the cache alone", .target = &options.no_reconcile});
  return table;
}

Status Run(const PodwatchOptions& options, SteadyTime started) {
  Meter meter;
  ASSIGN_OR_RETURN(const auto subject, options.no_reconcile ? StartCacheOnly(options, meter)
                                                            : StartManaged(options, meter));
  return Serve(*subject, meter, started, std::cin, std::cout);
}

int Main(int argc, const char* const* argv) {
  const SteadyTime started = RealClock().Now();
  PodwatchOptions options;
  const OptionTable table = Options(options);
  const auto parsed = table.Parse(argc, argv);
  if (parsed.ok() && *parsed != OptionTable::Parsed::kRun) {
    std::cout << table.Help();
    return 0;
  }
  const Status status = parsed.ok() ? Run(options, started) : parsed.status();
  if (!status.ok()) {
    std::cerr << "podwatch: " << status.message() << "\n";
  }
  return status.ok() ? 0 : 1;
}

}  // namespace
}  // namespace hearth::bench

int main(int argc, char** argv) { return hearth::bench::Main(argc, argv); }
