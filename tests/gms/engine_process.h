#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/process_runner.h"
#include "http/client.h"
#include "json/value.h"

namespace hearth::gms {

// A real engine with a small model on the second device of a server, spoken to over a socket file.
class EngineProcess {
 public:
  struct Options {
    std::string directory;  // of the server's sockets
    std::string id = "0";
    bool failover = false;  // with the lock of the directory
  };
  explicit EngineProcess(Options options);

  int pid() const { return process_->pid(); }
  bool Running() { return process_->Running(); }
  // Waits until it serves; false when it ends instead, or it takes too long.
  bool Serves();
  // Waits until it is asleep and in line for its turn.
  bool StandsBy();
  // The text it goes on with; the answer's body when it is no 200.
  std::string Complete(const std::string& prompt);
  int Post(const std::string& path);
  json::Value State();
  std::string Metrics();
  void Kill();  // SIGKILL
  std::string log() const;

 private:
  Result<http::Response> Ask(const std::string& method, const std::string& path,
                             const std::string& body = "");

  Options options_;
  std::string name_;  // of its files
  std::optional<ChildProcess> process_;
  std::unique_ptr<net::EventLoop> loop_;
  std::unique_ptr<http::Client> client_;
};

}  // namespace hearth::gms
