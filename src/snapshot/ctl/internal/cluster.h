#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/wait_limit.h"
#include "kube/client/await.h"
#include "kube/client/client.h"
#include "net/event_loop.h"

namespace hearth::snapshot::ctl {

const kube::ResourceType& PodSnapshots();
const kube::ResourceType& Jobs();

// A connection to an API server. Thread-safe.
class Cluster {
 public:
  static Result<std::unique_ptr<Cluster>> Connect(const kube::ConfigRequest& request);

  kube::Client& client() { return *client_; }
  // Of the context; "default" when it names none.
  const std::string& name_space() const { return name_space_; }

  // See kube/client/await.h.
  using IfNone = kube::IfNone;
  Status Await(const kube::ResourceType& type, std::string_view name_space,
               const kube::ListOptions& which, IfNone if_none, const WaitLimit& limit,
               const std::function<Result<bool>(const kube::Object&)>& done);

 private:
  explicit Cluster(std::string name_space)
      : name_space_(std::move(name_space)), loop_("snapshotctl") {}

  std::string name_space_;
  net::EventLoop loop_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
};

}  // namespace hearth::snapshot::ctl
