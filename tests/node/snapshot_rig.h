#pragma once

#include <memory>
#include <optional>
#include <string>

#include "agent/capture/capture.h"
#include "agent/container/oci_runtime.h"
#include "agent/restore/restore.h"
#include "base/file_system.h"
#include "container_rig.h"
#include "node_test.h"
#include "workload_process.h"

namespace hearth::node {

// Containers of runc, and everything that captures and restores them, in a storage of its own.
class SnapshotTest : public NodeTest {
 protected:
  void SetUp() override {
    NodeTest::SetUp();
    if (IsSkipped()) {
      return;
    }
    rig_ = std::make_unique<ContainerRig>();
    runtime_ =
        agent::MakeOciRuntime({.root = rig_->runc_root()}, RealProcessRunner(), RealFileSystem());
    storage_.emplace(*snapshot::StorageLayout::Create(rig_->directory() / "storage"));
  }

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
    agent::CaptureOrder order{.checkpoint_id = id, .pod_namespace = "team"};
    order.settings.manage_cgroups = "ignore";
    return order;
  }
  Result<agent::Captured> Capture(const std::string& container, const std::string& id) {
    return agent::Capture(CaptureParts(), container, OrderOf(id), Enough());
  }
  Result<agent::RestoredContainer> Restore(const std::string& container, const std::string& id,
                                           const std::string& name_space = "team") {
    return agent::Restore(RestoreParts(), container,
                          {.checkpoint_id = id, .pod_namespace = name_space}, Enough());
  }
  Result<ContainerRig::Started> StartPlaceholder(const std::string& name) {
    return rig_->Start(name, {"/bin/workload", "standby"});
  }

  std::unique_ptr<ContainerRig> rig_;
  std::unique_ptr<agent::ContainerRuntime> runtime_;
  std::optional<snapshot::StorageLayout> storage_;
};

}  // namespace hearth::node
