#include "gms/loader/internal/device_load.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/seeded_hash.h"
#include "gms/storage/device_memory.h"
#include "gms/storage/shard_plan.h"

namespace hearth::gms::loader {
namespace {

using storage::Manifest;
using storage::StoredAllocation;

// As many descriptors as one message carries.
constexpr size_t kBatch = 253;

}  // namespace

DeviceLoad::DeviceLoad(const storage::DeviceAccess& access, const LoadOptions& options,
                       std::unique_ptr<storage::ArtifactReader> reader)
    : access_(access), options_(options), reader_(std::move(reader)) {}

DeviceLoad::~DeviceLoad() {
  memories_.clear();
  if (session_ != nullptr && !committed_) {
    // The server takes everything back when the connection ends; this waits until it has.
    static_cast<void>(session_->Abort());
  }
}

Status DeviceLoad::Bind() {
  ASSIGN_OR_RETURN(space_, access_.bind("").WithContext(fmt::format("device {}", device())));
  return PlanLanes();
}

Status DeviceLoad::PlanLanes() {
  const std::vector<std::string> paths = reader_->shard_paths();
  const std::vector<uint64_t> sizes = reader_->shard_bytes();
  lane_of_shard_.assign(paths.size(), 0);
  std::vector<std::vector<size_t>> lanes;
  if (options_.queues_per_root > 0) {
    ASSIGN_OR_RETURN(const auto queues, storage::PlanRootQueues(paths, sizes, options_.roots,
                                                                options_.queues_per_root));
    for (const storage::FileQueue& queue : queues) {
      lanes.push_back(queue.files);
    }
  } else {
    lanes = storage::Balance(sizes, static_cast<size_t>(std::max(options_.workers, 1)));
  }
  lanes_ = lanes.size();
  for (size_t lane = 0; lane < lanes.size(); ++lane) {
    for (const size_t shard : lanes[lane]) {
      lane_of_shard_[shard] = lane;
    }
  }
  return {};
}

Status DeviceLoad::Connect(const WaitLimit& limit) {
  ASSIGN_OR_RETURN(session_, Session::Connect({.socket = access_.socket(space_.get()),
                                               .lease = LeaseRequest::kRw,
                                               .client = "gms-loader",
                                               .admission_timeout = options_.lock_timeout},
                                              limit));
  RETURN_IF_ERROR(
      BindServed(access_, {session_->device_kind(), session_->identity().gpu_uuid}, space_));
  return CheckCompatible(reader_->manifest(), {.model = options_.model,
                                               .rank = options_.rank,
                                               .device_kind = session_->device_kind(),
                                               .granularity = session_->granularity()});
}

Status DeviceLoad::Load(storage::TransferEngine& engine, LoadGauge& gauge, Clock& clock,
                        const WaitLimit& limit) {
  const std::string context = fmt::format("device {}", device());
  RETURN_IF_ERROR(Connect(limit).WithContext(context));
  const auto records = options_.verify ? reader_->records() : std::span<storage::ChunkRecord>();
  const auto transfer =
      engine.Begin({.lanes = lanes_, .records = records, .progress = &gauge.done_bytes});
  RETURN_IF_ERROR(AllocateAll(*transfer).WithContext(context));
  RETURN_IF_ERROR(PutMetadata().WithContext(context));
  RETURN_IF_ERROR(CheckLayout().WithContext(context));
  RETURN_IF_ERROR(transfer->Finish(clock, limit).WithContext(context));
  RETURN_IF_ERROR(space_->Synchronize().WithContext(context));
  return {};
}

Status DeviceLoad::AllocateAll(storage::Transfer& transfer) {
  const size_t count = reader_->manifest().allocations.size();
  for (size_t begin = 0; begin < count; begin += kBatch) {
    RETURN_IF_ERROR(AllocateBatch(begin, std::min(count, begin + kBatch), transfer));
  }
  return {};
}

Status DeviceLoad::AllocateBatch(size_t begin, size_t end, storage::Transfer& transfer) {
  const Manifest& manifest = reader_->manifest();
  std::vector<AllocationItem> wanted;
  for (size_t i = begin; i < end; ++i) {
    const StoredAllocation& a = manifest.allocations[i];
    // A server without the extension gives names of its own.
    wanted.push_back({.allocation_id = session_->extended() ? a.id : "",
                      .size = static_cast<int64_t>(a.size),
                      .tag = a.tag});
  }
  ASSIGN_OR_RETURN(AllocatedBatch batch, session_->AllocateBatch(wanted, /*with_fds=*/true));
  for (size_t i = begin; i < end; ++i) {
    const StoredAllocation& a = manifest.allocations[i];
    AllocationItem& item = batch.allocations[i - begin];
    if (static_cast<uint64_t>(item.aligned_size) != a.aligned_size) {
      return InvalidError(
          fmt::format("allocation {} needs {} bytes, the server makes them {}; its "
                      "granularity is another",
                      a.id, a.aligned_size, item.aligned_size));
    }
    ASSIGN_OR_RETURN(auto memory, storage::ReachMemory(*space_, std::move(batch.fds[i - begin]),
                                                       a.aligned_size, Access::kReadWrite));
    memories_.push_back(std::move(memory));
    allocated_.push_back(std::move(item));
    transfer.Add(lane_of_shard_[a.shard], reader_->PiecesOf(i, *memories_.back()));
  }
  return {};
}

Status DeviceLoad::PutMetadata() {
  SeededMap<std::string_view, size_t> ranks;
  const auto& allocations = reader_->manifest().allocations;
  for (size_t i = 0; i < allocations.size(); ++i) {
    ranks.emplace(allocations[i].id, i);
  }
  for (const storage::StoredMetadata& entry : reader_->artifact().metadata) {
    metadata_.push_back({.key = entry.key,
                         .allocation_id = allocated_[ranks.at(entry.allocation_id)].allocation_id,
                         .offset_bytes = static_cast<int64_t>(entry.offset_bytes),
                         .value = entry.value});
  }
  return metadata_.empty() ? Status() : session_->PutMetadataBatch(metadata_);
}

Status DeviceLoad::CheckLayout() const {
  const std::string& saved = reader_->manifest().layout_hash;
  Manifest made;
  for (const AllocationItem& item : allocated_) {
    made.allocations.push_back({.id = item.allocation_id,
                                .size = static_cast<uint64_t>(item.size),
                                .aligned_size = static_cast<uint64_t>(item.aligned_size),
                                .tag = item.tag});
  }
  std::vector<storage::StoredMetadata> metadata;
  for (const MetadataItem& item : metadata_) {
    metadata.push_back({.key = item.key,
                        .allocation_id = item.allocation_id,
                        .offset_bytes = static_cast<uint64_t>(item.offset_bytes),
                        .value = item.value});
  }
  if (!saved.empty() && LayoutHashOf(made, metadata) != saved) {
    return InternalError("the server's layout is not the one that was saved; nothing is committed");
  }
  return {};
}

Status DeviceLoad::Commit() {
  const std::string context = fmt::format("device {}", device());
  memories_.clear();  // nobody writes any more
  ASSIGN_OR_RETURN(const CommittedLayout committed,
                   session_->Commit(/*stay=*/false).WithContext(context));
  committed_ = true;
  const std::string& saved = reader_->manifest().layout_hash;
  if (!saved.empty() && !committed.hash.empty() && committed.hash != saved) {
    return InternalError(fmt::format("{}: the server committed layout {}, saved was {}", context,
                                     committed.hash, saved));
  }
  return {};
}

}  // namespace hearth::gms::loader
