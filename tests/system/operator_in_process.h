#pragma once

#include <memory>
#include <string>
#include <thread>

#include "controller/manager.h"
#include "faulty_transport.h"
#include "snapshot/operator/snapshot_controllers.h"
#include "snapshot_cluster.h"

namespace hearth {

// The controllers of snapshots in this process, with the rights that the operator has, over a
// transport that can be broken.
class OperatorInProcess {
 public:
  explicit OperatorInProcess(SnapshotCluster& cluster,
                             snapshot::SnapshotControllerOptions options = {});
  ~OperatorInProcess();

  void Start();
  // What Run returned.
  Status Stop();
  FaultyTransport& faults() { return *faults_; }
  controller::Manager& manager() { return *manager_; }

 private:
  net::EventLoop loop_{"operator"};
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<FaultyTransport> faults_;
  std::unique_ptr<controller::Manager> manager_;
  std::unique_ptr<snapshot::SnapshotControllers> controllers_;
  std::stop_source stop_;
  Status ended_;
  std::thread thread_;
};

}  // namespace hearth
