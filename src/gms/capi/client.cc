#include "gms/capi/client.h"

#include <array>
#include <chrono>
#include <utility>

namespace hearth::gms::capi {
namespace {

// The numbers are a promise; their order follows gms_code.
constexpr auto kCodes = std::to_array<std::pair<Code, gms_code>>({
    {Code::kOk, GMS_OK},
    {Code::kInvalid, GMS_INVALID},
    {Code::kNotFound, GMS_NOT_FOUND},
    {Code::kAlreadyExists, GMS_ALREADY_EXISTS},
    {Code::kConflict, GMS_CONFLICT},
    {Code::kGone, GMS_CONFLICT},
    {Code::kUnauthenticated, GMS_PERMISSION_DENIED},
    {Code::kPermissionDenied, GMS_PERMISSION_DENIED},
    {Code::kExhausted, GMS_EXHAUSTED},
    {Code::kUnavailable, GMS_UNAVAILABLE},
    {Code::kDeadlineExceeded, GMS_TIMEOUT},
    {Code::kCancelled, GMS_CANCELLED},
    {Code::kUnsupported, GMS_UNSUPPORTED},
    {Code::kDataLoss, GMS_DATA_LOSS},
    {Code::kInternal, GMS_INTERNAL},
});

constexpr auto kNames = std::to_array<const char*>(
    {"ok", "invalid", "not found", "already exists", "conflict", "permission denied", "exhausted",
     "unavailable", "timeout", "cancelled", "unsupported", "data loss", "internal"});

std::string& LastError() {
  thread_local std::string text;
  return text;
}

}  // namespace

gms_code CodeOf(const Status& status) {
  for (const auto& [code, number] : kCodes) {
    if (code == status.code()) {
      return number;
    }
  }
  return GMS_INTERNAL;
}

gms_code Tell(const Status& status) {
  if (!status.ok()) {
    LastError() = status.message();
  }
  return CodeOf(status);
}

Duration DurationOf(int64_t timeout_ms) {
  constexpr auto kLongest = std::chrono::duration_cast<std::chrono::milliseconds>(Duration::max());
  return timeout_ms < 0 || timeout_ms > kLongest.count() ? Duration::max()
                                                         : std::chrono::milliseconds(timeout_ms);
}

WaitLimit LimitOf(int64_t timeout_ms) {
  const Duration duration = DurationOf(timeout_ms);
  return duration == Duration::max() ? WaitLimit::Forever() : WaitLimit::For(RealClock(), duration);
}

Result<LeaseRequest> LeaseOf(gms_lease lease) {
  switch (lease) {
    case GMS_LEASE_RO:
      return LeaseRequest::kRo;
    case GMS_LEASE_RW:
      return LeaseRequest::kRw;
    case GMS_LEASE_RW_OR_RO:
      return LeaseRequest::kRwOrRo;
    case GMS_LEASE_RW_DATA_OR_RW:
      return LeaseRequest::kRwDataOrRw;
    case GMS_LEASE_RW_SHADOW:
      return LeaseRequest::kRwShadow;
  }
  return InvalidError("no such lease: " + std::to_string(lease));
}

void Show(const Mapping& from, gms_mapping* to) {
  *to = {.address = reinterpret_cast<void*>(from.address),
         .size = from.size,
         .mapped_size = from.aligned_size,
         .allocation_id = from.allocation_id.c_str(),
         .tag = from.tag.c_str(),
         .is_mapped = from.mapped ? 1 : 0,
         .is_writable = from.mapped && from.access == Access::kReadWrite ? 1 : 0};
}

}  // namespace hearth::gms::capi

extern "C" {

uint32_t gms_version(void) { return GMS_VERSION_MAJOR << 16 | GMS_VERSION_MINOR; }

const char* gms_code_name(gms_code code) {
  const auto index = static_cast<size_t>(code);
  return index < hearth::gms::capi::kNames.size() ? hearth::gms::capi::kNames[index] : "unknown";
}

const char* gms_error(void) { return hearth::gms::capi::LastError().c_str(); }

}  // extern "C"
