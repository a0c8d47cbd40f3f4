#include "gms/storage/program.h"

#include <algorithm>
#include <memory>
#include <ostream>
#include <utility>

namespace hearth::gms::storage {
namespace {

// For a server's sockets to appear. As long as a session looks for the one of its device.
constexpr Duration kServerTime = std::chrono::seconds(30);

// Lines of the program's log, in step with what else it writes there.
class StreamSink : public LogSink {
 public:
  explicit StreamSink(std::ostream& out) : out_(out) {}
  void Write(LogLevel /*level*/, std::string_view line) override { out_ << line << std::flush; }

 private:
  std::ostream& out_;
};

}  // namespace

void CommonOptions::AddTo(OptionTable& table, const std::string& complete_variable) {
  table.Add({.name = "checkpoint-dir",
             .help = "Directory of the checkpoint",
             .target = &directory,
             .environment = "GMS_CHECKPOINT_DIR",
             .value_name = "DIR",
             .required = true});
  table.Add({.name = "sharded-ssd-roots",
             .help = "Folders on other disks, with commas, that shards lie below",
             .target = &roots,
             .value_name = "DIRS"});
  table.Add({.name = "device-type",
             .help = "Kind of device; auto: the driver's where there is a driver, otherwise what "
                     "the server says",
             .target = &device_type,
             .choices = {kAnyKind, "cuda", "host"}});
  table.Add({.name = "device",
             .help = "Number of the only device; all visible ones when not given",
             .target = &device,
             .value_name = "N",
             .check = Between(0, 4095)});
  table.Add({.name = "device-count",
             .help =
                 "How many devices there are, when they are memory of the machine: 0 to N-1 are "
                 "waited for while their servers start",
             .target = &device_count,
             .value_name = "N",
             .check = Between(1, 4096)});
  table.Add({.name = "socket-dir",
             .help = "Directory of the server's sockets; TMPDIR or /tmp when not given",
             .target = &socket_directory,
             .environment = "GMS_SOCKET_DIR",
             .value_name = "DIR"});
  table.Add({.name = "socket-path",
             .help = "The server's socket, with --device",
             .target = &socket_path,
             .value_name = "PATH"});
  table.Add({.name = "model", .help = "Label of the model, kept and compared", .target = &model});
  table.Add({.name = "rank",
             .help = "Rank of the engine, kept and compared",
             .target = &rank,
             .check = Between(0, 1'000'000)});
  table.Add({.name = "pod-uid",
             .help = "Makes the name of the completion file the pod's own",
             .target = &pod_uid,
             .environment = "GMS_POD_UID",
             .value_name = "UID"});
  table.Add({.name = "complete-file",
             .help = "Name or path of the completion file, instead of the usual one",
             .target = &complete_file,
             .environment = complete_variable,
             .value_name = "FILE"});
  table.Add({.name = "pinned-memory",
             .help = "Host memory to stage bytes in, of all devices together",
             .target = &staging});
  table.Add({.name = "progress",
             .help = "How progress is told on standard output; auto: a bar on a terminal, JSON "
                     "lines elsewhere",
             .target = &progress,
             .choices = {"auto", "bar", "json", "none"}});
  table.Add({.name = "use-v1",
             .help = "Taken for existing deployments; there is one way",
             .target = &use_v1});
  table.Add({.name = "verbose", .help = "Say more", .target = &verbose, .letter = 'v'});
}

DeviceSelection CommonOptions::Selection() const {
  DeviceSelection selection{
      .kind = device_type, .socket_directory = socket_directory, .socket = socket_path};
  if (device >= 0) {
    selection.device = device;
  }
  if (selection.socket_directory.empty()) {
    selection.socket_directory = SocketDirectory(ProcessEnvironment());
  }
  return selection;
}

Result<std::vector<DeviceAccess>> CommonOptions::Devices(const WaitLimit& limit,
                                                         const std::set<int64_t>& expected) const {
  DeviceSelection selection = Selection();
  selection.expected = expected.empty() ? DevicesOfEnvironment(ProcessEnvironment()) : expected;
  if (device_count > 0) {
    selection.expected.clear();
    for (int64_t i = 0; i < device_count; ++i) {
      selection.expected.insert(i);
    }
  }
  return SelectDevices(selection, ProcessEnvironment(), RealClock(), limit);
}

WaitLimit WaitForServer(Clock& clock, Duration lock_timeout, std::stop_token stop) {
  return WaitLimit::For(clock, std::min(kServerTime, lock_timeout), std::move(stop));
}

Logger CommonOptions::MakeLogger(const ProgramStreams& streams) const {
  return Logger(std::make_shared<StreamSink>(streams.err), LogFormat::kText,
                verbose ? LogLevel::kDebug : LogLevel::kInfo);
}

disk::ProgressStyle CommonOptions::Style(const ProgramStreams& streams) const {
  if (progress == "auto") {
    return streams.progress;
  }
  if (progress == "none") {
    return disk::ProgressStyle::kNone;
  }
  return progress == "bar" ? disk::ProgressStyle::kBar : disk::ProgressStyle::kJsonLines;
}

std::optional<int> ParseOrPrint(const OptionTable& table, int argc, const char* const* argv,
                                const ProgramStreams& streams) {
  const auto parsed = table.Parse(argc, argv);
  if (!parsed.ok()) {
    streams.err << parsed.status().message() << "\n";
    return kExitUsage;
  }
  switch (*parsed) {
    case OptionTable::Parsed::kHelp:
      streams.out << table.Help();
      return kExitOk;
    case OptionTable::Parsed::kVersion:
      streams.out << HEARTH_VERSION << "\n";
      return kExitOk;
    case OptionTable::Parsed::kRun:
      break;
  }
  return std::nullopt;
}

}  // namespace hearth::gms::storage
