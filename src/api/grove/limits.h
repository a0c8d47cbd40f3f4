#pragma once

#include <cstdint>

// How long lists and names may be that validation rules look into. The API server estimates what a
// rule may cost at worst before it takes a definition, and needs to know. Upstream has no limits in
// its schemas; these are beyond what fits into an object that can be stored and run.
namespace hearth::api::grove {

inline constexpr int64_t kMaxCliques = 512;
inline constexpr int64_t kMaxScalingGroups = 128;
inline constexpr int64_t kMaxSharedClaims = 256;     // entries of one resourceSharing
inline constexpr int64_t kMaxClaimTemplates = 1024;  // of one set
inline constexpr int64_t kMaxNameLength = 253;       // a DNS subdomain

}  // namespace hearth::api::grove
