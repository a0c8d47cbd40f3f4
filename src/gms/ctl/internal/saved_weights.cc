#include "gms/ctl/internal/saved_weights.h"

#include <fmt/format.h>

#include "gms/storage/checkpoint.h"

namespace hearth::gms::ctl {
namespace {

using storage::ArtifactReader;

SavedDevice OpenOne(const std::string& path, const storage::ReadOptions& options) {
  SavedDevice saved{.name = path, .reader = ArtifactReader::Open(path, options)};
  if (saved.reader.ok()) {
    saved.device = (*saved.reader)->manifest().device;
  }
  return saved;
}

}  // namespace

Result<std::vector<SavedDevice>> OpenSaved(const std::string& path,
                                           const storage::ReadOptions& options) {
  std::vector<SavedDevice> all;
  if (RealFileSystem().Stat(path + "/" + storage::kManifestName).ok()) {
    all.push_back(OpenOne(path, options));
    return all;
  }
  ASSIGN_OR_RETURN(const auto devices, storage::FindDevices(path));
  for (const int64_t device : devices) {
    all.push_back({.device = device,
                   .name = path + "/" + storage::DeviceDirectory(device),
                   .reader = storage::OpenDevice(path, device, options)});
  }
  if (all.empty()) {
    return NotFoundError(
        fmt::format("{}: no saved weights: neither {} nor {} nor a device-<n> is there; "
                    "name the directory that gms-saver wrote to",
                    path, storage::kCheckpointName, storage::kManifestName));
  }
  return all;
}

LayoutView ViewOf(const storage::Artifact& artifact) {
  LayoutView view;
  for (const storage::StoredAllocation& stored : artifact.manifest.allocations) {
    view.allocations.push_back({stored.id, stored.tag, stored.size, stored.aligned_size});
  }
  for (const storage::StoredMetadata& stored : artifact.metadata) {
    view.tensors.push_back({stored.key, stored.allocation_id, stored.offset_bytes, stored.value});
  }
  return view;
}

void SavedCommand::AddOwnOptions(OptionTable& table) {
  AddMoreOptions(table);
  table.Add({.name = "shard-root",
             .help = "Directory that shards may lie below which are not beside their manifest; may "
                     "be repeated",
             .target = &roots_,
             .value_name = "file"});
}

Result<std::vector<SavedDevice>> SavedCommand::Open(const std::string& path) const {
  return OpenSaved(path, {.roots = roots_});
}

Result<std::vector<SavedDevice>> SavedCommand::OpenWhole(const std::string& path) const {
  ASSIGN_OR_RETURN(auto all, Open(path));
  for (const SavedDevice& saved : all) {
    RETURN_IF_ERROR(saved.reader.status());
  }
  return all;
}

}  // namespace hearth::gms::ctl
