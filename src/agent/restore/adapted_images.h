#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/restore/namespaces.h"
#include "agent/restore/plan.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "snapshot/images/adapt_files.h"

namespace hearth::agent {

// The images of an artifact, shown within a container and adapted to it: what has to differ is
// mounted over the artifact's, which nobody changes. Ports that were chosen for it are nobody
// else's as long as it lives; with it all of it goes.
class AdaptedImages {
 public:
  // `artifact` is of CloneForMount; `mount_namespace` is the inode of the container's. Only within
  // the container's mount and network namespaces. What an earlier one has left at `place` is
  // removed first. kUnsupported, kDataLoss: the artifact's files.img is not one that we know.
  static Result<AdaptedImages> Show(const UniqueFd& artifact, const std::string& place,
                                    const RestorePlan& plan, uint64_t mount_namespace);

  // Until then the artifact is seen as it is, and can be verified. Once.
  Status ShowAdapted();

  const std::string& place() const { return shown_.place(); }
  const std::vector<snapshot::images::DroppedConnection>& dropped() const { return dropped_; }

 private:
  AdaptedImages(std::vector<UniqueFd> ports,
                std::vector<snapshot::images::DroppedConnection> dropped, UniqueFd adapted,
                ShownDirectory shown)
      : ports_(std::move(ports)),
        dropped_(std::move(dropped)),
        adapted_(std::move(adapted)),
        shown_(std::move(shown)) {}

  std::vector<UniqueFd> ports_;
  std::vector<snapshot::images::DroppedConnection> dropped_;
  UniqueFd adapted_;  // files.img; none: the artifact's is good
  ShownDirectory shown_;
  std::optional<ShownFile> files_;  // in shown_
};

// Whose connections they were, each once, and not more of them than are worth telling.
std::vector<std::string> PeersOf(const std::vector<snapshot::images::DroppedConnection>& dropped);

// A TCP port of this network namespace, for all addresses. Others may bind it at one of them while
// it is reserved, if they allow others to do the same: CRIU does. kExhausted: there is none.
struct ReservedPort {
  uint16_t number = 0;
  UniqueFd holder;
};
Result<ReservedPort> ReservePort();

}  // namespace hearth::agent
