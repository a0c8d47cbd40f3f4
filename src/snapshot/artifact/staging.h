#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/file_system.h"
#include "disk/owner_lock.h"
#include "snapshot/artifact/folder_digester.h"
#include "snapshot/artifact/manifest.h"
#include "snapshot/protocol/checkpoint_id.h"

namespace hearth::snapshot {

// What becomes of an artifact that is in the way.
enum class IfThere { kRefuse, kReplace };

// An artifact while it is made:
//
//   <id>/versions/tmp/<attempt>         the directory that it is made in, mode 0700
//   <id>/versions/tmp/<attempt>.owner   held by a lock while its maker lives
//
// Publishing writes the table of contents and, last, the sealed manifest; makes everything durable;
// and renames. Whoever looks, at any time and after any crash, finds the old artifact, the new one,
// or none if there was none. Not thread-safe.
class Staging {
 public:
  // kDataLoss: there is a link or a file where its directories belong.
  static Result<std::unique_ptr<Staging>> Begin(FileSystem& files, const StorageLayout& layout,
                                                const std::string& id, const std::string& version);
  ~Staging();  // removed unless published
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const std::string& path() const { return path_; }
  const std::string& attempt() const { return attempt_; }

  // The root digest. kAlreadyExists when there is one and it is not to be replaced.
  Result<disk::Digest> Publish(Manifest manifest, const DigestedFolder& folder, IfThere if_there);

 private:
  Staging(FileSystem& files, std::string final_path, std::string attempt, std::string path)
      : files_(files),
        final_path_(std::move(final_path)),
        attempt_(std::move(attempt)),
        path_(std::move(path)) {}
  Status MoveIntoPlace(IfThere if_there);

  FileSystem& files_;
  std::string final_path_;
  std::string attempt_;
  std::string path_;
  std::optional<disk::OwnerLock> owner_;
};

}  // namespace hearth::snapshot
