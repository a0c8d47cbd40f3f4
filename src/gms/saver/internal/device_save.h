#pragma once

#include <memory>
#include <vector>

#include "gms/client/session.h"
#include "gms/saver/save.h"
#include "gms/storage/artifact_reader.h"
#include "gms/storage/artifact_writer.h"
#include "gms/storage/transfer.h"

namespace hearth::gms::saver {

// One device of a save: its lease, its memory and its artifact. Steps in order, by one thread.
class DeviceSave {
 public:
  DeviceSave(const storage::DeviceAccess& access, const SaveOptions& options)
      : access_(access), options_(options) {}

  int64_t device() const { return access_.device; }
  uint64_t bytes() const { return bytes_; }
  AddressSpace* space() { return space_.get(); }

  // Binds the device, waits for the lease, maps everything that is committed.
  Status Attach(const WaitLimit& limit);
  // Whether the artifact holds exactly what the memory does. Reads all memory, and all shards when
  // memory is the same.
  Result<bool> IsSavedIn(const std::string& directory, storage::TransferEngine& engine,
                         Clock& clock, const WaitLimit& limit);
  Status Write(FileSystem& files, const storage::StagedDevice& staged,
               storage::TransferEngine& engine, SaveGauge& gauge, Clock& clock,
               const WaitLimit& limit);
  Result<storage::Manifest> Seal(WallTime now) { return writer_->Seal(now); }

 private:
  Status Connect(const WaitLimit& limit);
  Status MapAll(OpenedLayout layout);
  Result<bool> HasDigests(const storage::ArtifactReader& reader, storage::TransferEngine& engine,
                          Clock& clock, const WaitLimit& limit);

  const storage::DeviceAccess& access_;
  const SaveOptions& options_;
  std::unique_ptr<AddressSpace> space_;
  std::unique_ptr<Session> session_;
  storage::SavedLayout layout_;
  std::vector<std::unique_ptr<storage::Memory>> memories_;
  std::unique_ptr<storage::ArtifactWriter> writer_;
  uint64_t bytes_ = 0;
};

}  // namespace hearth::gms::saver
