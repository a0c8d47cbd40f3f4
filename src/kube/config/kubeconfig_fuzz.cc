#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "kube/config/config.h"

namespace {

// No file is there, and no program.
class NoFiles : public hearth::FileSystem {
 public:
  hearth::Result<std::string> Read(const std::string& path, uint64_t) override {
    return hearth::NotFoundError(path);
  }
  hearth::Status Write(const std::string&, std::string_view, uint32_t) override { return No(); }
  hearth::Status Sync(const std::string&) override { return No(); }
  hearth::Status Rename(const std::string&, const std::string&) override { return No(); }
  hearth::Status MakeDirectories(const std::string&, uint32_t) override { return No(); }
  hearth::Status Remove(const std::string&) override { return No(); }
  hearth::Status RemoveTree(const std::string&) override { return No(); }
  hearth::Result<Info> Stat(const std::string&) override { return No(); }
  hearth::Result<std::vector<std::string>> List(const std::string&) override { return No(); }

 private:
  static hearth::Status No() { return hearth::NotFoundError("nothing here"); }
};

class NoProcesses : public hearth::ProcessRunner {
 public:
  hearth::Result<hearth::ProcessOutcome> Run(const hearth::ProcessSpec&,
                                             const hearth::WaitLimit&) override {
    return hearth::NotFoundError("no program");
  }
};

}  // namespace

// What is understood has a server and credentials, and what is written from it is understood again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  NoFiles files;
  NoProcesses processes;
  const hearth::kube::ConfigSources sources{&files, &processes, &hearth::RealClock(),
                                            [](const std::string&) { return std::string(); }};
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto config = hearth::kube::ParseKubeconfig({{"/d/config", text}}, "", sources);
  if (!config.ok()) {
    CHECK(!config.status().message().empty());
    return 0;
  }
  CHECK(config->credentials != nullptr);
  const std::string written = hearth::kube::WriteKubeconfig(*config, "token");
  const auto again = hearth::kube::ParseKubeconfig({{"/d/config", written}}, "", sources);
  CHECK(again.ok()) << again.status() << "\n" << written;
  CHECK(again->server == config->server);
  CHECK(again->name_space == config->name_space);
  return 0;
}
