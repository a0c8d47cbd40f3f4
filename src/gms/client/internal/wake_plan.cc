#include "gms/client/internal/wake_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/seeded_hash.h"

namespace hearth::gms::internal {
namespace {

Status Stale(std::string why) {
  return ConflictError("Layout changed: " + std::move(why)).WithReason(Session::kStaleLayout);
}

using ById = SeededMap<std::string_view, const AllocationItem*>;

ById Index(std::span<const AllocationItem> layout) {
  ById by_id;
  by_id.reserve(layout.size());
  for (const AllocationItem& allocation : layout) {
    by_id.emplace(allocation.allocation_id, &allocation);
  }
  return by_id;
}

Status AddToPlan(const Mapping& mapping, const AllocationItem& allocation, WakePlan& plan) {
  if (mapping.mapped) {
    return {};
  }
  RETURN_IF_ERROR(CheckFits(mapping, allocation));
  plan.emplace(allocation.allocation_id, mapping.address);
  return {};
}

}  // namespace

Status CheckFits(const Mapping& mapping, const AllocationItem& allocation) {
  if (static_cast<uint64_t>(allocation.aligned_size) == mapping.aligned_size &&
      allocation.tag == mapping.tag) {
    return {};
  }
  return Stale(fmt::format("the memory for {:#x} has {} bytes of '{}', the mapping {} of '{}'",
                           mapping.address, allocation.aligned_size, allocation.tag,
                           mapping.aligned_size, mapping.tag));
}

Result<WakePlan> PlanWake(std::span<const Mapping> mappings,
                          std::span<const AllocationItem> layout) {
  const ById by_id = Index(layout);
  const bool known = std::all_of(mappings.begin(), mappings.end(), [&](const Mapping& mapping) {
    return by_id.contains(mapping.allocation_id);
  });
  if (!known && mappings.size() != layout.size()) {
    return Stale(fmt::format("the server has {} allocations with other names, here are {} mappings",
                             layout.size(), mappings.size()));
  }
  WakePlan plan;
  for (size_t i = 0; i < mappings.size(); ++i) {
    const AllocationItem& allocation = known ? *by_id.at(mappings[i].allocation_id) : layout[i];
    RETURN_IF_ERROR(AddToPlan(mappings[i], allocation, plan));
  }
  return plan;
}

}  // namespace hearth::gms::internal
