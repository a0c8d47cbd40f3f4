#include "marked_weights.h"

#include <fmt/format.h>
#include <unistd.h>

#include <map>
#include <vector>

namespace hearth::gms {
namespace {

constexpr size_t kPage = 4096;

std::vector<uint64_t> Marks(uint64_t seed, uint64_t piece, size_t bytes) {
  std::vector<uint64_t> words(bytes / sizeof(uint64_t));
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = (seed * 0x9E3779B97F4A7C15ULL) ^ (piece << 48) ^ i;
  }
  return words;
}

std::string KeyOf(int piece) { return fmt::format("tensor.{}", piece); }

Status CheckPiece(const MetadataItem& item, const AllocationItem& allocation, int fd,
                  uint64_t& seed) {
  uint64_t of = 0;
  uint64_t piece = 0;
  if (std::sscanf(item.value.c_str(), "%lu %lu", &of, &piece) != 2 || (seed != 0 && of != seed)) {
    return DataLossError(fmt::format("{} is described as {}", item.key, item.value));
  }
  seed = of;
  const auto wanted = Marks(of, piece, static_cast<size_t>(allocation.size));
  std::vector<uint64_t> there(wanted.size());
  const size_t bytes = wanted.size() * sizeof(uint64_t);
  if (::pread(fd, there.data(), bytes, 0) != static_cast<ssize_t>(bytes) || there != wanted) {
    return DataLossError(fmt::format("{} of writer {} has other bytes", item.key, of));
  }
  return Status::Ok();
}

}  // namespace

Status WriteMarked(Session& session, uint64_t seed, int pieces) {
  std::vector<AllocationItem> wanted;
  for (int i = 0; i < pieces; ++i) {
    wanted.push_back({.size = static_cast<int64_t>(kPage) * (1 + (i * 5) % 16), .tag = "weights"});
  }
  ASSIGN_OR_RETURN(const AllocatedBatch batch, session.AllocateBatch(wanted, true));
  std::vector<MetadataItem> metadata;
  for (int i = 0; i < pieces; ++i) {
    const auto index = static_cast<size_t>(i);
    const auto words =
        Marks(seed, static_cast<uint64_t>(i), static_cast<size_t>(wanted[index].size));
    const size_t bytes = words.size() * sizeof(uint64_t);
    if (::pwrite(batch.fds[index].get(), words.data(), bytes, 0) != static_cast<ssize_t>(bytes)) {
      return Status::FromErrno(errno, "write weights");
    }
    metadata.push_back({.key = KeyOf(i),
                        .allocation_id = batch.allocations[index].allocation_id,
                        .value = fmt::format("{} {}", seed, i)});
  }
  return session.PutMetadataBatch(metadata);
}

Status CheckMarked(Session& session) { return ToStatus(ReadMarked(session)); }

uint64_t SeedOf(const std::string& metadata_value) {
  uint64_t seed = 0;
  uint64_t piece = 0;
  return std::sscanf(metadata_value.c_str(), "%lu %lu", &seed, &piece) == 2 ? seed : 0;
}

Result<uint64_t> ReadMarked(Session& session) {
  ASSIGN_OR_RETURN(const OpenedLayout layout, session.OpenLayout());
  std::map<std::string, size_t> by_id;
  for (size_t i = 0; i < layout.allocations.size(); ++i) {
    by_id[layout.allocations[i].allocation_id] = i;
  }
  if (layout.metadata.size() != layout.allocations.size() || layout.metadata.empty()) {
    return DataLossError(fmt::format("{} descriptions of {} allocations", layout.metadata.size(),
                                     layout.allocations.size()));
  }
  uint64_t seed = 0;
  for (const MetadataItem& item : layout.metadata) {
    const size_t index = by_id.at(item.allocation_id);
    RETURN_IF_ERROR(CheckPiece(item, layout.allocations[index], layout.fds[index].get(), seed));
  }
  return seed;
}

}  // namespace hearth::gms
