#pragma once

#include <memory>
#include <string>

#include "agent/capture/capture.h"
#include "agent/restore/restore.h"
#include "base/result.h"
#include "runc_rig.h"

namespace hearth::bench {

struct Programs {
  std::string criu;          // the directory that tools/criu makes
  std::string nsrestore;     // ours
  std::string bare_restore;  // the peer's
  std::string snapshot_agent;
};

struct SubjectMemory {
  uint64_t own_mebibytes = 0;
  uint64_t shared_mebibytes = 0;
  int zero_percent = 0;
};

// Containers of runc that are captured and restored, by us and by bare CRIU, with artifacts on the
// disk that is measured. Thread-safe but for starting and killing containers.
class Stage {
 public:
  static Result<std::unique_ptr<Stage>> Set(const Programs& programs, const std::string& directory);

  using Container = node::ContainerRig::Started;
  // Returns when it has filled its memory.
  Result<Container> StartSubject(const std::string& name, const SubjectMemory& memory);
  Result<Container> StartPlaceholder(const std::string& name);
  void Kill(const Container& container) { rig_.Kill(container); }
  // Token and, if wanted, a hash of all its memory.
  Result<std::string> Ask(const Container& container, bool hash);

  Result<agent::Captured> Capture(const std::string& container, const std::string& id);
  Result<agent::RestoredContainer> Restore(const std::string& container, const std::string& id);

  struct BareDump {
    double dumped = 0;   // seconds until CRIU ended
    double durable = 0;  // until all its files were on the disk
  };
  Result<BareDump> DumpBare(const std::string& container);
  // From an artifact of ours. Seconds.
  Result<double> RestoreBare(const std::string& container, const std::string& id);

  // What a runtime tells of a container over CRI.
  Result<std::string> CriInfoOf(const Container& container);

  const agent::criu::Program& criu() const { return criu_; }
  const std::string& directory() const { return directory_; }
  std::string ArtifactOf(const std::string& id) const { return *storage_.Artifact(id, "1"); }
  // Bare CRIU has nothing to remove while it is timed either.
  void Remove(const std::string& id) const;
  // The largest file of an artifact.
  Result<std::string> LargestFileOf(const std::string& id) const;
  // Takes an artifact's files out of the page cache, or brings them in.
  Status Forget(const std::string& id) const;
  Status BringIn(const std::string& id) const;

 private:
  Stage(Programs programs, std::string directory, agent::criu::Program criu,
        snapshot::StorageLayout storage);
  agent::CaptureOrder OrderOf(const std::string& id) const;
  agent::CaptureServices CaptureParts();

  Programs programs_;
  std::string directory_;
  agent::criu::Program criu_;
  node::RuncRig rig_;
  snapshot::StorageLayout storage_;
};

}  // namespace hearth::bench
