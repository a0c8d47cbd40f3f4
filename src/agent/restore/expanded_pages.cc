#include "agent/restore/expanded_pages.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>

#include "agent/pages/page_reader.h"
#include "agent/restore/namespaces.h"
#include "disk/for_all.h"

namespace hearth::agent {
namespace {

Status WriteAt(int fd, std::string_view bytes, uint64_t offset) {
  while (!bytes.empty()) {
    const ssize_t count = ::pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (count < 0 && errno != EINTR) {
      return Status::FromErrno(errno, "pages that are expanded for CRIU");
    }
    bytes.remove_prefix(count < 0 ? 0 : static_cast<size_t>(count));
    offset += count < 0 ? 0 : static_cast<uint64_t>(count);
  }
  return Status::Ok();
}

// Chunks of one file, by several threads.
class Expansion {
 public:
  Expansion(const PageReader& reader, const PageFile* filled) : reader_(reader) {
    for (uint64_t chunk = 0; chunk < reader.chunks(); ++chunk) {
      const uint64_t begin = chunk * reader.chunk_bytes();
      const uint64_t end = std::min(begin + reader.chunk_bytes(), reader.bytes());
      if (filled == nullptr || !filled->Covers(begin, end)) {
        chunks_.push_back(chunk);
      }
    }
  }

  // Memory that the file is going to take.
  uint64_t bytes() const { return chunks_.size() * reader_.chunk_bytes(); }

  Status Run(int fd, const WaitLimit& limit) {
    if (::ftruncate(fd, static_cast<off_t>(reader_.bytes())) != 0) {
      return Status::FromErrno(errno, "pages that are expanded for CRIU");
    }
    const size_t threads =
        std::min<size_t>(chunks_.size(), std::max(2U, std::thread::hardware_concurrency()));
    return disk::ForAll(threads, limit.stop,
                        [&](size_t, const std::stop_token& stop) { return Work(fd, limit, stop); });
  }

 private:
  Status Work(int fd, const WaitLimit& limit, const std::stop_token& stop) {
    const MappedBytes buffer = MappedBytes::Buffer(reader_.chunk_bytes());
    PageReader::Scratch scratch;
    for (size_t i = next_++; i < chunks_.size() && !stop.stop_requested(); i = next_++) {
      RETURN_IF_ERROR(limit.Check(RealClock(), "expand pages"));
      ASSIGN_OR_RETURN(const auto bytes, reader_.Read(chunks_[i], buffer, scratch));
      RETURN_IF_ERROR(WriteAt(fd, bytes, chunks_[i] * reader_.chunk_bytes()));
    }
    return Status::Ok();
  }

  const PageReader& reader_;
  std::vector<uint64_t> chunks_;
  std::atomic<size_t> next_ = 0;
};

const PageFile* FindFile(const PagePlan* plan, const std::string& name) {
  if (plan == nullptr) {
    return nullptr;
  }
  const auto found = std::find_if(plan->files.begin(), plan->files.end(),
                                  [&](const PageFile& file) { return file.name == name; });
  return found == plan->files.end() ? nullptr : &*found;
}

}  // namespace

Result<std::vector<ExpandedFile>> ExpandForCriu(const snapshot::Artifact& artifact,
                                                const PagePlan* filled, const std::string& place,
                                                const WaitLimit& limit) {
  std::vector<ExpandedFile> expanded;
  for (const snapshot::StoredFile& file : artifact.contents().files) {
    if (!file.packing) {
      continue;
    }
    ASSIGN_OR_RETURN(const PageReader reader, PageReader::Open(artifact, file.name));
    Expansion expansion(reader, FindFile(filled, file.name));
    ASSIGN_OR_RETURN(UniqueFd tree, MakeUnlistedFile(
                                        expansion.bytes(),
                                        [&](int fd) { return expansion.Run(fd, limit); }, place));
    expanded.push_back({file.name, std::move(tree)});
  }
  return expanded;
}

}  // namespace hearth::agent
