#include "gms/loader/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>

#include "base/file_system.h"
#include "disk/for_all.h"
#include "gms/loader/internal/device_load.h"
#include "gms/storage/checkpoint.h"
#include "gms/storage/manifest.h"

namespace hearth::gms::loader {
namespace {

using storage::ArtifactReader;

// Saved by hand, an artifact may lie in any directory, without a checkpoint around it.
bool IsOneArtifact(const std::vector<storage::DeviceAccess>& devices, const LoadOptions& options) {
  const auto there = [&](const std::string& name) {
    return RealFileSystem().Stat(options.directory + "/" + name).ok();
  };
  return options.only_these && devices.size() == 1 && there(storage::kManifestName) &&
         !there(storage::kCheckpointName);
}

// D03: one device may be loaded from a checkpoint of many; all of them must be all of it.
Status CheckDeviceSet(const std::vector<storage::DeviceAccess>& devices,
                      const LoadOptions& options) {
  ASSIGN_OR_RETURN(const std::set<int64_t> found, storage::FindDevices(options.directory));
  std::set<int64_t> wanted;
  for (const storage::DeviceAccess& access : devices) {
    wanted.insert(access.device);
  }
  if (options.only_these &&
      std::includes(found.begin(), found.end(), wanted.begin(), wanted.end())) {
    return {};
  }
  return storage::CheckDevices(found, wanted).WithContext(options.directory);
}

Status CheckOneModel(const std::vector<std::unique_ptr<DeviceLoad>>& devices) {
  for (const auto& device : devices) {
    const std::string& first = devices.front()->reader().manifest().compatibility.model;
    const std::string& model = device->reader().manifest().compatibility.model;
    if (model != first) {
      return InvalidError(
          fmt::format("device {} holds model {}, device {} holds {}; they were not "
                      "saved together",
                      devices.front()->device(), first, device->device(), model));
    }
  }
  return {};
}

uint64_t LargestChunk(const std::vector<std::unique_ptr<DeviceLoad>>& devices) {
  uint64_t largest = storage::kMinChunkBytes;
  for (const auto& device : devices) {
    largest = std::max(largest, device->reader().manifest().chunk_bytes);
  }
  return largest;
}

Result<std::vector<std::unique_ptr<DeviceLoad>>> OpenAll(
    const std::vector<storage::DeviceAccess>& accesses, const LoadOptions& options,
    LoadGauge& gauge, LoadReport& report) {
  const bool one_artifact = IsOneArtifact(accesses, options);
  RETURN_IF_ERROR(one_artifact ? Status() : CheckDeviceSet(accesses, options));
  std::vector<std::unique_ptr<DeviceLoad>> devices;
  for (const storage::DeviceAccess& access : accesses) {
    ASSIGN_OR_RETURN(
        auto reader,
        one_artifact
            ? ArtifactReader::Open(options.directory, {.roots = options.roots})
            : storage::OpenDevice(options.directory, access.device, {.roots = options.roots}));
    gauge.total_bytes += reader->manifest().total_bytes();
    report.allocations += reader->manifest().allocations.size();
    devices.push_back(std::make_unique<DeviceLoad>(access, options, std::move(reader)));
    RETURN_IF_ERROR(devices.back()->Bind());
  }
  RETURN_IF_ERROR(CheckOneModel(devices));
  return devices;
}

// Without a driver there is nothing that could pin, and nothing that needs it.
AddressSpace* PinWith(DeviceLoad& device) {
  AddressSpace* space = device.space();
  return space == nullptr || space->host_accessible() ? nullptr : space;
}

}  // namespace

Result<LoadReport> LoadCheckpoint(const std::vector<storage::DeviceAccess>& accesses,
                                  const LoadOptions& options, Clock& clock, const Logger& log,
                                  LoadGauge& gauge, const WaitLimit& limit) {
  LoadReport report{.devices = accesses.size()};
  const SteadyTime begin = clock.Now();
  ASSIGN_OR_RETURN(const auto devices, OpenAll(accesses, options, gauge, report));
  report.bytes = gauge.total_bytes;
  // Threads, rings and slots get ready while the leases are waited for.
  storage::TransferEngine engine({.workers = options.workers,
                                  .staging_bytes = options.staging_bytes,
                                  .slot_bytes = LargestChunk(devices),
                                  .pin_with = PinWith(*devices.front())});
  const SteadyTime opened = clock.Now();
  report.opening = opened - begin;
  log.Debug("artifacts are open", {{"devices", report.devices}, {"bytes", report.bytes}});
  RETURN_IF_ERROR(
      disk::ForAll(devices.size(), limit.stop, [&](size_t i, const std::stop_token& stop) {
        return devices[i]->Load(engine, gauge, clock, {.deadline = limit.deadline, .stop = stop});
      }));
  const SteadyTime loaded = clock.Now();
  report.loading = loaded - opened;
  for (const auto& device : devices) {
    RETURN_IF_ERROR(device->Commit());
  }
  report.committing = clock.Now() - loaded;
  return report;
}

}  // namespace hearth::gms::loader
