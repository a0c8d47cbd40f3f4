#include "snapshot/artifact/artifact.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/file_system.h"
#include "disk/confined_file.h"
#include "snapshot/artifact/seal.h"

namespace hearth::snapshot {
namespace {

constexpr uint64_t kLargestManifest = 8ULL << 20;
constexpr uint64_t kLargestContents = 512ULL << 20;

Status Lost(const std::string& message) { return DataLossError(message); }

// What is not there was lost: something says that it was.
Status MissingIsLost(const Status& status) {
  return status.Is(Code::kNotFound) || status.Is(Code::kInvalid)
             ? Lost(std::string(status.message()))
             : status;
}

// Of <base>/<id>/versions/<version> what is below <base> may be the work of whoever else has the
// volume: a link there would show one artifact as another, or a directory of the node as one. Any
// other path the user has named, and links in it are his.
Result<UniqueFd> OpenStored(const std::string& directory) {
  const std::filesystem::path path(directory);
  const std::filesystem::path versions = path.parent_path();
  if (versions.filename() != "versions" || !versions.parent_path().has_relative_path()) {
    return disk::OpenDirectory(directory);
  }
  const std::filesystem::path base = versions.parent_path().parent_path();
  const auto opened = disk::OpenDirectory(base.string());
  RETURN_IF_ERROR(opened.status());
  auto found = disk::OpenDirectoryBelow(opened->get(), path.lexically_relative(base).string());
  return found.status().Is(Code::kInvalid) ? Lost(std::string(found.status().message()))
                                           : std::move(found);
}

}  // namespace

Result<Artifact> Artifact::Open(const std::string& directory) {
  Artifact artifact;
  artifact.directory_ = directory;
  ASSIGN_OR_RETURN(artifact.fd_, OpenStored(directory));
  const auto read = [&]() -> Status {
    const auto text =
        disk::ReadFileBelow(artifact.fd(), std::string(kManifestFile), kLargestManifest);
    if (!text.ok()) {
      return MissingIsLost(text.status());
    }
    ASSIGN_OR_RETURN(const std::vector<std::string> names, RealFileSystem().List(directory));
    const bool ours = IsSealed(*text) ||
                      std::find(names.begin(), names.end(), kContentsFile) != names.end() ||
                      text->find("\nhearth:") != std::string::npos;
    if (ours) {
      RETURN_IF_ERROR(artifact.ReadSealed(*text));
    } else {
      ASSIGN_OR_RETURN(artifact.manifest_, ReadManifest(*text));
      RETURN_IF_ERROR(artifact.ReadForeign());
    }
    return artifact.CheckFiles();
  };
  RETURN_IF_ERROR(read().WithContext(directory));
  return artifact;
}

Status Artifact::ReadSealed(std::string_view manifest_text) {
  ASSIGN_OR_RETURN(root_, CheckSeal(manifest_text));
  ASSIGN_OR_RETURN(manifest_, ReadManifest(manifest_text));
  if (!manifest_.integrity) {
    return Lost(fmt::format("{} is sealed and has no digest of its contents", kManifestFile));
  }
  const auto text = disk::ReadFileBelow(fd(), std::string(kContentsFile), kLargestContents);
  if (!text.ok()) {
    return MissingIsLost(text.status());
  }
  if (disk::DigestOf(*text) != manifest_.integrity->contents) {
    return Lost(fmt::format("{} is not the one that {} was written for: it is damaged",
                            kContentsFile, kManifestFile));
  }
  ASSIGN_OR_RETURN(contents_, ReadContents(*text));
  return Status::Ok();
}

Status Artifact::ReadForeign() {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, RealFileSystem().List(directory_));
  for (const std::string& name : names) {
    if (name == kManifestFile) {
      continue;
    }
    RETURN_IF_ERROR(CheckFileName(name));
    ASSIGN_OR_RETURN(const UniqueFd file, disk::OpenFileBelow(fd(), name, O_RDONLY));
    StoredFile stored{.name = name};
    ASSIGN_OR_RETURN(stored.bytes, disk::SizeOf(file.get(), name));
    contents_.files.push_back(std::move(stored));
  }
  return Status::Ok();
}

Status Artifact::CheckFiles() const {
  for (const StoredFile& stored : contents_.files) {
    const auto file = disk::OpenFileBelow(fd(), stored.name, O_RDONLY);
    if (!file.ok()) {
      return MissingIsLost(file.status());
    }
    ASSIGN_OR_RETURN(const uint64_t size, disk::SizeOf(file->get(), stored.name));
    if (size != stored.bytes) {
      return Lost(fmt::format("{} has {} bytes instead of {}", stored.name, size, stored.bytes));
    }
  }
  ASSIGN_OR_RETURN(const std::vector<std::string> names, RealFileSystem().List(directory_));
  for (const std::string& name : names) {
    if (name != kManifestFile && name != kContentsFile && contents_.Find(name) == nullptr) {
      return Lost(fmt::format("{} does not belong to it: somebody put it there", name));
    }
  }
  return Status::Ok();
}

Result<Manifest> PeekManifest(const std::string& directory) {
  ASSIGN_OR_RETURN(const UniqueFd fd, OpenStored(directory));
  ASSIGN_OR_RETURN(const std::string text,
                   disk::ReadFileBelow(fd.get(), std::string(kManifestFile), kLargestManifest));
  return ReadManifest(text);
}

}  // namespace hearth::snapshot
