#include "gms/saver/internal/device_save.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/duration.h"
#include "gms/storage/checkpoint.h"
#include "gms/storage/device_memory.h"
#include "gms/storage/verify.h"

namespace hearth::gms::saver {
namespace {

using storage::ArtifactReader;
using storage::StoredAllocation;
using storage::StoredMetadata;

StoredAllocation Stored(const AllocationItem& item) {
  return {.id = item.allocation_id,
          .size = static_cast<uint64_t>(item.size),
          .aligned_size = static_cast<uint64_t>(item.aligned_size),
          .tag = item.tag};
}

StoredMetadata Stored(const MetadataItem& item) {
  return {.key = item.key,
          .allocation_id = item.allocation_id,
          .offset_bytes = static_cast<uint64_t>(item.offset_bytes),
          .value = item.value};
}

// Apart from where things lie.
bool SameLayout(const storage::Artifact& artifact, const storage::SavedLayout& layout) {
  const auto same = [](const StoredAllocation& a, const StoredAllocation& b) {
    return a.id == b.id && a.size == b.size && a.aligned_size == b.aligned_size && a.tag == b.tag;
  };
  return artifact.manifest.version == storage::ManifestVersion::kV2 &&
         artifact.manifest.compatibility == layout.compatibility &&
         artifact.metadata == layout.metadata &&
         std::equal(artifact.manifest.allocations.begin(), artifact.manifest.allocations.end(),
                    layout.allocations.begin(), layout.allocations.end(), same);
}

}  // namespace

Status DeviceSave::Attach(const WaitLimit& limit) {
  const std::string context = fmt::format("device {}", device());
  ASSIGN_OR_RETURN(space_, access_.bind("").WithContext(context));
  RETURN_IF_ERROR(Connect(limit).WithContext(context));
  RETURN_IF_ERROR(
      BindServed(access_, {session_->device_kind(), session_->identity().gpu_uuid}, space_)
          .WithContext(context));
  ASSIGN_OR_RETURN(OpenedLayout layout, session_->OpenLayout().WithContext(context));
  if (layout.hash.empty() || layout.allocations.empty()) {
    return InvalidError(
        fmt::format("{}: the committed layout is empty; there is nothing to save", context));
  }
  return MapAll(std::move(layout)).WithContext(context);
}

Status DeviceSave::Connect(const WaitLimit& limit) {
  const std::string socket = access_.socket(space_.get());
  // The server's start is waited for as long as its weights are.
  auto session = Session::Connect({.socket = socket,
                                   .lease = LeaseRequest::kRo,
                                   .client = "gms-saver",
                                   .connect_timeout = options_.lock_timeout,
                                   .admission_timeout = options_.lock_timeout},
                                  limit);
  if (session.status().Is(Code::kDeadlineExceeded)) {
    return DeadlineError(fmt::format(
        "no weights were committed at {} within {}: {}; the engine has not published them, or a "
        "writer holds the lease (--save-lock-timeout-ms sets how long to wait)",
        socket, FormatDuration(options_.lock_timeout), session.status().message()));
  }
  RETURN_IF_ERROR(session);
  session_ = std::move(*session);
  return {};
}

Status DeviceSave::MapAll(OpenedLayout layout) {
  layout_.layout_hash = layout.hash;
  layout_.compatibility = {.model = options_.model,
                           .rank = options_.rank,
                           .device_kind = session_->device_kind(),
                           .granularity = session_->granularity()};
  for (size_t i = 0; i < layout.allocations.size(); ++i) {
    layout_.allocations.push_back(Stored(layout.allocations[i]));
    const uint64_t size = layout_.allocations.back().aligned_size;
    ASSIGN_OR_RETURN(auto memory,
                     storage::ReachMemory(*space_, std::move(layout.fds[i]), size, Access::kRead));
    memories_.push_back(std::move(memory));
    bytes_ += size;
  }
  for (const MetadataItem& item : layout.metadata) {
    layout_.metadata.push_back(Stored(item));
  }
  return {};
}

Result<bool> DeviceSave::IsSavedIn(const std::string& directory, storage::TransferEngine& engine,
                                   Clock& clock, const WaitLimit& limit) {
  const auto reader = storage::OpenDevice(directory, device(), {.roots = options_.roots});
  if (!reader.ok() || !SameLayout((*reader)->artifact(), layout_)) {
    return false;  // whatever is there is replaced
  }
  ASSIGN_OR_RETURN(const bool same, HasDigests(**reader, engine, clock, limit));
  if (!same) {
    return false;
  }
  ASSIGN_OR_RETURN(const storage::VerifyReport report,
                   VerifyChunks(**reader, engine, clock, limit));
  return report.damages.empty();
}

Result<bool> DeviceSave::HasDigests(const ArtifactReader& reader, storage::TransferEngine& engine,
                                    Clock& clock, const WaitLimit& limit) {
  // Other weights differ nearly everywhere: a look at a few chunks saves looking at all.
  constexpr uint64_t kSamples = 16;
  const uint64_t step = std::max<uint64_t>(1, reader.records().size() / kSamples);
  ASSIGN_OR_RETURN(const bool likely, HasDigestsEvery(step, reader, engine, clock, limit));
  return likely && step > 1 ? HasDigestsEvery(1, reader, engine, clock, limit) : likely;
}

Result<bool> DeviceSave::HasDigestsEvery(uint64_t step, const ArtifactReader& reader,
                                         storage::TransferEngine& engine, Clock& clock,
                                         const WaitLimit& limit) {
  std::vector<storage::ChunkRecord> records(reader.records().begin(), reader.records().end());
  const auto transfer =
      engine.Begin({.direction = storage::Direction::kDigest, .records = records});
  for (size_t i = 0; i < memories_.size(); ++i) {
    std::vector<storage::Piece> pieces = reader.PiecesOf(i, *memories_[i]);
    std::erase_if(pieces, [&](const storage::Piece& piece) { return piece.chunk % step != 0; });
    for (storage::Piece& piece : pieces) {
      piece.file = nullptr;
    }
    transfer->Add(0, pieces);
  }
  RETURN_IF_ERROR(transfer->Finish(clock, limit));
  return std::equal(records.begin(), records.end(), reader.records().begin(),
                    reader.records().end());
}

Status DeviceSave::Write(FileSystem& files, const storage::StagedDevice& staged,
                         storage::TransferEngine& engine, SaveGauge& gauge, Clock& clock,
                         const WaitLimit& limit) {
  ASSIGN_OR_RETURN(writer_, storage::ArtifactWriter::Create(files, staged, layout_,
                                                            {.shard_bytes = options_.shard_bytes}));
  const size_t lanes = std::max<size_t>(1, options_.roots.size());
  const auto transfer = engine.Begin({.direction = storage::Direction::kSave,
                                      .lanes = lanes,
                                      .records = writer_->records(),
                                      .progress = &gauge.done_bytes});
  for (size_t i = 0; i < memories_.size(); ++i) {
    // One lane for each disk.
    transfer->Add(writer_->manifest().allocations[i].shard % lanes,
                  writer_->PiecesOf(i, *memories_[i]));
  }
  return transfer->Finish(clock, limit).WithContext(fmt::format("device {}", device()));
}

}  // namespace hearth::gms::saver
