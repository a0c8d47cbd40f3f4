#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/file_system.h"
#include "base/process_runner.h"
#include "base/result.h"
#include "base/wait_limit.h"

namespace hearth::kube {

// Who we are towards the API server. Thread-safe.
class Credentials {
 public:
  struct Current {
    std::string authorization;    // value of the Authorization header; empty: none
    std::string certificate_pem;  // client certificate, when the credentials are one
    std::string private_key_pem;
  };
  virtual ~Credentials() = default;
  // May block (reads a file, runs a program) within the limit.
  virtual Result<Current> Get(const WaitLimit& limit) = 0;
  // Whether Get may block at all; if not it may be called on a loop.
  virtual bool MayBlock() const { return true; }
  // The server answered 401 to what Get returned last: the next Get looks afresh.
  virtual void Rejected() = 0;
};

std::unique_ptr<Credentials> NoCredentials();
std::unique_ptr<Credentials> StaticToken(std::string token);
std::unique_ptr<Credentials> BasicAuth(const std::string& user, const std::string& password);

// Read again when older than a minute and after a rejection; while the file cannot be read the last
// token goes on being used, at first `fallback` unless it is empty.
std::unique_ptr<Credentials> TokenFile(std::string path, FileSystem& files, Clock& clock,
                                       std::string_view fallback = "");

// A client.authentication.k8s.io exec plugin (v1 and v1beta1): run without a shell, with a
// deadline; the answer is kept until it expires or is rejected.
struct ExecPlugin {
  std::string api_version;
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string install_hint;
  bool interactive_always = false;  // interactiveMode: Always cannot work here and is refused
  std::string cluster_info_json;    // provideClusterInfo: what KUBERNETES_EXEC_INFO tells of the
                                    // cluster; empty: nothing
  Duration timeout = std::chrono::seconds(60);
};
std::unique_ptr<Credentials> ExecCredentials(ExecPlugin plugin, ProcessRunner& processes,
                                             Clock& clock);

}  // namespace hearth::kube
