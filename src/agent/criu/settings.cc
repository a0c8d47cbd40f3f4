#include "agent/criu/settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>
#include <variant>

#include "base/strings.h"

namespace hearth::agent::criu {
namespace {

using json::Value;

using Member =
    std::variant<bool Settings::*, int Settings::*, uint64_t Settings::*, std::string Settings::*>;
struct Row {
  std::string_view name;
  Member member;
};
// The one place where the names are written.
constexpr std::array kRows = {
    Row{"ghostLimit", &Settings::ghost_limit},
    Row{"logLevel", &Settings::log_level},
    Row{"workDir", &Settings::work_directory},
    Row{"autoDedup", &Settings::auto_dedup},
    Row{"lazyPages", &Settings::lazy_pages},
    Row{"leaveRunning", &Settings::leave_running},
    Row{"shellJob", &Settings::shell_job},
    Row{"tcpClose", &Settings::tcp_close},
    Row{"tcpEstablished", &Settings::tcp_established},
    Row{"fileLocks", &Settings::file_locks},
    Row{"orphanPtsMaster", &Settings::orphan_pts_master},
    Row{"extUnixSk", &Settings::ext_unix_sockets},
    Row{"linkRemap", &Settings::link_remap},
    Row{"extMasters", &Settings::ext_masters},
    Row{"manageCgroupsMode", &Settings::manage_cgroups},
    Row{"imageIoMode", &Settings::image_io},
    Row{"rstSibling", &Settings::rst_sibling},
    Row{"mntnsCompatMode", &Settings::mount_namespace_compat},
    Row{"evasiveDevices", &Settings::evasive_devices},
    Row{"forceIrmap", &Settings::force_irmap},
    Row{"binaryPath", &Settings::binary_path},
    Row{"libDir", &Settings::plugin_directory},
    Row{"allowUprobes", &Settings::allow_uprobes},
    Row{"skipInFlight", &Settings::skip_in_flight},
};

Status Wrong(std::string_view name, std::string_view wanted, const Value& value) {
  return InvalidError(
      fmt::format("{}: must be {}, is {}", name, wanted, Excerpt(value.Write(), 80)));
}

struct Reader {
  Settings& settings;
  std::string_view name;
  const Value& value;

  Status operator()(bool Settings::*member) const {
    if (value.kind() != json::Kind::kBool) {
      return Wrong(name, "true or false", value);
    }
    settings.*member = value.boolean();
    return Status::Ok();
  }
  Status operator()(int Settings::*member) const {
    const auto number = value.Int();
    if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) {
      return Wrong(name, "a whole number", value);
    }
    settings.*member = static_cast<int>(*number);
    return Status::Ok();
  }
  Status operator()(uint64_t Settings::*member) const {
    const auto number = value.Int();
    if (!number || *number < 0) {
      return Wrong(name, "a number of bytes", value);
    }
    settings.*member = static_cast<uint64_t>(*number);
    return Status::Ok();
  }
  Status operator()(std::string Settings::*member) const {
    if (!value.IsString()) {
      return Wrong(name, "a text", value);
    }
    settings.*member = value.string();
    return Status::Ok();
  }
};

}  // namespace

Result<CgroupMode> ParseCgroupMode(std::string_view text) {
  std::string name(Trim(text));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  constexpr std::pair<std::string_view, CgroupMode> kModes[] = {{"", CgroupMode::kSoft},
                                                                {"ignore", CgroupMode::kIgnore},
                                                                {"soft", CgroupMode::kSoft},
                                                                {"full", CgroupMode::kFull},
                                                                {"strict", CgroupMode::kStrict}};
  for (const auto& [known, mode] : kModes) {
    if (name == known) {
      return mode;
    }
  }
  return InvalidError(fmt::format("manageCgroupsMode '{}': must be ignore, soft, full or strict",
                                  Excerpt(text, 40)));
}

Result<Settings> ReadSettings(const Value& map) {
  Settings settings;
  if (map.IsNull()) {
    return settings;
  }
  if (!map.IsObject()) {
    return Wrong("CRIU settings", "a map", map);
  }
  for (const Row& row : kRows) {
    if (const Value* const value = map.Find(row.name); value != nullptr && !value->IsNull()) {
      RETURN_IF_ERROR(std::visit(Reader{settings, row.name, *value}, row.member));
    }
  }
  return settings;
}

Value WriteSettings(const Settings& settings) {
  Value map = Value::Object();
  for (const Row& row : kRows) {
    map.Set(row.name, std::visit([&](auto member) { return Value(settings.*member); }, row.member));
  }
  return map;
}

Status CheckSettings(const Settings& settings) {
  if (settings.tcp_close && settings.tcp_established) {
    return InvalidError(
        "tcpClose and tcpEstablished cannot both be on: choose whether connections "
        "are closed or kept");
  }
  if (settings.ghost_limit > std::numeric_limits<uint32_t>::max()) {
    return InvalidError(
        fmt::format("ghostLimit {}: CRIU takes 4 GiB at most", settings.ghost_limit));
  }
  if (settings.log_level > 4) {
    return InvalidError(fmt::format("logLevel {}: must be 0 to 4", settings.log_level));
  }
  constexpr std::array<std::string_view, 3> kModes = {"", "writeback", "direct"};
  if (std::find(kModes.begin(), kModes.end(), settings.image_io) == kModes.end()) {
    return InvalidError(fmt::format("imageIoMode '{}': must be writeback or direct",
                                    Excerpt(settings.image_io, 40)));
  }
  return ParseCgroupMode(settings.manage_cgroups).status();
}

std::string ConfigurationFile(const Settings& settings, std::string_view plugin_directory) {
  std::string lines;
  if (!plugin_directory.empty()) {
    lines += fmt::format("libdir {}\n", plugin_directory);
  }
  if (settings.allow_uprobes) {
    lines += "allow-uprobes\n";
  }
  if (settings.skip_in_flight) {
    lines += "skip-in-flight\n";
  }
  return lines;
}

}  // namespace hearth::agent::criu
