#include "gms/saver/save.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>

#include "disk/for_all.h"
#include "gms/saver/internal/device_save.h"
#include "gms/storage/publication.h"

namespace hearth::gms::saver {
namespace {

// The steps of one save, in order.
class Save {
 public:
  Save(const std::vector<storage::DeviceAccess>& devices, const SaveOptions& options,
       FileSystem& files, Clock& clock, SaveGauge& gauge, const WaitLimit& limit)
      : options_(options), files_(files), clock_(clock), gauge_(gauge), limit_(limit) {
    for (const storage::DeviceAccess& access : devices) {
      devices_.push_back(std::make_unique<DeviceSave>(access, options));
    }
  }

  Status AttachAll() {
    RETURN_IF_ERROR(
        Each([](DeviceSave& device, const WaitLimit& limit) { return device.Attach(limit); }));
    for (const auto& device : devices_) {
      gauge_.total_bytes += device->bytes();
    }
    engine_ = std::make_unique<storage::TransferEngine>(
        storage::EngineOptions{.workers = options_.workers,
                               .staging_bytes = options_.staging_bytes,
                               .pin_with = PinWith()});
    return {};
  }

  // A checkpoint that is to be whole has these devices and no others, with more it cannot be
  // loaded; and a record that says so.
  Result<bool> AllSaved() {
    if (options_.whole) {
      const auto record = storage::LoadCheckpointRecord(options_.directory);
      if (!record.ok() || !*record) {
        return false;
      }
      std::set<int64_t> wanted;
      for (const auto& device : devices_) {
        wanted.insert(device->device());
      }
      const auto found = storage::FindDevices(options_.directory);
      if (!found.ok() || *found != wanted) {
        return false;
      }
    }
    for (const auto& device : devices_) {
      ASSIGN_OR_RETURN(const bool saved,
                       device->IsSavedIn(options_.directory, *engine_, clock_, limit_));
      if (!saved) {
        return false;
      }
    }
    return true;
  }

  // All is saved: what the save that did it may have left undone.
  Status Settle() { return storage::Publication::Settle(files_, ToPublish()); }

  Status WriteAll() {
    ASSIGN_OR_RETURN(publication_, storage::Publication::Begin(files_, ToPublish()));
    return Each([this](DeviceSave& device, const WaitLimit& limit) {
      return device.Write(files_, publication_->staged(device.device()), *engine_, gauge_, clock_,
                          limit);
    });
  }

  Status Publish() {
    std::map<int64_t, storage::Manifest> manifests;
    for (const auto& device : devices_) {
      ASSIGN_OR_RETURN(manifests[device->device()], device->Seal(clock_.WallNow()));
    }
    return publication_->Commit(manifests, clock_.WallNow());
  }

 private:
  storage::PublicationOptions ToPublish() const {
    storage::PublicationOptions publish{
        .directory = options_.directory, .roots = options_.roots, .whole = options_.whole};
    for (const auto& device : devices_) {
      publish.devices.push_back(device->device());
    }
    return publish;
  }

  template <typename Work>
  Status Each(Work work) {
    return disk::ForAll(devices_.size(), limit_.stop, [&](size_t i, const std::stop_token& stop) {
      return work(*devices_[i], WaitLimit{.deadline = limit_.deadline, .stop = stop});
    });
  }

  AddressSpace* PinWith() {
    AddressSpace* space = devices_.front()->space();
    return space->host_accessible() ? nullptr : space;
  }

  const SaveOptions& options_;
  FileSystem& files_;
  Clock& clock_;
  SaveGauge& gauge_;
  WaitLimit limit_;
  std::vector<std::unique_ptr<DeviceSave>> devices_;
  std::unique_ptr<storage::TransferEngine> engine_;
  std::unique_ptr<storage::Publication> publication_;
};

}  // namespace

Result<SaveReport> SaveCheckpoint(const std::vector<storage::DeviceAccess>& devices,
                                  const SaveOptions& options, FileSystem& files, Clock& clock,
                                  const Logger& log, SaveGauge& gauge, const WaitLimit& limit) {
  Save save(devices, options, files, clock, gauge, limit);
  const SteadyTime begin = clock.Now();
  RETURN_IF_ERROR(save.AttachAll());
  const SteadyTime attached = clock.Now();
  SaveReport report{
      .devices = devices.size(), .bytes = gauge.total_bytes, .waiting = attached - begin};
  ASSIGN_OR_RETURN(report.already_saved, save.AllSaved());
  if (report.already_saved) {
    RETURN_IF_ERROR(save.Settle());
    log.Info("the checkpoint is there already, verified", {{"directory", options.directory}});
    gauge.done_bytes = gauge.total_bytes.load();
    return report;
  }
  const SteadyTime looked = clock.Now();
  RETURN_IF_ERROR(save.WriteAll());
  const SteadyTime written = clock.Now();
  report.writing = written - looked;
  RETURN_IF_ERROR(save.Publish());
  report.publishing = clock.Now() - written;
  return report;
}

}  // namespace hearth::gms::saver
