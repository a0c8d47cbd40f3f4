#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/result.h"
#include "kube/config/credentials.h"
#include "net/endpoint.h"
#include "net/tls.h"

namespace hearth::kube {

// How to reach one API server, and as whom.
struct Config {
  net::Endpoint server;
  std::string path_prefix;      // of a server behind a path, "" mostly
  std::string ca_pem;           // the system's roots when empty
  std::string ca_file;          // where ca_pem came from, read again when it changes; empty: inline
  std::string certificate_pem;  // client certificate
  std::string private_key_pem;
  std::string certificate_file, private_key_file;  // likewise
  std::string server_name;                         // verified instead of the host
  bool insecure_skip_verify = false;
  bool compress = false;  // ask for gzip
  std::string name_space = "default";
  std::shared_ptr<Credentials> credentials;
  std::string origin;  // for messages: "in-cluster", "context dev of /home/u/.kube/config"
};

// What the outside gives; defaults are the real machine.
struct ConfigSources {
  FileSystem* files = nullptr;
  ProcessRunner* processes = nullptr;
  Clock* clock = nullptr;
  std::function<std::string(const std::string& name)> environment;  // getenv
  static ConfigSources Real();
};

struct ConfigRequest {
  std::string kubeconfig;  // --kubeconfig
  std::string context;     // --context
};

// As client-go looks: --kubeconfig, then $KUBECONFIG (a list, merged), then the pod's service
// account, then ~/.kube/config. kNotFound says where it looked.
Result<Config> LoadConfig(const ConfigRequest& request, const ConfigSources& sources);
Result<Config> InClusterConfig(const ConfigSources& sources);

// Kubeconfig text, several merged as kubectl merges: the first to define a name wins, relative
// paths are relative to their file.
struct KubeconfigFile {
  std::string path;
  std::string text;
};
Result<Config> ParseKubeconfig(const std::vector<KubeconfigFile>& files, const std::string& context,
                               const ConfigSources& sources);

// A kubeconfig document with one context, for kubectl and for tests. Token or client certificate
// from `config` as far as given here.
std::string WriteKubeconfig(const Config& config, const std::string& token);

}  // namespace hearth::kube
