#include "snapshot/artifact/testing/sample_artifact.h"

#include <fcntl.h>

#include "base/unique_fd.h"

namespace hearth::snapshot {

Manifest SampleManifest(const std::string& id, const std::string& version) {
  Manifest manifest;
  manifest.checkpoint_id = id;
  manifest.artifact_version = version;
  manifest.criu_settings = json::Value::Object({{"logLevel", 4}});
  manifest.external_mounts = {{"/", "/"}};
  manifest.source.pod_namespace = "team";
  manifest.environment.emplace();
  return manifest;
}

Result<disk::Digest> PublishSample(FileSystem& files, const StorageLayout& layout,
                                   const Manifest& manifest,
                                   const std::map<std::string, std::string>& content,
                                   IfThere if_there) {
  ASSIGN_OR_RETURN(const auto staging, Staging::Begin(files, layout, manifest.checkpoint_id,
                                                      manifest.artifact_version));
  const UniqueFd directory(::open(staging->path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSIGN_OR_RETURN(const auto digester, FolderDigester::Begin(directory.get(), "pages-"));
  for (const auto& [name, bytes] : content) {
    RETURN_IF_ERROR(RealFileSystem().Write(staging->path() + "/" + name, bytes, 0644));
  }
  ASSIGN_OR_RETURN(const DigestedFolder folder, digester->Finish({}));
  return staging->Publish(manifest, folder, if_there);
}

}  // namespace hearth::snapshot
