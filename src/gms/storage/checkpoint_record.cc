#include <fmt/format.h>

#include "disk/confined_file.h"
#include "gms/storage/checkpoint.h"
#include "gms/storage/internal/fields.h"
#include "gms/storage/internal/root_digest.h"
#include "gms/storage/manifest.h"
#include "json/builder.h"
#include "json/parse.h"

namespace hearth::gms::storage {
namespace {

constexpr size_t kRecordLimit = 16 << 20;
constexpr size_t kNameLimit = 4096;
constexpr size_t kDeviceLimit = 4096;

void Add(json::Builder& b, const CheckpointDevice& device) {
  b.BeginObject();
  b.Key("device").Int(device.device);
  b.Key("directory").String(device.directory);
  b.Key("staged").String(device.staged);
  b.Key("manifest_root").String(device.manifest_root.Hex());
  b.Key("layout_hash").String(device.layout_hash);
  b.Key("model").String(device.model);
  b.Key("bytes").Uint(device.bytes);
  b.EndObject();
}

std::string Name(Fields& fields, std::string_view name) {
  std::string text = fields.String(name, kNameLimit);
  if (text.find('/') != std::string::npos || !CheckStoredPath(text).ok()) {
    fields.Fail(name, "must be the name of a directory");
  }
  return text;
}

Result<CheckpointDevice> ReadDevice(json::View item, size_t index) {
  Fields fields(item, fmt::format("devices[{}]", index));
  fields.OnlyThese(
      {"device", "directory", "staged", "manifest_root", "layout_hash", "model", "bytes"});
  CheckpointDevice device;
  device.device = static_cast<int64_t>(fields.Uint("device"));
  device.directory = Name(fields, "directory");
  device.staged = Name(fields, "staged");
  device.manifest_root = fields.ReadDigest("manifest_root");
  device.layout_hash = fields.String("layout_hash", kNameLimit);
  device.model = fields.String("model", kNameLimit);
  device.bytes = fields.Uint("bytes");
  if (device.directory != DeviceDirectory(device.device)) {
    fields.Fail("directory", "is not that of the device");
  }
  RETURN_IF_ERROR(fields.status());
  return device;
}

Status CheckOrder(const std::vector<CheckpointDevice>& devices) {
  if (devices.empty() || devices.size() > kDeviceLimit) {
    return InvalidError(fmt::format("checkpoint: {} is no number of devices", devices.size()));
  }
  for (size_t i = 1; i < devices.size(); ++i) {
    if (devices[i - 1].device >= devices[i].device) {
      return InvalidError("checkpoint: devices must be listed once, by number");
    }
  }
  return {};
}

}  // namespace

std::string WriteCheckpointRecord(const CheckpointRecord& record) {
  json::Builder b;
  b.BeginObject();
  b.Key("format").String(kCheckpointFormat);
  b.Key("version").Int(2);
  b.Key("timestamp").Double(record.timestamp);
  b.Key("devices").BeginArray();
  for (const CheckpointDevice& device : record.devices) {
    Add(b, device);
  }
  b.EndArray().EndObject();
  return WithRootDigest(b.Take());
}

Result<CheckpointRecord> ReadCheckpointRecord(std::string_view text) {
  RETURN_IF_ERROR(CheckRootDigest(text));
  ASSIGN_OR_RETURN(const json::Blob blob,
                   json::Parse(text, {.max_bytes = kRecordLimit, .max_depth = 8}));
  Fields fields(blob.view(), "checkpoint");
  fields.OnlyThese({"format", "version", "timestamp", "devices", "root_digest"});
  if (fields.String("format", kNameLimit) != kCheckpointFormat || fields.Uint("version") != 2) {
    fields.Fail("version", "is not known; it takes a newer program");
  }
  CheckpointRecord record{.timestamp = fields.NumberOr("timestamp", 0)};
  const json::View devices = fields.Array("devices");
  RETURN_IF_ERROR(fields.status());
  for (const json::View item : devices.items()) {
    ASSIGN_OR_RETURN(CheckpointDevice device, ReadDevice(item, record.devices.size()));
    record.devices.push_back(std::move(device));
  }
  RETURN_IF_ERROR(CheckOrder(record.devices));
  return record;
}

Result<std::optional<CheckpointRecord>> LoadCheckpointRecord(const std::string& directory) {
  ASSIGN_OR_RETURN(const UniqueFd fd, disk::OpenDirectory(directory));
  const Result<std::string> text = disk::ReadFileBelow(fd.get(), kCheckpointName, kRecordLimit);
  if (text.status().Is(Code::kNotFound)) {
    return std::optional<CheckpointRecord>();
  }
  RETURN_IF_ERROR(text.status().WithContext(directory));
  ASSIGN_OR_RETURN(CheckpointRecord record,
                   ReadCheckpointRecord(*text).WithContext(directory + "/" + kCheckpointName));
  return std::optional<CheckpointRecord>(std::move(record));
}

}  // namespace hearth::gms::storage
