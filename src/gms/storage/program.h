#pragma once

#include <iosfwd>
#include <optional>
#include <stop_token>
#include <string>

#include "base/log.h"
#include "base/options.h"
#include "disk/progress.h"
#include "gms/storage/device_access.h"

// What the command lines of the programs that move weights have in common.
namespace hearth::gms::storage {

inline constexpr int kExitOk = 0;
inline constexpr int kExitFailed = 1;
inline constexpr int kExitUsage = 2;

struct ProgramStreams {
  std::ostream& out;
  std::ostream& err;
  disk::ProgressStyle progress =
      disk::ProgressStyle::kNone;  // what `out` takes, unless the user says
};

// Options of both programs; the rows refer to it, so it stays where it is.
struct CommonOptions {
  std::string directory;
  std::string roots;
  std::string device_type = kAnyKind;
  int64_t device = -1;       // all
  int64_t device_count = 0;  // of all; 0: not said
  std::string socket_directory;
  std::string socket_path;
  std::string model;
  int64_t rank = -1;  // none
  std::string pod_uid;
  std::string complete_file;
  OptionTable::Bytes staging{64ULL << 20};
  std::string progress = "auto";
  bool use_v1 = false;
  bool verbose = false;

  // `complete_variable`: the environment's name for the completion file.
  void AddTo(OptionTable& table, const std::string& complete_variable);
  DeviceSelection Selection() const;
  // Of this process' environment. The limit is for servers to come up. `expected`: which must be
  // there; what the user says comes first, and where nobody says, what the environment names.
  Result<std::vector<DeviceAccess>> Devices(const WaitLimit& limit,
                                            const std::set<int64_t>& expected = {}) const;
  Logger MakeLogger(const ProgramStreams& streams) const;
  disk::ProgressStyle Style(const ProgramStreams& streams) const;
};

// For a server to come up: as long as a client waits for one, and no longer than for its lease.
WaitLimit WaitForServer(Clock& clock, Duration lock_timeout, std::stop_token stop);

// 0 with help or version printed, 2 with what is wrong; nothing: go on.
std::optional<int> ParseOrPrint(const OptionTable& table, int argc, const char* const* argv,
                                const ProgramStreams& streams);

}  // namespace hearth::gms::storage
