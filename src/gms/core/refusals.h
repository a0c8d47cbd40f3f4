#pragma once

#include <string_view>

// Why the core refuses: the reason() of its errors, what programs branch on. Texts are for people,
// and for older clients that look for words in them.
namespace hearth::gms::refusal {

inline constexpr std::string_view kNoLease = "NoLease";
inline constexpr std::string_view kReadOnly = "ReadOnlySession";
inline constexpr std::string_view kSealed = "LayoutSealed";
inline constexpr std::string_view kShadowCannotSeal = "ShadowCannotSeal";
inline constexpr std::string_view kEmptyId = "EmptyAllocationId";
inline constexpr std::string_view kIdExists = "AllocationIdExists";
inline constexpr std::string_view kBadSize = "BadSize";
inline constexpr std::string_view kUnknownAllocation = "UnknownAllocation";
inline constexpr std::string_view kOffsetOutOfRange = "OffsetOutOfRange";
inline constexpr std::string_view kTooManyAllocations = "TooManyAllocations";
inline constexpr std::string_view kTooMuchMetadata = "TooMuchMetadata";
inline constexpr std::string_view kNotFresh = "NotFresh";
inline constexpr std::string_view kFenceBlocked = "FenceBlocked";
inline constexpr std::string_view kEmptyToken = "EmptyToken";
inline constexpr std::string_view kTokenMismatch = "TokenMismatch";
inline constexpr std::string_view kTokenStale = "TokenStale";

}  // namespace hearth::gms::refusal
