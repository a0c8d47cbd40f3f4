#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hearth::snapshot::images {

// Where open files come back to, as far as it is not what they were captured in.
struct NewPlace {
  // Of the pods, at most one of each family. Sockets at the one's get the other's of the same
  // family. Nothing is changed when one of them has none.
  std::vector<std::string> source_ips;
  std::vector<std::string> target_ips;
  // Whether connections are brought back. If not, CRIU closes them all by itself.
  bool connections = true;
  uint64_t mount_namespace = 0;  // inode
  // A TCP port that nobody has, and that nobody gets until the restore is over. Not one of these.
  std::function<Result<uint16_t>(const std::set<uint16_t>& taken)> reserve_port;
};

// A TCP connection that does not come back.
struct DroppedConnection {
  std::string local;  // as it was captured: "10.0.0.4:41000"
  std::string peer;

  friend bool operator==(const DroppedConnection&, const DroppedConnection&) = default;
};

struct AdaptedFiles {
  std::optional<std::string> image;  // nothing: the captured one is good
  std::vector<DroppedConnection> dropped;
  size_t moved_ports = 0;
};

// files.img for a restore elsewhere, or beside another one of the same artifact:
//  - addresses of the source pod become those of the target pod: IPv4, mapped IPv4, IPv6;
//  - CUDA's listeners, whose names are unique on a machine, get names of this mount namespace;
//  - connections among the captured processes get new ports, except those that are listened at;
//  - connections to others become sockets without one: the other end knows nothing of the new
//    place;
//  - periodic timers that had just expired run on, which CRIU would stop.
// Everything else stays as it is, byte by byte.
//
// Pure, but for ports. kDataLoss: it is no such image. kUnsupported: it has an entry of a kind that
// is not known here, or a socket at an address that has no counterpart.
Result<AdaptedFiles> AdaptFiles(std::string_view image, const NewPlace& place);

}  // namespace hearth::snapshot::images
