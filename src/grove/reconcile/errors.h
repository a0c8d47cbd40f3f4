#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "api/grove/last_error.h"
#include "base/status.h"

// What failed in a pass, as status.lastErrors names it.
namespace hearth::grove {

namespace error_code {
inline constexpr std::string_view kSetClaims = "ERR_SYNC_PCS_RESOURCE_CLAIM";
inline constexpr std::string_view kGroupClaims = "ERR_SYNC_PCSG_RESOURCE_CLAIM";
inline constexpr std::string_view kCliqueClaims = "ERR_SYNC_PCLQ_RESOURCE_CLAIM";
inline constexpr std::string_view kService = "ERR_SYNC_PODCLIQUESET_SERVICE";
inline constexpr std::string_view kServiceAccount = "ERR_SYNC_SERVICEACCOUNT";
inline constexpr std::string_view kRole = "ERR_SYNC_ROLE";
inline constexpr std::string_view kRoleBinding = "ERR_SYNC_ROLEBINDING";
inline constexpr std::string_view kSecret = "ERR_CREATE_SECRET";
inline constexpr std::string_view kAutoscaler = "ERR_SYNC_HPA";
inline constexpr std::string_view kClique = "ERR_SYNC_PODCLIQUE";
inline constexpr std::string_view kDeleteClique = "ERR_DELETE_PODCLIQUE";
inline constexpr std::string_view kGroup = "ERR_SYNC_PODCLIQUESCALINGGROUP";
inline constexpr std::string_view kFinalizer = "ERR_SYNC_FINALIZER";
inline constexpr std::string_view kAliases = "ERR_SYNC_HASH_ALIASES";
inline constexpr std::string_view kGang = "ERR_CREATE_OR_PATCH_PODGANG";
inline constexpr std::string_view kCreatePod = "ERR_CREATE_POD";
inline constexpr std::string_view kDeletePod = "ERR_DELETE_POD";
inline constexpr std::string_view kBuildPod = "ERR_BUILD_POD_RESOURCE";
inline constexpr std::string_view kReleasePod = "ERR_REMOVE_POD_SCHEDULING_GATE";
}  // namespace error_code

// One that stands for `count` failures of its kind. Without the time, which the status gets when it
// is written.
api::grove::LastError ErrorOf(std::string_view code, const Status& status, size_t count = 1);

// Appends it, unless there is one of that code: a status holds one of a kind, however many objects
// were refused.
void AddError(std::vector<api::grove::LastError>& errors, std::string_view code,
              const Status& status, size_t count = 1);

}  // namespace hearth::grove
