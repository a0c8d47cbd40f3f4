#include "settings.h"

#include <fmt/format.h>
#include <sys/types.h>

#include <charconv>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <map>

#include "base/strings.h"
#include "gms/protocol/socket_path.h"

namespace hearth::gms::server {
namespace {

// As text, before it is looked at more closely.
struct Raw {
  std::vector<std::string> devices, tags, allow_uids, allow_gids;
  std::string device_type = "cuda";
  std::string directory, socket_path;
  std::string retry_interval = "0.5", retry_timeout = "60";
  std::string replace = "keep";
  std::string host_pages = "small";
  std::string log_format = "text";
  OptionTable::Bytes host_memory, host_granularity{2ULL << 20};
  Duration handshake_timeout = std::chrono::seconds(10);
  Duration answer_timeout = ConnectionLimits().answer_timeout;
  Duration adopt_quarantine = std::chrono::seconds(2);
  int64_t host_numa_node = -1;
  int64_t max_connections = 4096;
  bool number_links = true, take_over = false, probe = false, verbose = false;
};

// The last one is no user and no group.
constexpr int64_t kHighestId = std::numeric_limits<uid_t>::max() - 1;
constexpr int64_t kHighestDevice = std::numeric_limits<int>::max();

Result<int64_t> ParseNumber(std::string_view what, std::string_view text, int64_t highest) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0 || number > highest) {
    return InvalidError(fmt::format("{}: {} is not a number from 0 to {}", what, text, highest));
  }
  return number;
}

// Seconds as existing deployments write them, or a duration with a unit.
Result<Duration> ParseSeconds(std::string_view what, const std::string& text) {
  auto parsed = ParseDuration(text);
  if (!parsed.ok()) {
    parsed = ParseDuration(text + "s");
  }
  if (!parsed.ok() || *parsed <= Duration::zero()) {
    return InvalidError(fmt::format("{}: {} is not a time above 0, like 0.5 or 500ms", what, text));
  }
  return parsed;
}

OptionTable MakeTable(Raw& raw) {
  OptionTable table("gms-server",
                    "Owns device memory and hands it out to engines under leases, so that weights "
                    "outlive the engine.");
  table.Add({.name = "device",
             .help = "Number of a device to serve; all when not given",
             .target = &raw.devices,
             .value_name = "N"});
  table.Add({.name = "device-type",
             .help = "Kind of device",
             .target = &raw.device_type,
             .environment = "GMS_DEVICE_TYPE",
             .choices = {"cuda", "host"}});
  table.Add({.name = "tag",
             .help = "Domain to serve: weights or kv_cache; both when not given",
             .target = &raw.tags,
             .value_name = "TAG"});
  table.Add({.name = "socket-dir",
             .help = "Directory of the sockets; TMPDIR or /tmp when not given",
             .target = &raw.directory,
             .environment = "GMS_SOCKET_DIR",
             .value_name = "DIR"});
  table.Add({.name = "socket-path",
             .help = "Socket of the only device and tag, instead of its name "
                     "by UUID",
             .target = &raw.socket_path,
             .value_name = "PATH"});
  table.Add({.name = "number-links",
             .help = "Links by the devices' numbers beside the sockets; --number-links=false where "
                     "another server in the directory has a device of the same number",
             .target = &raw.number_links});
  table.Add({.name = "alloc-retry-interval",
             .help = "How often memory that others hold is asked for again, in seconds",
             .target = &raw.retry_interval,
             .value_name = "S"});
  table.Add({.name = "alloc-retry-timeout",
             .help = "How long an allocation waits for memory, in seconds",
             .target = &raw.retry_timeout,
             .value_name = "S"});
  table.Add({.name = "replace",
             .help = "What a new writer does to what is committed: keep it until the writer "
                     "commits, or destroy it with the writer's first allocation",
             .target = &raw.replace,
             .choices = {"keep", "destroy-first"}});
  table.Add({.name = "host-memory",
             .help = "Memory of each host device; all of the machine when not given",
             .target = &raw.host_memory,
             .environment = "GMS_HOST_MEMORY"});
  table.Add({.name = "host-pages",
             .help = "Pages of a host device",
             .target = &raw.host_pages,
             .choices = {"small", "transparent", "huge"}});
  table.Add({.name = "host-granularity",
             .help = "Sizes of a host device are multiples of this",
             .target = &raw.host_granularity});
  table.Add({.name = "host-numa-node",
             .help = "NUMA node that the memory of host devices comes from; any when not given",
             .target = &raw.host_numa_node,
             .value_name = "N",
             .check = Between(0, 1023)});
  table.Add({.name = "allow-uid",
             .help = "User that may connect beside our own and root",
             .target = &raw.allow_uids,
             .value_name = "UID"});
  table.Add({.name = "allow-gid",
             .help = "Group whose members may connect, as their first group",
             .target = &raw.allow_gids,
             .value_name = "GID"});
  table.Add({.name = "max-connections",
             .help = "Connections at once",
             .target = &raw.max_connections,
             .check = Between(1, 1'000'000)});
  table.Add({.name = "handshake-timeout",
             .help = "How long a connection may say nothing",
             .target = &raw.handshake_timeout,
             .check = Positive()});
  table.Add({.name = "answer-timeout",
             .help = "How long an answer may lie without the client fetching any of it",
             .target = &raw.answer_timeout,
             .check = Positive()});
  table.Add({.name = "adopt-quarantine",
             .help = "How long a sealed layout is kept from other processes while the one that "
                     "wrote it still runs; 0s: not at all",
             .target = &raw.adopt_quarantine});
  table.Add(
      {.name = "take-over",
       .help =
           "Take over from the server in the same directory that has these devices and tags: what "
           "is committed stays",
       .target = &raw.take_over});
  table.Add({.name = "probe-restore-ready",
             .help = "Only ask whether weights can be read on every device of all servers in the "
                     "directory, or on those of --device; a server that died or hangs is not ready",
             .target = &raw.probe});
  table.Add({.name = "log-format",
             .help = "How lines are written",
             .target = &raw.log_format,
             .choices = {"text", "json"}});
  table.Add({.name = "verbose", .help = "Log everything", .target = &raw.verbose, .letter = 'v'});
  table.AddNotes(
      "Exit codes:\n"
      "  0  stopped by a signal, or a successor took over; the probe found all ready\n"
      "  1  a device, a socket or the probe failed\n"
      "  2  the command line is wrong\n");
  return table;
}

Result<std::vector<unsigned>> ParseIds(std::string_view what,
                                       const std::vector<std::string>& texts) {
  std::vector<unsigned> ids;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(const int64_t id, ParseNumber(what, text, kHighestId));
    ids.push_back(static_cast<unsigned>(id));
  }
  return ids;
}

HostPages ParsePages(const std::string& text) {
  if (text == "huge") {
    return HostPages::kHuge2M;
  }
  return text == "transparent" ? HostPages::kTransparentHuge : HostPages::kSmall;
}

// Others are told where our sockets are, and are elsewhere.
Result<std::string> Absolute(const std::string& path) {
  std::error_code error;
  const std::string absolute =
      path.empty() ? path : std::filesystem::absolute(path, error).string();
  return error ? Result<std::string>(Status::FromErrno(error.value(), path)) : absolute;
}

Result<Settings> Interpret(const Raw& raw) {
  Settings settings;
  ServerOptions& server = settings.server;
  server.version = HEARTH_VERSION;
  ASSIGN_OR_RETURN(
      server.directory,
      Absolute(raw.directory.empty() ? SocketDirectory(ProcessEnvironment()) : raw.directory));
  ASSIGN_OR_RETURN(server.socket_path, Absolute(raw.socket_path));
  server.ordinal_links = raw.number_links;
  if (!raw.tags.empty()) {
    server.tags = raw.tags;
  }
  ASSIGN_OR_RETURN(server.alloc_retry_interval,
                   ParseSeconds("--alloc-retry-interval", raw.retry_interval));
  ASSIGN_OR_RETURN(server.alloc_retry_timeout,
                   ParseSeconds("--alloc-retry-timeout", raw.retry_timeout));
  server.domain.replace =
      raw.replace == "keep" ? ReplacePolicy::kKeepUntilCommit : ReplacePolicy::kDestroyFirst;
  ASSIGN_OR_RETURN(server.access.allowed_uids, ParseIds("--allow-uid", raw.allow_uids));
  ASSIGN_OR_RETURN(server.access.allowed_gids, ParseIds("--allow-gid", raw.allow_gids));
  server.max_connections = static_cast<size_t>(raw.max_connections);
  server.handshake_timeout = raw.handshake_timeout;
  server.connection.answer_timeout = raw.answer_timeout;
  server.adopt_quarantine = raw.adopt_quarantine;
  settings.host = raw.device_type == "host";
  for (const std::string& text : raw.devices) {
    ASSIGN_OR_RETURN(const int64_t device, ParseNumber("--device", text, kHighestDevice));
    settings.devices.push_back(static_cast<int>(device));
  }
  settings.host_bytes = raw.host_memory.value;
  settings.host_pages = ParsePages(raw.host_pages);
  settings.host_granularity = raw.host_granularity.value;
  if (raw.host_numa_node >= 0) {
    settings.host_numa_node = static_cast<int>(raw.host_numa_node);
  }
  settings.take_over = raw.take_over;
  settings.probe = raw.probe;
  settings.log_level = raw.verbose ? LogLevel::kDebug : LogLevel::kInfo;
  ASSIGN_OR_RETURN(settings.log_format, ParseLogFormat(raw.log_format));
  return settings;
}

}  // namespace

Result<std::optional<Settings>> ReadSettings(int argc, const char* const* argv) {
  Raw raw;
  const OptionTable table = MakeTable(raw);
  ASSIGN_OR_RETURN(const auto parsed, table.Parse(argc, argv));
  if (parsed == OptionTable::Parsed::kRun) {
    ASSIGN_OR_RETURN(Settings settings, Interpret(raw));
    return std::optional(std::move(settings));
  }
  const std::string text =
      parsed == OptionTable::Parsed::kHelp ? table.Help() : std::string(HEARTH_VERSION "\n");
  std::fwrite(text.data(), 1, text.size(), stdout);
  return std::optional<Settings>();
}

}  // namespace hearth::gms::server
