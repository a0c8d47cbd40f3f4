#include "snapshot/artifact/staging.h"

#include <fmt/format.h>

#include "base/random.h"
#include "snapshot/artifact/internal/no_links.h"
#include "snapshot/artifact/internal/owner_file.h"
#include "snapshot/artifact/seal.h"

namespace hearth::snapshot {
namespace {

// Whoever removes the last artifact beside us removes the empty directory, too.
Result<disk::OwnerLock> TakeOwnership(FileSystem& files, const std::string& path) {
  constexpr int kTries = 10;
  for (int i = 1;; ++i) {
    RETURN_IF_ERROR(files.MakeDirectories(path.substr(0, path.rfind('/')), 0700));
    auto owner = internal::TakeOwnership(path);
    if (!owner.status().Is(Code::kNotFound) || i == kTries) {
      return owner;
    }
  }
}

}  // namespace

Result<std::unique_ptr<Staging>> Staging::Begin(FileSystem& files, const StorageLayout& layout,
                                                const std::string& id, const std::string& version) {
  const std::string attempt = fmt::format("{:016x}", Random::Seeded().Next());
  ASSIGN_OR_RETURN(std::string final_path, layout.Artifact(id, version));
  ASSIGN_OR_RETURN(std::string path, layout.Staging(id, attempt));
  RETURN_IF_ERROR(internal::CheckNoLinks(files, path, layout.base()));
  std::unique_ptr<Staging> staging(new Staging(files, std::move(final_path), attempt, path));
  ASSIGN_OR_RETURN(staging->owner_, TakeOwnership(files, path));
  RETURN_IF_ERROR(files.MakeDirectories(path, 0700));
  return staging;
}

Staging::~Staging() {
  // What cannot be removed is left behind by nobody who lives, and removed as such.
  static_cast<void>(files_.RemoveTree(path_));
  static_cast<void>(files_.Remove(internal::OwnerFileOf(path_)));
}

Result<disk::Digest> Staging::Publish(Manifest manifest, const DigestedFolder& folder,
                                      IfThere if_there) {
  const std::string contents = WriteContents(folder.contents);
  manifest.integrity =
      Integrity{.contents = disk::DigestOf(contents),
                .bytes = folder.contents.TotalBytes(),
                .stored_bytes = folder.stored_bytes,
                .plain_bytes = folder.contents.IsPacked() ? folder.contents.PlainBytes() : 0};
  const std::string text = Seal(WriteManifest(manifest));
  ASSIGN_OR_RETURN(const disk::Digest root, CheckSeal(text));
  const std::string contents_path = path_ + "/" + std::string(kContentsFile);
  const std::string manifest_path = path_ + "/" + std::string(kManifestFile);
  RETURN_IF_ERROR(files_.Write(contents_path, contents, 0600));
  RETURN_IF_ERROR(files_.Sync(contents_path));
  RETURN_IF_ERROR(files_.Write(manifest_path, text, 0600));
  RETURN_IF_ERROR(files_.Sync(manifest_path));
  RETURN_IF_ERROR(files_.Sync(path_));
  RETURN_IF_ERROR(MoveIntoPlace(if_there).WithContext("publish " + final_path_));
  return root;
}

Status Staging::MoveIntoPlace(IfThere if_there) {
  const std::string parent = final_path_.substr(0, final_path_.rfind('/'));
  const auto there = files_.Stat(final_path_);
  if (there.ok() && if_there == IfThere::kRefuse) {
    return AlreadyExistsError("there is an artifact already: capture another version");
  }
  if (there.ok()) {
    // The old one is in staging then, and goes with it.
    RETURN_IF_ERROR(files_.Exchange(path_, final_path_));
  } else if (there.status().Is(Code::kNotFound)) {
    RETURN_IF_ERROR(files_.Rename(path_, final_path_));
  } else {
    return there.status();
  }
  return files_.Sync(parent);
}

}  // namespace hearth::snapshot
