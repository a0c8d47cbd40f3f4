#include "agent/receive/page_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "agent/receive/chunk_packer.h"
#include "agent/receive/pages_file.h"
#include "base/check.h"

namespace hearth::agent::receive {
namespace {

// More would take the processors from whoever else is on the node.
constexpr unsigned kMostPackers = 4;

class DirectStore : public PageStore {
 public:
  explicit DirectStore(const WriterOptions& options) : writer_(options) {}

  Result<std::unique_ptr<PageSink>> Create(int directory, const std::string& name,
                                           uint64_t expected) override {
    ASSIGN_OR_RETURN(auto file, PagesFile::Create(directory, name, writer_, expected));
    return std::unique_ptr<PageSink>(std::move(file));
  }
  Status Drain() override { return writer_.Drain(); }

 private:
  DirectWriter writer_;
};

class PackedPages : public PageSink {
 public:
  PackedPages(UniqueFd fd, const std::string& name, ChunkPacker& packer)
      : file_(std::move(fd), name), name_(name), packer_(packer) {}

  std::span<std::byte> Next(uint64_t wish) override {
    if (buffer_ == nullptr) {
      buffer_ = packer_.Take();
    }
    return {buffer_ + filled_, std::min(wish, snapshot::kDefaultChunkBytes - filled_)};
  }
  Status Filled(uint64_t bytes) override {
    filled_ += bytes;
    CHECK(filled_ <= snapshot::kDefaultChunkBytes);
    return filled_ == snapshot::kDefaultChunkBytes ? EndChunk() : Status::Ok();
  }
  Status End() override { return filled_ > 0 ? EndChunk() : Status::Ok(); }

  Result<snapshot::DigestedFile> Complete() override {
    struct stat info {};
    if (::fsync(file_.fd()) != 0 || ::fstat(file_.fd(), &info) != 0) {
      return Status::FromErrno(errno, "sync " + name_);
    }
    return snapshot::DigestedFile{file_.Take(), static_cast<uint64_t>(info.st_blocks) * 512};
  }

 private:
  Status EndChunk() {
    packer_.Pack(file_, std::exchange(buffer_, nullptr), std::exchange(filled_, 0));
    return packer_.status();
  }

  PackedFile file_;
  std::string name_;
  ChunkPacker& packer_;
  std::byte* buffer_ = nullptr;  // of the chunk that is being filled
  uint64_t filled_ = 0;          // of it
};

class PackedStore : public PageStore {
 public:
  PackedStore() : packer_(std::clamp(std::thread::hardware_concurrency(), 1U, kMostPackers)) {}

  Result<std::unique_ptr<PageSink>> Create(int directory, const std::string& name,
                                           uint64_t /*expected*/) override {
    UniqueFd fd(::openat(directory, name.c_str(),
                         O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd.valid()) {
      return Status::FromErrno(errno, "open " + name);
    }
    return std::unique_ptr<PageSink>(std::make_unique<PackedPages>(std::move(fd), name, packer_));
  }
  Status Drain() override { return packer_.Drain(); }

 private:
  ChunkPacker packer_;
};

}  // namespace

std::unique_ptr<PageStore> MakeDirectStore(const WriterOptions& options) {
  return std::make_unique<DirectStore>(options);
}

std::unique_ptr<PageStore> MakePackedStore() { return std::make_unique<PackedStore>(); }

}  // namespace hearth::agent::receive
