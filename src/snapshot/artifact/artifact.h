#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "base/unique_fd.h"
#include "disk/digest.h"
#include "snapshot/artifact/contents.h"
#include "snapshot/artifact/manifest.h"

namespace hearth::snapshot {

// A finished artifact that was opened and is what it says it is as far as that can be told without
// reading its large files: the manifest and the table of contents are those that were sealed, and
// every file is there with its size, and no other one. Moves. Thread-safe.
class Artifact {
 public:
  // kNotFound: there is none. kDataLoss names the file that is damaged, missing or too much. No
  // link below the directory is followed, nor between it and the base of a storage that it is in
  // (<base>/<id>/versions/<version>).
  static Result<Artifact> Open(const std::string& directory);

  const std::string& directory() const { return directory_; }
  int fd() const { return fd_.get(); }
  const Manifest& manifest() const { return manifest_; }
  // Of upstream's agents, which keep no digests: nothing can be verified, and `contents` has names
  // and sizes only.
  bool sealed() const { return root_.has_value(); }
  const Contents& contents() const { return contents_; }
  const std::optional<disk::Digest>& root() const { return root_; }
  std::string RootHex() const { return root_ ? root_->Hex() : ""; }

 private:
  Artifact() = default;
  Status ReadSealed(std::string_view manifest_text);
  Status ReadForeign();
  Status CheckFiles() const;

  std::string directory_;
  UniqueFd fd_;
  Manifest manifest_;
  Contents contents_;
  std::optional<disk::Digest> root_;
};

// The manifest alone of an artifact that may be damaged, its seal not looked at: whose it says it
// is, for whoever decides what becomes of it. Never to restore from.
Result<Manifest> PeekManifest(const std::string& directory);

}  // namespace hearth::snapshot
