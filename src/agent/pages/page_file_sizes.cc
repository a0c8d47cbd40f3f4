#include "agent/pages/page_file_sizes.h"

#include <fmt/format.h>

namespace hearth::agent {

Status CheckPageFileSizes(const snapshot::images::ImageFolder& images,
                          const snapshot::Contents& contents) {
  ASSIGN_OR_RETURN(const auto names, images.Names("pagemap-", ".img"));
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const std::string image, images.Read(name));
    const auto pagemap = snapshot::images::DecodePagemap(image);
    if (!pagemap.ok()) {
      return pagemap.status().WithContext(name);
    }
    const std::string pages = fmt::format("pages-{}.img", pagemap->pages_file);
    const uint64_t wanted = pagemap->SavedBytes();
    const snapshot::StoredFile* const file = contents.Find(pages);
    if (wanted > 0 && file == nullptr) {
      return DataLossError(
          fmt::format("{} is missing: {} says that it has {} bytes", pages, name, wanted));
    }
    if (file != nullptr && file->PlainBytes() < wanted) {
      return DataLossError(fmt::format("{} has {} bytes, and {} says that it has {}", pages,
                                       file->PlainBytes(), name, wanted));
    }
  }
  return Status::Ok();
}

}  // namespace hearth::agent
