#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "gms/storage/artifact_reader.h"

// A checkpoint directory: the artifacts of several devices and one record, written last, that says
// which of them belong together.
namespace hearth::gms::storage {

inline constexpr const char* kCheckpointName = "gms-checkpoint.json";
inline constexpr std::string_view kCheckpointFormat = "hearth-gms-checkpoint";

struct CheckpointDevice {
  int64_t device = 0;
  std::string directory;  // "device-<n>"
  // Where it lies until it has been moved to `directory`, which may happen after the record is
  // written: the one of the two whose manifest has this root digest is meant.
  std::string staged;
  disk::Digest manifest_root;
  std::string layout_hash;
  std::string model;
  uint64_t bytes = 0;

  friend bool operator==(const CheckpointDevice&, const CheckpointDevice&) = default;
};

struct CheckpointRecord {
  double timestamp = 0;
  std::vector<CheckpointDevice> devices;  // by number
};

std::string WriteCheckpointRecord(const CheckpointRecord& record);
// kInvalid; kDataLoss when its digest does not fit.
Result<CheckpointRecord> ReadCheckpointRecord(std::string_view text);
// Nothing when there is none, as before version 2.
Result<std::optional<CheckpointRecord>> LoadCheckpointRecord(const std::string& directory);

std::string DeviceDirectory(int64_t device);  // "device-3"
// Only as DeviceDirectory writes it: "device-03" is none.
std::optional<int64_t> DeviceOfDirectory(std::string_view name);

// The devices that a checkpoint has: those of its record, or without one every real directory with
// a device's name.
Result<std::set<int64_t>> FindDevices(const std::string& directory);
// kInvalid "... missing=[1] extra=[4]" unless they are the same.
Status CheckDevices(const std::set<int64_t>& found, const std::set<int64_t>& wanted);

// Opens one device's artifact: the very one that the record means. kDataLoss when it is not there.
Result<std::unique_ptr<ArtifactReader>> OpenDevice(const std::string& directory, int64_t device,
                                                   const ReadOptions& options);

}  // namespace hearth::gms::storage
