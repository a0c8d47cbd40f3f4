#pragma once

#include <string>
#include <vector>

#include "snapshot/artifact/artifact.h"
#include "snapshot/artifact/store.h"
#include "snapshot/ctl/internal/ctl_command.h"

namespace hearth::snapshot::ctl {

// A command that looks at the artifacts of a storage directory and asks no cluster.
class StorageCommand : public CtlCommand {
 protected:
  using CtlCommand::CtlCommand;
  void AddOwnOptions(OptionTable& table) final;
  virtual void AddMoreOptions(OptionTable& table) = 0;

  // kNotFound: there is no such directory, so nothing can be said of what is in it.
  Result<StorageLayout> Layout(FileSystem& files) const;
  // What "ID", "ID/VERSION" or a directory's path means. kNotFound tells what there is instead;
  // kInvalid when an id has several versions and none is named.
  Result<ArtifactPlace> Find(FileSystem& files, const std::string& text) const;
  Result<Artifact> Open(FileSystem& files, const std::string& text) const;

 private:
  std::string storage_ = "/checkpoints";
};

// "ID/VERSION" for people.
std::string NameOf(const ArtifactPlace& place);

}  // namespace hearth::snapshot::ctl
