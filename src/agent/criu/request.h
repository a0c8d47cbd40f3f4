#pragma once

#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "agent/criu/settings.h"
#include "base/result.h"

namespace hearth::agent::criu {

struct Mount {
  std::string key;
  std::string value;
};

// Under this name a capture leaves out the network namespace, and a restore finds the pod's own.
inline constexpr std::string_view kExternalNetwork = "extNetNs";

// One capture. Descriptors and pids are those of the process that asks; the descriptors stay its
// own.
struct DumpRequest {
  Settings settings;
  int pid = 0;
  int images_fd = -1;  // directory
  int work_fd = -1;    // directory of the log; -1: with the images
  // A connection that pages go to, as to a page server; -1: CRIU writes them itself.
  int pages_fd = -1;
  std::string log_file = "dump.log";
  std::string root;                    // of the container's mounts
  std::vector<Mount> external_mounts;  // mount point to name
  std::vector<std::string> skipped_mounts;
  std::vector<std::string> external;  // "net[4026531840]:extNetNs"
  std::string freeze_cgroup;          // empty: each process is stopped by itself
  std::string configuration_file;     // empty: none
};

// One restore, asked for from within the namespaces that it is to happen in.
struct RestoreRequest {
  Settings settings;
  int images_fd = -1;
  int work_fd = -1;
  std::string log_file = "restore.log";
  std::string root = "/";
  std::vector<Mount> external_mounts;  // name to mount point
  std::vector<std::string> skipped_mounts;
  std::vector<std::pair<std::string, int>> inherited;  // what an image names, our descriptor for it
  std::string cgroup_root;
  bool lazy_pages = false;  // whoever listens in the work directory fills the memory
  std::string configuration_file;
};

// The bytes of a request to CRIU.
Result<std::string> EncodeDump(const DumpRequest& request);
Result<std::string> EncodeRestore(const RestoreRequest& request);
std::string EncodeVersionRequest();
// The answer to a notice: go on, or stop and undo.
std::string EncodeNoticeAnswer(bool go_on);

struct Version {
  int major = 0;
  int minor = 0;
  int sublevel = 0;
  std::string text;  // "4.2.1", or what a build of its own says
  friend auto operator<=>(const Version& a, const Version& b) {
    return std::tie(a.major, a.minor, a.sublevel) <=> std::tie(b.major, b.minor, b.sublevel);
  }
  friend bool operator==(const Version& a, const Version& b) { return (a <=> b) == 0; }
};

struct Answer {
  enum class Kind { kDump, kRestore, kNotice, kVersion, kOther };
  Kind kind = Kind::kOther;
  bool success = false;
  int error = 0;        // an errno; 0: not told
  std::string message;  // CRIU's own words; may be empty
  int pid = 0;          // of what was restored, or what a notice is about
  std::string script;   // of a notice: "post-dump", ...
  Version version;
};
// kDataLoss: not an answer of CRIU's.
Result<Answer> DecodeAnswer(std::string_view bytes);

}  // namespace hearth::agent::criu
