#include "snapshot/ctl/internal/artifact_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "agent/pages/page_reader.h"

namespace hearth::snapshot::ctl {
namespace {

// Expands chunks; who reads a page often reads the next one.
class ExpandedPages {
 public:
  explicit ExpandedPages(const Artifact& artifact)
      : artifact_(artifact), buffer_(agent::MappedBytes::Buffer(artifact.contents().chunk_bytes)) {}

  Result<std::string> Read(const std::string& name, uint64_t offset, uint64_t bytes) {
    ASSIGN_OR_RETURN(const agent::PageReader* const reader, ReaderOf(name));
    std::string text;
    while (text.size() < bytes) {
      const uint64_t at = offset + text.size();
      if (at >= reader->bytes()) {
        return DataLossError(fmt::format("{} ends at byte {}", name, reader->bytes()));
      }
      RETURN_IF_ERROR(Load(*reader, at / reader->chunk_bytes()));
      const uint64_t within = at % reader->chunk_bytes();
      const uint64_t count =
          std::min({bytes - text.size(), reader->chunk_bytes() - within, reader->bytes() - at});
      loaded_.empty() ? text.append(count, '\0') : text.append(loaded_.substr(within, count));
    }
    return text;
  }

 private:
  Result<const agent::PageReader*> ReaderOf(const std::string& name) {
    if (const auto known = readers_.find(name); known != readers_.end()) {
      return &known->second;
    }
    ASSIGN_OR_RETURN(agent::PageReader reader, agent::PageReader::Open(artifact_, name));
    return &readers_.try_emplace(name, std::move(reader)).first->second;
  }

  Status Load(const agent::PageReader& reader, uint64_t chunk) {
    if (of_ == &reader && chunk_ == chunk) {
      return Status::Ok();
    }
    of_ = nullptr;
    ASSIGN_OR_RETURN(loaded_, reader.Read(chunk, buffer_, scratch_));
    of_ = &reader;
    chunk_ = chunk;
    return Status::Ok();
  }

  const Artifact& artifact_;
  std::map<std::string, agent::PageReader> readers_;
  agent::MappedBytes buffer_;
  agent::PageReader::Scratch scratch_;
  const agent::PageReader* of_ = nullptr;  // what is loaded
  uint64_t chunk_ = 0;
  std::string_view loaded_;  // empty: nothing but zeros
};

}  // namespace

Result<images::Captured> ReadImages(const Artifact& artifact) {
  if (!artifact.contents().IsPacked()) {
    return images::ReadCaptured(artifact.directory());
  }
  ExpandedPages pages(artifact);
  return images::ReadCaptured(artifact.directory(),
                              [&pages](const std::string& name, uint64_t offset, uint64_t bytes) {
                                return pages.Read(name, offset, bytes);
                              });
}

}  // namespace hearth::snapshot::ctl
