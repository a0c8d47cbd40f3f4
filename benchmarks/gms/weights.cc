#include "weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/random.h"
#include "gms/client/session.h"
#include "gms/storage/memory.h"

namespace hearth::bench {
namespace {

std::vector<gms::AllocationItem> Items(const WeightsShape& shape) {
  const uint64_t granules = shape.bytes / shape.granularity;
  std::vector<gms::AllocationItem> items;
  for (size_t i = 0; i < shape.allocations; ++i) {
    const uint64_t own = granules / shape.allocations + (i < granules % shape.allocations ? 1 : 0);
    items.push_back({.allocation_id = fmt::format("allocation-{}", i),
                     .size = static_cast<int64_t>(std::max<uint64_t>(own, 1) * shape.granularity),
                     .tag = "weights"});
  }
  return items;
}

}  // namespace

Status CommitWeights(const std::string& socket, const WeightsShape& shape) {
  ASSIGN_OR_RETURN(const auto session,
                   gms::Session::Connect({.socket = socket, .lease = gms::LeaseRequest::kRw}));
  std::vector<uint64_t> block(shape.granularity / sizeof(uint64_t));
  Random random(shape.seed);
  std::generate(block.begin(), block.end(), [&] { return random.Next(); });
  const auto write = [&](gms::AllocatedBatch part) -> Status {
    for (size_t i = 0; i < part.fds.size(); ++i) {
      const auto memory = gms::storage::DescriptorMemory(std::move(part.fds[i]));
      for (uint64_t at = 0; at < static_cast<uint64_t>(part.allocations[i].size);
           at += shape.granularity) {
        block[at / shape.granularity % block.size()] = random.Next();
        RETURN_IF_ERROR(
            memory->Put(at, reinterpret_cast<const std::byte*>(block.data()), shape.granularity));
      }
    }
    return {};
  };
  RETURN_IF_ERROR(session->AllocateInParts(Items(shape), true, write));
  return ToStatus(session->Commit(false));
}

}  // namespace hearth::bench
