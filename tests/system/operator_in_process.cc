#include "operator_in_process.h"

#include <gtest/gtest.h>

#include "base/testing/status_matchers.h"

namespace hearth {

OperatorInProcess::OperatorInProcess(SnapshotCluster& cluster,
                                     snapshot::SnapshotControllerOptions options) {
  auto transport =
      kube::MakeHttpTransport(loop_, cluster.OperatorConfig(), kube::ConfigSources::Real());
  EXPECT_OK(transport);
  transport_ = *std::move(transport);
  faults_ = std::make_unique<FaultyTransport>(*transport_);
  manager_ = controller::Manager::CreateWith({.name = "hearth-operator"}, *faults_, Logger::Null());
  // Tests share a cluster: each has an operator for its own namespace.
  options.namespaces.restricted_to = cluster.name_space();
  controllers_ = std::make_unique<snapshot::SnapshotControllers>(*manager_, options);
}

OperatorInProcess::~OperatorInProcess() {
  (void)Stop();
  manager_.reset();
  controllers_.reset();
}

void OperatorInProcess::Start() {
  thread_ = std::thread([this] { ended_ = manager_->Run(stop_.get_token()); });
}

Status OperatorInProcess::Stop() {
  stop_.request_stop();
  if (thread_.joinable()) {
    thread_.join();
  }
  return ended_;
}

}  // namespace hearth
