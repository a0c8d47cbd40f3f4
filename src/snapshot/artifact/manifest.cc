#include "snapshot/artifact/manifest.h"

#include <fmt/format.h>

#include <utility>

#include "base/strings.h"
#include "json/time.h"
#include "json/yaml.h"

namespace hearth::snapshot {
namespace {

using json::Value;

constexpr size_t kLargestManifest = size_t{8} << 20;
constexpr std::string_view kZstd = "zstd";

Value Strings(const std::vector<std::string>& strings) {
  Value list = Value::Array();
  for (const std::string& string : strings) {
    list.Append(string);
  }
  return list;
}

Status Wrong(std::string_view path, std::string_view wanted) {
  return InvalidError(fmt::format("{}: {} must be {}", kManifestFile, path, wanted));
}

// Takes members of a map apart; the first that is wrong is the answer. Missing ones leave what is
// there.
class Reader {
 public:
  Reader(const Value* map, std::string path) : map_(map), path_(std::move(path)) {
    if (map_ != nullptr && map_->IsNull()) {
      map_ = nullptr;
    }
    if (map_ != nullptr && !map_->IsObject()) {
      Fail("", "a map");
    }
  }
  bool present() const { return map_ != nullptr; }
  const Status& status() const { return status_; }

  void Text(std::string_view name, std::string& out) {
    if (const Value* const value = Member(name); value != nullptr) {
      value->IsString() ? void(out = value->string()) : Fail(name, "a text");
    }
  }
  void Number(std::string_view name, int& out) {
    if (const Value* const value = Member(name); value != nullptr) {
      const auto number = value->Int();
      number&&* number >= 0 && *number <= 0x7fffffff ? void(out = static_cast<int>(*number))
                                                     : Fail(name, "a whole number");
    }
  }
  void Size(std::string_view name, uint64_t& out) {
    if (const Value* const value = Member(name); value != nullptr) {
      const auto number = value->Int();
      number&&* number >= 0 ? void(out = static_cast<uint64_t>(*number))
                            : Fail(name, "a number of bytes");
    }
  }
  void Milliseconds(std::string_view name, uint64_t& out) {
    constexpr int64_t kCentury = int64_t{100} * 366 * 24 * 3600 * 1000;
    if (const Value* const value = Member(name); value != nullptr) {
      const auto number = value->Int();
      number&&* number >= 0 && *number <= kCentury ? void(out = static_cast<uint64_t>(*number))
                                                   : Fail(name, "a number of milliseconds");
    }
  }
  void Texts(std::string_view name, std::vector<std::string>& out) {
    for (const Value& item : List(name)) {
      item.IsString() ? out.push_back(item.string()) : Fail(name, "a list of texts");
    }
  }
  void Numbers(std::string_view name, std::vector<int>& out) {
    for (const Value& item : List(name)) {
      const auto number = item.Int();
      number&&* number > 0 && *number <= 0x7fffffff ? out.push_back(static_cast<int>(*number))
                                                    : Fail(name, "a list of pids");
    }
  }
  void Map(std::string_view name, std::map<std::string, std::string>& out) {
    const Value* const value = Member(name);
    if (value == nullptr) {
      return;
    }
    if (!value->IsObject()) {
      return Fail(name, "a map");
    }
    for (const auto& [key, each] : value->members()) {
      each.IsString() ? void(out.emplace(key, each.string())) : Fail(name, "a map of texts");
    }
  }
  Reader Below(std::string_view name) {
    return Reader(Member(name),
                  path_.empty() ? std::string(name) : fmt::format("{}.{}", path_, name));
  }
  const Value* Member(std::string_view name) const {
    const Value* const value = map_ == nullptr || !map_->IsObject() ? nullptr : map_->Find(name);
    return value == nullptr || value->IsNull() ? nullptr : value;
  }

 private:
  void Fail(std::string_view name, std::string_view wanted) {
    if (status_.ok()) {
      status_ = Wrong(name.empty()    ? path_
                      : path_.empty() ? std::string(name)
                                      : fmt::format("{}.{}", path_, name),
                      wanted);
    }
  }
  const Value::Items& List(std::string_view name) {
    static const Value::Items none;
    const Value* const value = Member(name);
    if (value != nullptr && !value->IsArray()) {
      Fail(name, "a list");
    }
    return value != nullptr && value->IsArray() ? value->items() : none;
  }

  const Value* map_;
  std::string path_;
  Status status_;
};

Status ReadCriu(Reader& top, Manifest& manifest) {
  Reader criu = top.Below("criuDump");
  if (const Value* const settings = criu.Member("criu"); settings != nullptr) {
    manifest.criu_settings = *settings;
  }
  criu.Map("extMnt", manifest.external_mounts);
  criu.Texts("external", manifest.external);
  criu.Texts("skipMnt", manifest.skipped_mounts);
  return criu.status();
}

Status ReadSource(Reader& top, SourceContainer& source) {
  Reader k8s = top.Below("k8s");
  k8s.Text("containerId", source.container_id);
  k8s.Number("pid", source.pid);
  k8s.Text("sourceNode", source.node);
  k8s.Text("podName", source.pod_name);
  k8s.Text("podNamespace", source.pod_namespace);
  std::string address;
  k8s.Text("podIP", address);
  if (!address.empty()) {
    source.pod_ips = {std::move(address)};
  }
  std::vector<std::string> stdio;
  k8s.Texts("stdioFDs", stdio);
  if (stdio.size() > source.stdio.size()) {
    return Wrong("k8s.stdioFDs", "a list of three texts");
  }
  std::move(stdio.begin(), stdio.end(), source.stdio.begin());
  return k8s.status();
}

Status ReadFiles(Reader& top, SavedFiles& files) {
  Reader overlay = top.Below("overlay");
  Reader exclusions = overlay.Below("exclusions");
  exclusions.Texts("exclusions", files.exclusions);
  RETURN_IF_ERROR(exclusions.status());
  overlay.Text("upperDir", files.upper_directory);
  overlay.Texts("externalPaths", files.external_paths);
  overlay.Texts("bindMountDests", files.bind_destinations);
  return overlay.status();
}

Status ReadCuda(Reader& top, std::optional<CudaState>& out) {
  Reader cuda = top.Below("cudaRestore");
  if (cuda.present()) {
    CudaState& state = out.emplace();
    cuda.Numbers("pids", state.pids);
    cuda.Texts("sourceGpuUuids", state.gpu_uuids);
  }
  return cuda.status();
}

Status ReadIntegrity(Reader& ours, std::optional<Integrity>& out) {
  Reader contents = ours.Below("contents");
  if (!contents.present()) {
    return contents.status();
  }
  std::string hex;
  contents.Text("digest", hex);
  const auto digest = disk::Digest::FromHex(hex);
  if (!digest) {
    return Wrong("hearth.contents.digest", "a digest");
  }
  out = Integrity{.contents = *digest};
  contents.Size("bytes", out->bytes);
  contents.Size("storedBytes", out->stored_bytes);
  std::string compression;
  contents.Text("compression", compression);
  contents.Size("plainBytes", out->plain_bytes);
  RETURN_IF_ERROR(contents.status());
  return compression.empty() || compression == kZstd
             ? Status::Ok()
             : Status(Code::kUnsupported, fmt::format("{}: compression '{}' is not known here",
                                                      kManifestFile, Excerpt(compression, 100)));
}

Status ReadEnvironment(Reader& top, Manifest& manifest) {
  Reader ours = top.Below("hearth");
  if (!ours.present()) {
    return ours.status();
  }
  int version = 0;
  ours.Number("version", version);
  if (ours.status().ok() && version > kManifestVersion) {
    return Status(Code::kUnsupported,
                  fmt::format("{}: version {} is newer than {}, the newest known here: restore it "
                              "with a newer release",
                              kManifestFile, version, kManifestVersion));
  }
  SourceEnvironment& environment = manifest.environment.emplace();
  ours.Text("artifactVersion", manifest.artifact_version);
  ours.Text("kernel", environment.kernel);
  ours.Text("architecture", environment.architecture);
  ours.Text("cpuModel", environment.cpu_model);
  ours.Texts("cpuFeatures", environment.cpu_features);
  ours.Text("criu", environment.criu_version);
  ours.Text("runtime", environment.runtime);
  ours.Text("image", environment.image);
  ours.Text("imageDigest", environment.image_digest);
  ours.Text("podUID", environment.pod_uid);
  ours.Text("containerName", environment.container_name);
  ours.Text("contentUID", manifest.content_uid);
  uint64_t cold_start = 0;
  ours.Milliseconds("coldStartMilliseconds", cold_start);
  if (cold_start > 0) {
    manifest.cold_start = std::chrono::milliseconds(cold_start);
  }
  // Others know only the first.
  std::vector<std::string> addresses;
  ours.Texts("podIPs", addresses);
  if (!addresses.empty()) {
    manifest.source.pod_ips = std::move(addresses);
  }
  RETURN_IF_ERROR(ours.status());
  return ReadIntegrity(ours, manifest.integrity);
}

Value WriteOurs(const Manifest& manifest) {
  const SourceEnvironment environment = manifest.environment.value_or(SourceEnvironment());
  const bool packed = manifest.integrity && manifest.integrity->plain_bytes > 0;
  Value ours = Value::Object({{"version", packed ? kManifestVersion : 1},
                              {"artifactVersion", manifest.artifact_version},
                              {"kernel", environment.kernel},
                              {"architecture", environment.architecture},
                              {"cpuModel", environment.cpu_model},
                              {"cpuFeatures", Strings(environment.cpu_features)},
                              {"criu", environment.criu_version},
                              {"runtime", environment.runtime},
                              {"image", environment.image},
                              {"imageDigest", environment.image_digest},
                              {"podUID", environment.pod_uid},
                              {"containerName", environment.container_name},
                              {"contentUID", manifest.content_uid}});
  if (manifest.cold_start) {
    ours.Set(
        "coldStartMilliseconds",
        static_cast<int64_t>(
            std::chrono::duration_cast<std::chrono::milliseconds>(*manifest.cold_start).count()));
  }
  if (manifest.source.pod_ips.size() > 1) {
    ours.Set("podIPs", Strings(manifest.source.pod_ips));
  }
  if (manifest.integrity) {
    const Integrity& integrity = *manifest.integrity;
    Value contents = Value::Object({{"digest", integrity.contents.Hex()},
                                    {"bytes", static_cast<int64_t>(integrity.bytes)},
                                    {"storedBytes", static_cast<int64_t>(integrity.stored_bytes)}});
    if (packed) {
      contents.Set("compression", kZstd);
      contents.Set("plainBytes", static_cast<int64_t>(integrity.plain_bytes));
    }
    ours.Set("contents", std::move(contents));
  }
  return ours;
}

Value WriteSource(const SourceContainer& source) {
  return Value::Object(
      {{"containerId", source.container_id},
       {"pid", source.pid},
       {"sourceNode", source.node},
       {"podName", source.pod_name},
       {"podNamespace", source.pod_namespace},
       {"podIP", source.pod_ips.empty() ? "" : source.pod_ips.front()},
       {"stdioFDs", Value::Array({source.stdio[0], source.stdio[1], source.stdio[2]})}});
}

}  // namespace

std::string WriteManifest(const Manifest& manifest) {
  Value mounts = Value::Object();
  for (const auto& [point, name] : manifest.external_mounts) {
    mounts.Set(point, name);
  }
  Value all = Value::Object(
      {{"checkpointId", manifest.checkpoint_id},
       {"createdAt", json::Time{manifest.created_at}.ToMicroString()},
       {"criuDump", Value::Object({{"criu", manifest.criu_settings},
                                   {"extMnt", std::move(mounts)},
                                   {"external", Strings(manifest.external)},
                                   {"skipMnt", Strings(manifest.skipped_mounts)}})},
       {"k8s", WriteSource(manifest.source)},
       {"overlay",
        Value::Object(
            {{"exclusions", Value::Object({{"exclusions", Strings(manifest.files.exclusions)}})},
             {"upperDir", manifest.files.upper_directory},
             {"externalPaths", Strings(manifest.files.external_paths)},
             {"bindMountDests", Strings(manifest.files.bind_destinations)}})}});
  if (manifest.cuda) {
    Value pids = Value::Array();
    for (const int pid : manifest.cuda->pids) {
      pids.Append(pid);
    }
    all.Set("cudaRestore", Value::Object({{"pids", std::move(pids)},
                                          {"sourceGpuUuids", Strings(manifest.cuda->gpu_uuids)}}));
  }
  if (manifest.environment || manifest.integrity) {
    all.Set("hearth", WriteOurs(manifest));
  }
  return json::WriteYaml(all);
}

Result<Manifest> ReadManifest(std::string_view text) {
  auto document = json::ParseYamlDocument(text, {.max_bytes = kLargestManifest});
  if (!document.ok()) {
    return document.status().WithContext(kManifestFile);
  }
  if (!document->IsObject()) {
    return InvalidError(fmt::format("{}: must be a map", kManifestFile));
  }
  Manifest manifest;
  Reader top(&*document, "");
  top.Text("checkpointId", manifest.checkpoint_id);
  std::string created;
  top.Text("createdAt", created);
  RETURN_IF_ERROR(top.status());
  if (Trim(manifest.checkpoint_id).empty()) {
    return Wrong("checkpointId", "set");
  }
  if (!created.empty()) {
    auto time = json::Time::Parse(created);
    if (!time.ok()) {
      return Wrong("createdAt", "a time");
    }
    manifest.created_at = time->at;
  }
  RETURN_IF_ERROR(ReadCriu(top, manifest));
  RETURN_IF_ERROR(ReadSource(top, manifest.source));
  RETURN_IF_ERROR(ReadFiles(top, manifest.files));
  RETURN_IF_ERROR(ReadCuda(top, manifest.cuda));
  RETURN_IF_ERROR(ReadEnvironment(top, manifest));
  return manifest;
}

Status CheckBelongsTo(const Manifest& manifest, std::string_view checkpoint_id,
                      std::string_view name_space) {
  if (manifest.checkpoint_id != checkpoint_id) {
    return Status(Code::kConflict,
                  fmt::format("the artifact is of checkpoint {}, not of {}",
                              Excerpt(manifest.checkpoint_id, 100), checkpoint_id));
  }
  const std::string& owner = manifest.source.pod_namespace;
  if (!owner.empty() && owner != name_space) {
    return Status(
        Code::kPermissionDenied,
        fmt::format("checkpoint {} was captured in namespace {} and cannot be restored in "
                    "{}: it holds that namespace's memory",
                    checkpoint_id, Excerpt(owner, 100), name_space));
  }
  return Status::Ok();
}

}  // namespace hearth::snapshot
