#pragma once

#include <string_view>

// What a pod says of its own start: restored or cold, from what, and how long it took.
//
// kStartRestored is written by the agent in the request that marks a restore as completed,
// kStartCold by the webhook that looks at each pod which asks for a checkpoint and lets it start
// without one. A pod that never asked for a checkpoint carries neither (docs/start-proof.md).
namespace hearth::snapshot {

inline constexpr std::string_view kStartAnnotation = "hearth.dev/start";
inline constexpr std::string_view kStartRestored = "restored";
inline constexpr std::string_view kStartCold = "cold";

// Of a cold start: why, one of the reasons that docs/start-proof.md lists.
inline constexpr std::string_view kStartReasonAnnotation = "hearth.dev/start-reason";

// Of a restored pod: `<checkpoint id>/<version>`, the artifact's root digest, `name=seconds,...`.
inline constexpr std::string_view kRestoredFromAnnotation = "hearth.dev/restored-from";
inline constexpr std::string_view kRestoredDigestAnnotation = "hearth.dev/restored-digest";
inline constexpr std::string_view kRestorePhasesAnnotation = "hearth.dev/restore-phases";

// Whether an annotation is part of what a pod says of its start.
constexpr bool IsStartProof(std::string_view key) {
  return key == kStartAnnotation || key == kStartReasonAnnotation ||
         key == kRestoredFromAnnotation || key == kRestoredDigestAnnotation ||
         key == kRestorePhasesAnnotation;
}

// On a PodSnapshot: how long the captured container took from its start until it was ready for its
// snapshot. Its content's status.artifact has the same in milliseconds.
inline constexpr std::string_view kColdStartSecondsAnnotation = "hearth.dev/cold-start-seconds";

}  // namespace hearth::snapshot
