#pragma once

#include <string>
#include <vector>

#include "agent/container/container.h"
#include "agent/host/mount_policy.h"
#include "agent/host/process_facts.h"
#include "base/result.h"
#include "snapshot/images/image_folder.h"

// What a container that waits for a restore may do, and what that means for the restore. Pure.
namespace hearth::agent {

// CRIU works in the container's pid namespace with all our rights: whoever may trace other
// processes there would take them over. `waits`: the container's first process, which may have
// given up what others in the container still have, so what the runtime was told counts, too. One
// that may administer the system needs no such way. kUnsupported, TracingContainer.
Status CheckCannotTrace(const Container& container, const ProcessFacts& waits);

// What is restored sees the paths that its own container covered or made read-only as the container
// which waits has them, and all others bare: those that only the latter covers would be open to it.
// Paths that are not there cover nothing. `captured`: those of the manifest, of both kinds.
// kPermissionDenied, MoreRights.
Status CheckMasks(const std::vector<std::string>& captured, const ManagedPaths& waits,
                  const RootView& root);

// All that the threads of these images may do together.
Result<snapshot::images::Rights> RightsIn(const snapshot::images::ImageFolder& images);

// What is restored has the rights that it was captured with, whoever lets it in. kPermissionDenied,
// MoreRights: the container that waits has less.
Status CheckNoMoreRights(const snapshot::images::Rights& saved, const ProcessFacts& waits);

}  // namespace hearth::agent
