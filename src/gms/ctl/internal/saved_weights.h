#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gms/ctl/internal/ctl_command.h"
#include "gms/ctl/internal/layout_view.h"
#include "gms/storage/artifact_reader.h"

namespace hearth::gms::ctl {

// One device's part of what a path holds. What is wrong with it is told, not thrown away.
struct SavedDevice {
  int64_t device = 0;
  std::string name;  // the path it was found at
  Result<std::unique_ptr<storage::ArtifactReader>> reader;
};

// Opens a checkpoint directory with all its devices, or one device's directory. kNotFound when
// there is neither; kInvalid, kDataLoss when it cannot be said what there is.
Result<std::vector<SavedDevice>> OpenSaved(const std::string& path,
                                           const storage::ReadOptions& options);
LayoutView ViewOf(const storage::Artifact& artifact);

// A command that looks at saves and asks no server.
class SavedCommand : public CtlCommand {
 protected:
  using CtlCommand::CtlCommand;
  void AddOwnOptions(OptionTable& table) final;
  virtual void AddMoreOptions(OptionTable& table) = 0;
  Result<std::vector<SavedDevice>> Open(const std::string& path) const;
  // All of them or the first failure.
  Result<std::vector<SavedDevice>> OpenWhole(const std::string& path) const;

 private:
  std::vector<std::string> roots_;
};

}  // namespace hearth::gms::ctl
