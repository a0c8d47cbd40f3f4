#pragma once

#include <memory>
#include <vector>

#include "gms/client/session.h"
#include "gms/loader/load.h"
#include "gms/storage/artifact_reader.h"
#include "gms/storage/transfer.h"

namespace hearth::gms::loader {

// One device of a load: its artifact, its lease and its memory. Steps in order, by one thread.
class DeviceLoad {
 public:
  DeviceLoad(const storage::DeviceAccess& access, const LoadOptions& options,
             std::unique_ptr<storage::ArtifactReader> reader);
  ~DeviceLoad();  // gives everything back unless committed
  DeviceLoad(const DeviceLoad&) = delete;
  DeviceLoad& operator=(const DeviceLoad&) = delete;

  int64_t device() const { return access_.device; }
  const storage::ArtifactReader& reader() const { return *reader_; }
  // Null before Load when only the server can tell what its memory is.
  AddressSpace* space() { return space_.get(); }

  Status Bind();
  // Takes the writer's lease, allocates, and reads into what was allocated meanwhile.
  Status Load(storage::TransferEngine& engine, LoadGauge& gauge, Clock& clock,
              const WaitLimit& limit);
  Status Commit();

 private:
  Status Connect(const WaitLimit& limit);
  Status PlanLanes();
  Status AllocateAll(storage::Transfer& transfer);
  Status AllocateBatch(size_t begin, size_t end, storage::Transfer& transfer);
  Status PutMetadata();
  // That the server has what was saved, as far as it told us.
  Status CheckLayout() const;

  const storage::DeviceAccess& access_;
  const LoadOptions& options_;
  std::unique_ptr<storage::ArtifactReader> reader_;
  std::vector<size_t> lane_of_shard_;
  size_t lanes_ = 1;
  std::unique_ptr<AddressSpace> space_;
  std::unique_ptr<Session> session_;
  std::vector<AllocationItem> allocated_;
  std::vector<MetadataItem> metadata_;
  std::vector<std::unique_ptr<storage::Memory>> memories_;
  bool committed_ = false;
};

}  // namespace hearth::gms::loader
