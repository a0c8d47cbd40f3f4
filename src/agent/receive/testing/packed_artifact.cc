#include "agent/receive/testing/packed_artifact.h"

#include <cstring>

#include "agent/receive/page_store.h"
#include "base/file_system.h"
#include "disk/confined_file.h"
#include "snapshot/artifact/staging.h"

namespace hearth::agent::receive {
namespace {

Result<snapshot::DigestedFile> Store(int directory, const std::string& name,
                                     const std::string& bytes) {
  const auto store = MakePackedStore();
  ASSIGN_OR_RETURN(const auto sink, store->Create(directory, name, bytes.size()));
  for (size_t at = 0; at < bytes.size();) {
    const auto next = sink->Next(bytes.size() - at);
    std::memcpy(next.data(), bytes.data() + at, next.size());
    RETURN_IF_ERROR(sink->Filled(next.size()));
    at += next.size();
  }
  RETURN_IF_ERROR(sink->End());
  RETURN_IF_ERROR(store->Drain());
  return sink->Complete();
}

}  // namespace

Status PublishPacked(const snapshot::StorageLayout& layout, const snapshot::Manifest& manifest,
                     const std::map<std::string, std::string>& files) {
  ASSIGN_OR_RETURN(const auto staging,
                   snapshot::Staging::Begin(RealFileSystem(), layout, manifest.checkpoint_id,
                                            manifest.artifact_version));
  ASSIGN_OR_RETURN(const UniqueFd directory, disk::OpenDirectory(staging->path()));
  ASSIGN_OR_RETURN(const auto digester, snapshot::FolderDigester::Begin(directory.get(), ""));
  std::vector<snapshot::DigestedFile> pages;
  for (const auto& [name, bytes] : files) {
    if (name.starts_with("pages-")) {
      ASSIGN_OR_RETURN(snapshot::DigestedFile stored, Store(directory.get(), name, bytes));
      pages.push_back(std::move(stored));
    } else {
      RETURN_IF_ERROR(RealFileSystem().Write(staging->path() + "/" + name, bytes, 0600));
    }
  }
  ASSIGN_OR_RETURN(const auto folder, digester->Finish(std::move(pages)));
  return staging->Publish(manifest, folder, snapshot::IfThere::kRefuse).status();
}

}  // namespace hearth::agent::receive
