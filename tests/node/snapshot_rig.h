#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/capture/capture.h"
#include "agent/restore/restore.h"
#include "base/file_system.h"
#include "container_rig.h"
#include "node_test.h"
#include "runc_rig.h"
#include "workload_process.h"

namespace hearth::node {

// Containers, of runc unless a test says otherwise, and everything that captures and restores them,
// in a storage of its own.
class SnapshotTest : public NodeTest {
 protected:
  void SetUp() override {
    NodeTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    ASSERT_OK_AND_ASSIGN(rig_, MakeRig());
    runtime_ = &rig_->runtime();
    storage_.emplace(*snapshot::StorageLayout::Create(rig_->directory() / "storage"));
  }

  virtual Result<std::unique_ptr<ContainerRig>> MakeRig() { return std::make_unique<RuncRig>(); }

  std::string journal() const { return rig_->directory() / "journal"; }
  std::string ArtifactOf(const std::string& id) const { return *storage_->Artifact(id, "1"); }

  agent::CaptureServices CaptureParts() {
    return {.runtime = *runtime_,
            .files = RealFileSystem(),
            .clock = RealClock(),
            .criu = program_,
            .storage = *storage_,
            .journal_directory = journal()};
  }
  agent::RestoreServices RestoreParts() {
    return {.runtime = *runtime_,
            .files = RealFileSystem(),
            .clock = RealClock(),
            .nsrestore = NSRESTORE_PROGRAM,
            .bundle = bundle_,
            .storage = *storage_,
            .journal_directory = journal()};
  }
  static agent::CaptureOrder OrderOf(const std::string& id) {
    return {.checkpoint_id = id, .pod_namespace = "team"};
  }
  Result<agent::Captured> Capture(const std::string& container, const std::string& id,
                                  const std::vector<std::string>& pod_ips = {}) {
    agent::CaptureOrder order = OrderOf(id);
    order.pod_ips = pod_ips;
    return agent::Capture(CaptureParts(), container, order, Enough());
  }
  Result<agent::RestoredContainer> Restore(const std::string& container, const std::string& id,
                                           const std::string& name_space = "team",
                                           const std::vector<std::string>& pod_ips = {}) {
    return agent::Restore(RestoreParts(), container,
                          {.checkpoint_id = id, .pod_namespace = name_space, .pod_ips = pod_ips},
                          Enough());
  }
  Result<ContainerRig::Started> StartPlaceholder(const std::string& name) {
    return rig_->Start(name, {"/bin/workload", "standby"});
  }

  std::unique_ptr<ContainerRig> rig_;
  agent::ContainerRuntime* runtime_ = nullptr;  // the rig's
  std::optional<snapshot::StorageLayout> storage_;
};

}  // namespace hearth::node
