#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "json/value.h"

namespace hearth::agent::criu {

enum class CgroupMode { kIgnore, kSoft, kFull, kStrict };
// Any case, blanks around it; empty is soft.
Result<CgroupMode> ParseCgroupMode(std::string_view text);

// How CRIU is used: an operator sets them, a capture records them in its artifact and a restore
// uses what was recorded. The names in files are in the table of settings.cc.
struct Settings {
  uint64_t ghost_limit = 512ULL << 20;  // of deleted files that are still open
  int log_level = 4;
  std::string work_directory = "/var/criu-work";  // read and not used: nobody says where we write
  bool auto_dedup = false;
  bool lazy_pages = false;
  bool leave_running = true;  // the workload goes on until it is told to end
  bool shell_job = true;      // sessions whose leader is outside
  bool tcp_close = false;
  bool tcp_established = true;
  bool file_locks = true;
  bool orphan_pts_master = true;
  bool ext_unix_sockets = true;  // whose other end is outside
  bool link_remap = true;        // deleted files that are still open
  bool ext_masters = true;
  std::string manage_cgroups = "soft";
  std::string image_io = "direct";
  bool rst_sibling = true;
  bool mount_namespace_compat = false;
  bool evasive_devices = true;
  bool force_irmap = true;
  std::string binary_path = "/usr/local/sbin/criu";
  std::string plugin_directory = "/usr/local/lib/snapshot/criu-plugins";
  bool allow_uprobes = true;
  bool skip_in_flight = true;
};

// From a map of the names above to values. Members that are no setting are passed over, for newer
// versions may know more; a value of another kind is an error that names it.
Result<Settings> ReadSettings(const json::Value& map);
json::Value WriteSettings(const Settings& settings);
// What contradicts itself or is out of range.
Status CheckSettings(const Settings& settings);

// The lines of a CRIU configuration file for what its protocol has no field for.
std::string ConfigurationFile(const Settings& settings, std::string_view plugin_directory);

}  // namespace hearth::agent::criu
