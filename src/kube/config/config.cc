#include "kube/config/config.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

#include "base/strings.h"

namespace hearth::kube {
namespace {

constexpr uint64_t kMaxKubeconfigBytes = 16 << 20;

Result<KubeconfigFile> ReadKubeconfig(const std::string& path, const ConfigSources& sources) {
  ASSIGN_OR_RETURN(std::string text,
                   sources.files->Read(path, kMaxKubeconfigBytes).WithContext("kubeconfig"));
  return KubeconfigFile{path, std::move(text)};
}

// Those that are there; a missing one is skipped, as kubectl does.
Result<std::vector<KubeconfigFile>> ReadList(std::string_view list, const ConfigSources& sources) {
  std::vector<KubeconfigFile> files;
  for (const std::string_view path : Split(list, ':')) {
    if (path.empty()) {
      continue;
    }
    auto file = ReadKubeconfig(std::string(path), sources);
    if (file.ok()) {
      files.push_back(*std::move(file));
    } else if (!file.status().Is(Code::kNotFound)) {
      return file.status();
    }
  }
  return files;
}

// Tries one place after the other and remembers what was not there.
class Search {
 public:
  Search(const ConfigRequest& request, const ConfigSources& sources)
      : request_(request), sources_(sources) {}

  Result<Config> Run() {
    if (!request_.kubeconfig.empty()) {
      ASSIGN_OR_RETURN(KubeconfigFile file, ReadKubeconfig(request_.kubeconfig, sources_));
      return ParseKubeconfig({std::move(file)}, request_.context, sources_);
    }
    const std::string list = sources_.environment("KUBECONFIG");
    const std::string home = sources_.environment("HOME");
    if (!list.empty()) {
      looked_.push_back("$KUBECONFIG (" + list + "): no such file");
      return FilesOr(list, [&] { return PodOr([&] { return Nowhere(); }); });
    }
    return PodOr([&]() -> Result<Config> {
      const std::string path = home + "/.kube/config";
      looked_.push_back(home.empty() ? "$HOME is not set" : path + ": no such file");
      return FilesOr(home.empty() ? "" : path, [&] { return Nowhere(); });
    });
  }

 private:
  template <typename Next>
  Result<Config> FilesOr(const std::string& list, Next next) {
    ASSIGN_OR_RETURN(const auto files, ReadList(list, sources_));
    return files.empty() ? next() : ParseKubeconfig(files, request_.context, sources_);
  }

  // Who asks for a context means a kubeconfig, not the pod.
  template <typename Next>
  Result<Config> PodOr(Next next) {
    if (!request_.context.empty()) {
      return next();
    }
    auto config = InClusterConfig(sources_);
    if (config.ok() || config.status().reason() != "NotInCluster") {
      return config;
    }
    looked_.emplace_back(config.status().message());
    return next();
  }

  Result<Config> Nowhere() const {
    return NotFoundError(fmt::format(
        "no API server is configured: give --kubeconfig or set $KUBECONFIG (looked at: {})",
        Join(looked_, "; ")));
  }

  const ConfigRequest& request_;
  const ConfigSources& sources_;
  std::vector<std::string> looked_;
};

}  // namespace

ConfigSources ConfigSources::Real() {
  return {&RealFileSystem(), &RealProcessRunner(), &RealClock(), [](const std::string& name) {
            const char* value = std::getenv(name.c_str());
            return std::string(value == nullptr ? "" : value);
          }};
}

Result<Config> LoadConfig(const ConfigRequest& request, const ConfigSources& sources) {
  return Search(request, sources).Run();
}

}  // namespace hearth::kube
