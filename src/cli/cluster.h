#pragma once

#include <memory>
#include <string>

#include "base/options.h"
#include "base/result.h"
#include "kube/client/client.h"
#include "kube/config/config.h"
#include "net/event_loop.h"

namespace hearth::cli {

// A connection to an API server. Thread-safe.
class Cluster {
 public:
  static Result<std::unique_ptr<Cluster>> Connect(const kube::ConfigRequest& request);

  kube::Client& client() { return *client_; }
  // Of the context; "default" when it names none.
  const std::string& name_space() const { return name_space_; }
  // Where it is, for people.
  const std::string& server() const { return server_; }

 private:
  explicit Cluster(std::string name_space) : name_space_(std::move(name_space)), loop_("hearth") {}

  std::string name_space_;
  std::string server_;
  net::EventLoop loop_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
};

// Where the cluster is, as every command that asks one takes it.
struct ClusterOptions {
  kube::ConfigRequest request;
  Duration timeout = std::chrono::seconds(30);

  void AddTo(OptionTable& table,
             const std::string& timeout_help = "How long the cluster is waited for");
};

}  // namespace hearth::cli
