#include "snapshot/artifact/verify.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <thread>

#include "base/guarded.h"
#include "disk/confined_file.h"
#include "disk/for_all.h"

namespace hearth::snapshot {
namespace {

// Chunks that one thread takes at once: long enough for the disk's liking.
constexpr uint64_t kPortion = 8;

struct OpenedFile {
  const StoredFile* stored;
  UniqueFd fd;
};

class Verification {
 public:
  Verification(const Artifact& artifact, const VerifyOptions& options, const WaitLimit& limit)
      : artifact_(artifact), options_(options), limit_(limit) {}

  Result<VerifyReport> Run() {
    for (const StoredFile& file : artifact_.contents().files) {
      if (!options_.only || options_.only(file)) {
        ASSIGN_OR_RETURN(UniqueFd fd, disk::OpenFileBelow(artifact_.fd(), file.name, O_RDONLY));
        files_.push_back({&file, std::move(fd)});
      }
    }
    const size_t threads = std::max(2U, std::thread::hardware_concurrency());
    RETURN_IF_ERROR(disk::ForAll(
        threads, limit_.stop, [this](size_t, const std::stop_token& stop) { return Work(stop); }));
    VerifyReport report = std::move(*report_.Lock());
    std::sort(report.damages.begin(), report.damages.end(), [](const Damage& a, const Damage& b) {
      return std::tie(a.file, a.chunk) < std::tie(b.file, b.chunk);
    });
    return report;
  }

 private:
  struct Portion {
    const OpenedFile* file = nullptr;  // null: nothing is left
    uint64_t begin = 0;
    uint64_t end = 0;
  };

  Portion Next() {
    auto next = next_.Lock();
    while (next->file < files_.size() && next->chunk >= files_[next->file].stored->chunks.size()) {
      *next = {.file = next->file + 1};
    }
    if (next->file == files_.size() || enough_) {
      return {};
    }
    const OpenedFile& file = files_[next->file];
    const uint64_t end = std::min<uint64_t>(next->chunk + kPortion, file.stored->chunks.size());
    const Portion portion{&file, next->chunk, end};
    next->chunk = end;
    return portion;
  }

  Status Work(const std::stop_token& stop) {
    std::vector<char> buffer(artifact_.contents().chunk_bytes);
    for (Portion portion = Next(); portion.file != nullptr; portion = Next()) {
      RETURN_IF_ERROR(limit_.Check(RealClock(), "verify " + artifact_.directory()));
      if (stop.stop_requested()) {
        return Status(Code::kCancelled, "verification was stopped");
      }
      ReadAhead(portion);
      for (uint64_t chunk = portion.begin; chunk < portion.end; ++chunk) {
        RETURN_IF_ERROR(Compare(*portion.file, chunk, buffer));
      }
    }
    return Status::Ok();
  }

  ChunkPlace PlaceIn(const OpenedFile& file, uint64_t chunk) const {
    return PlaceOf(*file.stored, chunk, artifact_.contents().chunk_bytes);
  }

  void ReadAhead(const Portion& portion) const {
    const ChunkPlace first = PlaceIn(*portion.file, portion.begin);
    const ChunkPlace last = PlaceIn(*portion.file, portion.end - 1);
    ::posix_fadvise(portion.file->fd.get(), static_cast<off_t>(first.offset),
                    static_cast<off_t>(last.offset + last.bytes - first.offset),
                    POSIX_FADV_WILLNEED);
  }

  Status Compare(const OpenedFile& file, uint64_t chunk, std::vector<char>& buffer) {
    const ChunkPlace place = PlaceIn(file, chunk);
    const uint64_t offset = place.offset;
    const uint64_t bytes = place.bytes;
    const Chunk& wanted = file.stored->chunks[chunk];
    ASSIGN_OR_RETURN(const uint64_t got, Read(file, buffer.data(), bytes, offset));
    const std::string_view read(buffer.data(), got);
    const bool same =
        got == bytes && (wanted.zero ? disk::AllZero(read) : disk::DigestOf(read) == wanted.digest);
    auto report = report_.Lock();
    report->bytes += bytes;
    ++report->chunks;
    if (!same) {
      report->damages.push_back(DamageOf(file, chunk, offset, bytes));
      enough_ = options_.stop_at_first;
    }
    if (options_.progress != nullptr) {
      *options_.progress += bytes;
    }
    return Status::Ok();
  }

  // Less than asked for at the end of a file that became shorter, and where it cannot be read.
  static Result<uint64_t> Read(const OpenedFile& file, char* out, uint64_t bytes, uint64_t offset) {
    uint64_t had = 0;
    while (had < bytes) {
      const ssize_t got =
          ::pread(file.fd.get(), out + had, bytes - had, static_cast<off_t>(offset + had));
      if (got < 0 && errno == EIO) {
        break;  // the disk has lost it
      }
      if (got < 0 && errno != EINTR) {
        return Status::FromErrno(errno, fmt::format("read {} at {}", file.stored->name, offset));
      }
      if (got == 0) {
        break;
      }
      had += static_cast<uint64_t>(std::max<ssize_t>(got, 0));
    }
    return had;
  }

  static Damage DamageOf(const OpenedFile& file, uint64_t chunk, uint64_t offset, uint64_t bytes) {
    return {.file = file.stored->name,
            .chunk = chunk,
            .offset = offset,
            .bytes = bytes,
            .message = fmt::format("{}: chunk {} (bytes {} to {}) is not what was captured",
                                   file.stored->name, chunk, offset, offset + bytes - 1)};
  }

  struct Place {
    size_t file = 0;
    uint64_t chunk = 0;
  };
  const Artifact& artifact_;
  const VerifyOptions& options_;
  const WaitLimit& limit_;
  std::vector<OpenedFile> files_;
  Guarded<Place> next_;
  Guarded<VerifyReport> report_;
  std::atomic<bool> enough_ = false;
};

}  // namespace

Result<VerifyReport> VerifyFiles(const Artifact& artifact, const VerifyOptions& options,
                                 const WaitLimit& limit) {
  if (!artifact.sealed()) {
    return Status(Code::kUnsupported,
                  fmt::format("{} was made without digests: there is nothing to verify it with",
                              artifact.directory()));
  }
  return Verification(artifact, options, limit).Run();
}

Status Intact(const VerifyReport& report) {
  return report.damages.empty() ? Status::Ok()
                                : DataLossError(fmt::format(
                                      "{}{}", report.damages.front().message,
                                      report.damages.size() > 1
                                          ? fmt::format(", and {} more", report.damages.size() - 1)
                                          : ""));
}

}  // namespace hearth::snapshot
