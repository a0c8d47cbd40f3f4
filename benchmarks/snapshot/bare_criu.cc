#include "bare_criu.h"

#include <fmt/format.h>

namespace hearth::bench {
namespace {

using agent::criu::Mount;

template <typename Request>
void AddCommon(const Request& request, const std::string& images, std::vector<std::string>& argv) {
  const agent::criu::Settings& settings = request.settings;
  const auto add = [&](bool wanted, const char* option) {
    if (wanted) {
      argv.emplace_back(option);
    }
  };
  argv.insert(argv.end(), {"--images-dir", images, "--log-file", request.log_file,
                           fmt::format("-v{}", settings.log_level), "--root", request.root,
                           "--manage-cgroups=" + settings.manage_cgroups});
  add(settings.shell_job, "--shell-job");
  add(settings.file_locks, "--file-locks");
  add(settings.ext_unix_sockets, "--ext-unix-sk");
  add(settings.link_remap, "--link-remap");
  add(settings.tcp_established, "--tcp-established");
  add(settings.tcp_close, "--tcp-close");
  add(settings.skip_in_flight, "--skip-in-flight");
  add(settings.allow_uprobes, "--allow-uprobes");
  for (const Mount& mount : request.external_mounts) {
    argv.insert(argv.end(), {"--external", fmt::format("mnt[{}]:{}", mount.key, mount.value)});
  }
  for (const std::string& mount : request.skipped_mounts) {
    argv.insert(argv.end(), {"--skip-mnt", mount});
  }
}

}  // namespace

std::vector<std::string> BareDump(const agent::criu::DumpRequest& request,
                                  const agent::criu::Program& criu, const std::string& images) {
  std::vector<std::string> argv = criu.argv;
  argv.insert(argv.end(), {"dump", "--tree", std::to_string(request.pid), "--ghost-limit",
                           std::to_string(request.settings.ghost_limit)});
  AddCommon(request, images, argv);
  if (request.settings.leave_running) {
    argv.emplace_back("--leave-running");
  }
  if (!request.freeze_cgroup.empty()) {
    argv.insert(argv.end(), {"--freeze-cgroup", request.freeze_cgroup});
  }
  for (const std::string& resource : request.external) {
    argv.insert(argv.end(), {"--external", resource});
  }
  return argv;
}

std::vector<std::string> BareRestore(const agent::criu::RestoreRequest& request,
                                     const agent::criu::Program& criu, const std::string& images,
                                     const std::string& work) {
  std::vector<std::string> argv = criu.argv;
  argv.insert(argv.end(), {"restore", "--restore-detached", "--work-dir", work, "--network-lock",
                           "skip", "--evasive-devices", "--force-irmap"});
  AddCommon(request, images, argv);
  return argv;
}

}  // namespace hearth::bench
