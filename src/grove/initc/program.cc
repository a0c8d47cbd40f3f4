#include "grove/initc/program.h"

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/file_system.h"
#include "base/options.h"
#include "base/strings.h"
#include "grove/initc/wait.h"
#include "kube/client/transport.h"
#include "kube/config/config.h"
#include "net/event_loop.h"

namespace hearth::grove::initc {
namespace {

constexpr int kFailed = 1;
constexpr int kMisused = 2;
constexpr uint64_t kLargestName = 1024;

struct Settings {
  std::vector<std::string> cliques;
  std::string pod_info = "/var/grove/pod-info";
  kube::ConfigRequest config;
  std::string log_format = "text";
};

OptionTable Options(Settings& settings) {
  OptionTable table("grove-initc",
                    "Waits until enough pods of other cliques of the same gang are ready.");
  table.Add({.name = "podcliques",
             .help = "PodClique to wait for, and how many of its pods must be ready; repeat it for "
                     "several",
             .target = &settings.cliques,
             .letter = 'p',
             .value_name = "clique:count",
             .required = true});
  table.Add({.name = "pod-info",
             .help = "Directory with the files namespace and podgangname, which say where this pod "
                     "is",
             .target = &settings.pod_info,
             .value_name = "directory"});
  table.Add({.name = "kubeconfig",
             .help = "File that says how to reach the API server; without it $KUBECONFIG, then the "
                     "pod's service account",
             .target = &settings.config.kubeconfig,
             .value_name = "file"});
  table.Add({.name = "log-format",
             .help = "How log lines look: text for people, json for machines",
             .target = &settings.log_format,
             .check = OneOf({"text", "json"})});
  table.AddNotes(
      "Exit codes:\n"
      "  0  every clique has enough ready pods\n"
      "  1  told to stop before, or could not begin\n"
      "  2  wrong arguments\n");
  return table;
}

Result<std::string> ReadName(const std::string& directory, std::string_view file) {
  const std::string path = directory + "/" + std::string(file);
  ASSIGN_OR_RETURN(const std::string text, RealFileSystem().Read(path, kLargestName));
  std::string name(Trim(text));
  if (name.empty()) {
    return InvalidError(path + " is empty");
  }
  return name;
}

Status Run(const Settings& settings, Parents parents, const StopSignal& stop) {
  WaitRequest request;
  request.parents = std::move(parents);
  ASSIGN_OR_RETURN(request.name_space, ReadName(settings.pod_info, "namespace"));
  ASSIGN_OR_RETURN(request.gang, ReadName(settings.pod_info, "podgangname"));
  const kube::ConfigSources sources = kube::ConfigSources::Real();
  ASSIGN_OR_RETURN(const kube::Config config, kube::LoadConfig(settings.config, sources));
  net::EventLoop loop("net");
  ASSIGN_OR_RETURN(
      const std::unique_ptr<kube::Transport> transport,
      kube::MakeHttpTransport(loop, config, sources, {.http = {}, .user_agent = "grove-initc"}));
  kube::Client client(*transport, RealClock());
  const Logger log(StderrSink(), ParseLogFormat(settings.log_format).value_or(LogFormat::kText),
                   LogLevel::kInfo);
  return WaitForParents(client, request,
                        log.With({{"namespace", request.name_space}, {"gang", request.gang}}),
                        stop.token());
}

int Complain(const Status& status, int code) {
  std::fprintf(stderr, "grove-initc: %s\n", std::string(status.message()).c_str());
  return code;
}

}  // namespace

int RunInitc(int argc, const char* const* argv, const StopSignal& stop) {
  Settings settings;
  const OptionTable options = Options(settings);
  const auto parsed = options.Parse(argc, argv);
  if (!parsed.ok()) {
    return Complain(parsed.status(), kMisused);
  }
  if (*parsed != OptionTable::Parsed::kRun) {
    std::fputs(*parsed == OptionTable::Parsed::kHelp ? options.Help().c_str()
                                                     : "grove-initc " HEARTH_VERSION "\n",
               stdout);
    return 0;
  }
  auto parents = ParseParents(settings.cliques);
  if (!parents.ok()) {
    return Complain(parents.status(), kMisused);
  }
  const Status done = Run(settings, *std::move(parents), stop);
  return done.ok() ? 0 : Complain(done, kFailed);
}

}  // namespace hearth::grove::initc
