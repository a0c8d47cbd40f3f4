#include "snapshot/artifact/store.h"

#include <fmt/format.h>

#include "base/random.h"
#include "disk/owner_lock.h"
#include "snapshot/artifact/internal/no_links.h"
#include "snapshot/artifact/internal/owner_file.h"
#include "snapshot/protocol/names.h"

namespace hearth::snapshot {
namespace {

// Names below a directory; none when it is not there.
Result<std::vector<std::string>> NamesIn(FileSystem& files, const std::string& directory) {
  auto names = files.List(directory);
  if (names.status().Is(Code::kNotFound)) {
    return std::vector<std::string>();
  }
  return names;
}

// kPermissionDenied: it cannot be told.
Result<bool> IsPlainDirectory(FileSystem& files, const std::string& path) {
  const auto info = files.Stat(path);
  if (info.status().Is(Code::kPermissionDenied)) {
    return info.status();
  }
  return info.ok() && info->is_directory && !info->is_link;
}

Result<std::vector<std::string>> Ids(FileSystem& files, const StorageLayout& layout) {
  ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(files, layout.base()));
  std::vector<std::string> ids;
  for (const std::string& name : names) {
    const std::string home = fmt::format("{}/{}", layout.base(), name);
    if (!layout.Artifact(name, kDefaultArtifactVersion).ok()) {
      continue;
    }
    ASSIGN_OR_RETURN(bool plain, IsPlainDirectory(files, home));
    if (plain) {
      ASSIGN_OR_RETURN(plain, IsPlainDirectory(files, home + "/versions"));
    }
    if (plain) {
      ids.push_back(name);
    }
  }
  return ids;
}

// Directories that hold nothing any more; who still needs one makes it again.
void RemoveEmpty(FileSystem& files, const StorageLayout& layout, const std::string& id) {
  for (const char* const folder : {"/versions/tmp", "/versions", ""}) {
    static_cast<void>(files.Remove(fmt::format("{}/{}{}", layout.base(), id, folder)));
  }
}

Status RemoveWeights(FileSystem& files, const StorageLayout& layout, const std::string& id,
                     const std::string& version) {
  ASSIGN_OR_RETURN(const std::string weights, layout.Gms(id, version));
  RETURN_IF_ERROR(internal::CheckNoLinks(files, weights, layout.base()));
  RETURN_IF_ERROR(files.RemoveTree(weights));
  const std::string versions = weights.substr(0, weights.rfind('/'));
  for (const std::string& empty : {versions, versions.substr(0, versions.rfind('/'))}) {
    static_cast<void>(files.Remove(empty));
  }
  return Status::Ok();
}

// Whether this pod says that it saved them, and no other does.
bool AreOfPod(const std::vector<std::string>& names, const std::string& pod_uid) {
  const std::string mark = fmt::format("{}-{}", kGmsSaveCompleteFile, pod_uid);
  bool said = false;
  for (const std::string& name : names) {
    if (name.starts_with(kGmsSaveCompleteFile) && name != mark) {
      return false;
    }
    said = said || name == mark;
  }
  return said && !pod_uid.empty();
}

}  // namespace

Result<std::vector<ArtifactPlace>> ListArtifacts(FileSystem& files, const StorageLayout& layout) {
  ASSIGN_OR_RETURN(const std::vector<std::string> ids, Ids(files, layout));
  std::vector<ArtifactPlace> places;
  for (const std::string& id : ids) {
    ASSIGN_OR_RETURN(const std::vector<std::string> versions,
                     NamesIn(files, fmt::format("{}/{}/versions", layout.base(), id)));
    for (const std::string& version : versions) {
      const auto directory = layout.Artifact(id, version);
      if (!directory.ok()) {
        continue;
      }
      ASSIGN_OR_RETURN(const bool plain, IsPlainDirectory(files, *directory));
      if (plain) {
        places.push_back({id, version, *directory});
      }
    }
  }
  return places;
}

Result<std::vector<ArtifactPlace>> ListLoneWeights(FileSystem& files, const StorageLayout& layout) {
  const std::string home = fmt::format("{}/{}", layout.base(), kGmsFolder);
  std::vector<ArtifactPlace> places;
  ASSIGN_OR_RETURN(const std::vector<std::string> ids, NamesIn(files, home));
  for (const std::string& id : ids) {
    const std::string of_id = fmt::format("{}/{}/versions", home, id);
    ASSIGN_OR_RETURN(const bool plain, IsPlainDirectory(files, of_id));
    if (!plain) {
      continue;
    }
    ASSIGN_OR_RETURN(const std::vector<std::string> versions, NamesIn(files, of_id));
    for (const std::string& version : versions) {
      const auto weights = layout.Gms(id, version);
      const auto artifact = layout.Artifact(id, version);
      if (weights.ok() && artifact.ok() &&
          internal::CheckNoLinks(files, *weights, layout.base()).ok() &&
          files.Stat(*artifact).status().Is(Code::kNotFound)) {
        places.push_back({id, version, *weights});
      }
    }
  }
  return places;
}

Result<bool> RemoveLoneWeights(FileSystem& files, const StorageLayout& layout,
                               const std::string& id, const std::string& version,
                               const std::string& pod_uid) {
  ASSIGN_OR_RETURN(const std::string artifact, layout.Artifact(id, version));
  ASSIGN_OR_RETURN(const std::string weights, layout.Gms(id, version));
  RETURN_IF_ERROR(internal::CheckNoLinks(files, weights, layout.base()));
  ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(files, weights));
  if (!AreOfPod(names, pod_uid) || !files.Stat(artifact).status().Is(Code::kNotFound)) {
    return false;
  }
  RETURN_IF_ERROR(RemoveWeights(files, layout, id, version));
  return true;
}

Status RemoveArtifact(FileSystem& files, const StorageLayout& layout, const std::string& id,
                      const std::string& version) {
  ASSIGN_OR_RETURN(const std::string place, layout.Artifact(id, version));
  RETURN_IF_ERROR(internal::CheckNoLinks(files, place, layout.base()));
  // First: whoever is killed in between finds the artifact again, and with it what is left to do.
  RETURN_IF_ERROR(RemoveWeights(files, layout, id, version));
  if (const auto there = files.Stat(place); !there.ok()) {
    return there.status().Is(Code::kNotFound) ? Status::Ok() : there.status();
  }
  ASSIGN_OR_RETURN(const std::string aside,
                   layout.Staging(id, fmt::format("{:016x}", Random::Seeded().Next())));
  RETURN_IF_ERROR(internal::CheckNoLinks(files, aside, layout.base()));
  RETURN_IF_ERROR(files.MakeDirectories(aside.substr(0, aside.rfind('/')), 0700));
  ASSIGN_OR_RETURN(const disk::OwnerLock owner, internal::TakeOwnership(aside));
  const Status moved = files.Rename(place, aside);
  if (moved.ok()) {
    RETURN_IF_ERROR(files.Sync(place.substr(0, place.rfind('/'))));
    RETURN_IF_ERROR(files.RemoveTree(aside));
  }
  RETURN_IF_ERROR(files.Remove(internal::OwnerFileOf(aside)));
  RemoveEmpty(files, layout, id);
  return moved.Is(Code::kNotFound) ? Status::Ok() : moved;
}

Result<std::vector<std::string>> RemoveAbandoned(FileSystem& files, const StorageLayout& layout,
                                                 bool dry_run) {
  ASSIGN_OR_RETURN(const std::vector<std::string> ids, Ids(files, layout));
  std::vector<std::string> removed;
  for (const std::string& id : ids) {
    const std::string home = fmt::format("{}/{}/versions/{}", layout.base(), id, kStagingFolder);
    if (!internal::CheckNoLinks(files, home, layout.base()).ok()) {
      continue;
    }
    ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(files, home));
    for (const std::string& name : names) {
      const std::string owner_file = fmt::format("{}/{}", home, name);
      const std::string staged = owner_file.substr(0, owner_file.rfind('.'));
      if (internal::OwnerFileOf(staged) != owner_file) {
        continue;
      }
      const auto owner = internal::TakeAbandoned(files, staged);
      if (!owner.ok()) {
        continue;  // somebody works on it, or just ended
      }
      removed.push_back(staged);
      if (!dry_run) {
        RETURN_IF_ERROR(files.RemoveTree(staged));
        RETURN_IF_ERROR(files.Remove(owner_file));
      }
    }
    if (!dry_run) {
      RemoveEmpty(files, layout, id);
    }
  }
  return removed;
}

}  // namespace hearth::snapshot
