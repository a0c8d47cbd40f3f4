#include "gms/storage/checkpoint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "base/file_system.h"
#include "disk/confined_file.h"

namespace hearth::gms::storage {
namespace {

constexpr std::string_view kPrefix = "device-";

std::vector<int64_t> Without(const std::set<int64_t>& these, const std::set<int64_t>& those) {
  std::vector<int64_t> rest;
  std::set_difference(these.begin(), these.end(), those.begin(), those.end(),
                      std::back_inserter(rest));
  return rest;
}

const CheckpointDevice* Find(const CheckpointRecord& record, int64_t device) {
  const auto found = std::find_if(record.devices.begin(), record.devices.end(),
                                  [&](const auto& one) { return one.device == device; });
  return found == record.devices.end() ? nullptr : &*found;
}

// Nothing: not this one.
Result<std::unique_ptr<ArtifactReader>> OpenIfMeant(int directory, const CheckpointDevice& entry,
                                                    const std::string& name,
                                                    const std::string& shown,
                                                    const ReadOptions& options) {
  ASSIGN_OR_RETURN(UniqueFd fd, disk::OpenDirectoryBelow(directory, name));
  ASSIGN_OR_RETURN(auto reader, ArtifactReader::Open(std::move(fd), shown, options));
  if (reader->manifest().root != entry.manifest_root) {
    return NotFoundError(shown + " is another artifact than the one that the checkpoint lists");
  }
  return reader;
}

Result<std::unique_ptr<ArtifactReader>> OpenListed(const std::string& directory,
                                                   const CheckpointDevice& entry,
                                                   const ReadOptions& options) {
  ASSIGN_OR_RETURN(const UniqueFd fd, disk::OpenDirectory(directory));
  const std::string shown = directory + "/" + entry.directory;
  // Twice: it may be moved from one to the other between two looks.
  for (int look = 0; look < 2; ++look) {
    for (const std::string& name : {entry.directory, entry.staged}) {
      auto reader = OpenIfMeant(fd.get(), entry, name, shown, options);
      if (reader.ok() ||
          (look == 1 && name == entry.directory && !reader.status().Is(Code::kNotFound))) {
        return reader;
      }
    }
  }
  return DataLossError(
      fmt::format("{}: there is no artifact with the root digest {} that {} "
                  "lists; save again",
                  shown, entry.manifest_root.Hex(), kCheckpointName));
}

}  // namespace

std::string DeviceDirectory(int64_t device) { return fmt::format("{}{}", kPrefix, device); }

std::optional<int64_t> DeviceOfDirectory(std::string_view name) {
  if (!name.starts_with(kPrefix)) {
    return std::nullopt;
  }
  int64_t device = -1;
  const std::string_view digits = name.substr(kPrefix.size());
  std::from_chars(digits.data(), digits.data() + digits.size(), device);
  return device >= 0 && DeviceDirectory(device) == name ? std::optional(device) : std::nullopt;
}

Result<std::set<int64_t>> FindDevices(const std::string& directory) {
  ASSIGN_OR_RETURN(const auto record, LoadCheckpointRecord(directory));
  std::set<int64_t> devices;
  if (record) {
    for (const CheckpointDevice& device : record->devices) {
      devices.insert(device.device);
    }
    return devices;
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> names, RealFileSystem().List(directory));
  for (const std::string& name : names) {
    const std::optional<int64_t> device = DeviceOfDirectory(name);
    const auto info = RealFileSystem().Stat(directory + "/" + name);
    if (device && info.ok() && info->is_directory && !info->is_link) {
      devices.insert(*device);
    }
  }
  return devices;
}

Status CheckDevices(const std::set<int64_t>& found, const std::set<int64_t>& wanted) {
  if (found == wanted) {
    return {};
  }
  return InvalidError(fmt::format(
      "the checkpoint's devices are not the visible ones: missing=[{}] extra=[{}]",
      fmt::join(Without(wanted, found), ", "), fmt::join(Without(found, wanted), ", ")));
}

Result<std::unique_ptr<ArtifactReader>> OpenDevice(const std::string& directory, int64_t device,
                                                   const ReadOptions& options) {
  ASSIGN_OR_RETURN(const auto record, LoadCheckpointRecord(directory));
  if (!record) {
    ASSIGN_OR_RETURN(const UniqueFd fd, disk::OpenDirectory(directory));
    ASSIGN_OR_RETURN(UniqueFd folder, disk::OpenDirectoryBelow(fd.get(), DeviceDirectory(device)));
    return ArtifactReader::Open(std::move(folder), directory + "/" + DeviceDirectory(device),
                                options);
  }
  const CheckpointDevice* entry = Find(*record, device);
  if (entry == nullptr) {
    return NotFoundError(
        fmt::format("{}: {} does not list device {}", directory, kCheckpointName, device));
  }
  return OpenListed(directory, *entry, options);
}

}  // namespace hearth::gms::storage
