#pragma once

#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"
#include "base/wait_limit.h"
#include "kube/client/client.h"

namespace hearth::agent::node {

// Shows that the agent of a node is alive: renews the Lease snapshot::AgentLeaseName(node). Others
// give up the orders of a node whose Lease does not move. It is not given back at the end, because
// an agent that is replaced by a newer one is not gone.
class Heartbeat {
 public:
  struct Options {
    std::string node;
    std::string name_space;
    Duration period = std::chrono::seconds(10);
  };
  Heartbeat(kube::Client& client, Clock& clock, Options options, Logger logger)
      : client_(client), clock_(clock), options_(std::move(options)), logger_(std::move(logger)) {}

  // One beat: makes the Lease or renews it, whoever wrote it last.
  Status Beat(const WaitLimit& limit);
  // Beats until told to stop. A beat that fails is logged once, and tried again with the next.
  Status Run(const std::stop_token& stop);

 private:
  kube::Client& client_;
  Clock& clock_;
  const Options options_;
  const Logger logger_;
};

}  // namespace hearth::agent::node
