#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "snapshot/images/decode.h"

namespace hearth::snapshot::images {

// Bytes of a file of pages by its name, their offset and number, for folders in which such files
// are not as CRIU has written them.
using PageSource = std::function<Result<std::string>(const std::string&, uint64_t, uint64_t)>;

// A directory of images. No link in it is followed. Thread-safe, if its source is.
class ImageFolder {
 public:
  static Result<ImageFolder> Open(const std::string& directory);
  static ImageFolder At(UniqueFd directory) { return ImageFolder(std::move(directory)); }

  // Where pages come from; empty: from the folder's files. Before anything is read.
  void TakePagesFrom(PageSource source) { pages_ = std::move(source); }

  // kExhausted: larger than an image of descriptions may be. kDataLoss: no regular file.
  Result<std::string> Read(const std::string& name) const;
  // Names that begin and end so, sorted.
  Result<std::vector<std::string>> Names(std::string_view prefix, std::string_view suffix) const;
  // What a process had at these addresses, up to `limit` bytes. Pages that were not saved make it
  // kNotFound.
  Result<std::string> MemoryAt(const Pagemap& pagemap, AddressRange range, uint64_t limit) const;

 private:
  explicit ImageFolder(UniqueFd directory) : directory_(std::move(directory)) {}
  Result<UniqueFd> OpenFile(const std::string& name) const;

  Result<std::string> ReadPages(const std::string& name, uint64_t offset, uint64_t bytes) const;

  UniqueFd directory_;
  PageSource pages_;
};

}  // namespace hearth::snapshot::images
