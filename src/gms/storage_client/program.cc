#include "gms/storage_client/program.h"

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "gms/loader/program.h"
#include "gms/saver/program.h"
#include "gms/storage/checkpoint.h"

namespace hearth::gms::storage_client {
namespace {

constexpr std::string_view kUsage =
    "Saves or loads the weights of one device by hand.\n\n"
    "Usage:\n"
    "  gms-storage-client save --output-dir DIR [options]\n"
    "  gms-storage-client load --input-dir DIR [options]\n\n"
    "`gms-storage-client save --help` and `gms-storage-client load --help` list the options.\n";

// What both have; the rows point into it.
struct Settings {
  std::string directory;
  int64_t device = 0;
  std::string socket_path;
  int64_t timeout_ms = -1;  // as long as it takes
  int64_t workers = 0;
  std::string roots;
  std::string device_type = storage::kAnyKind;
  bool verbose = false;
  // Of a save.
  int64_t shard_bytes = 4LL << 30;
  // Of a load.
  std::string backend = "nixl";
  int64_t queues_per_root = 2;
  bool no_clear = false;
};

void AddCommon(OptionTable& table, Settings& s) {
  table.Add({.name = "device",
             .help = "Number of the device",
             .target = &s.device,
             .value_name = "N",
             .check = Between(0, 4095)});
  table.Add({.name = "socket-path",
             .help = "The server's socket, instead of the one that the device's name gives",
             .target = &s.socket_path,
             .value_name = "PATH"});
  table.Add({.name = "timeout-ms",
             .help = "How long the lease is waited for; as long as it takes when not given",
             .target = &s.timeout_ms,
             .check = Between(0, INT64_MAX / 1'000'000)});
  table.Add({.name = "sharded-ssd-roots",
             .help = "Folders on other disks, with commas, that shards lie below",
             .target = &s.roots,
             .value_name = "DIRS"});
  table.Add({.name = "device-type",
             .help = "Kind of device; auto: the driver's, or what the server says",
             .target = &s.device_type,
             .choices = {storage::kAnyKind, "cuda", "host"}});
  table.Add({.name = "verbose", .help = "Say more", .target = &s.verbose, .letter = 'v'});
}

OptionTable SaveTable(Settings& s) {
  s.workers = 8;
  OptionTable table("gms-storage-client save", "Saves the committed weights of one device.");
  table.Add({.name = "output-dir",
             .help = "Directory of the checkpoint, or device-N below one",
             .target = &s.directory,
             .value_name = "DIR",
             .required = true});
  AddCommon(table, s);
  table.Add({.name = "shard-size-bytes",
             .help = "Size that a shard should not exceed",
             .target = &s.shard_bytes,
             .check = Between(1, INT64_MAX)});
  table.Add({.name = "save-workers",
             .help = "Threads at most",
             .target = &s.workers,
             .check = Between(1, 1024)});
  return table;
}

OptionTable LoadTable(Settings& s) {
  s.workers = 16;
  OptionTable table("gms-storage-client load", "Loads saved weights into one device.");
  table.Add({.name = "input-dir",
             .help = "Directory of a checkpoint, of device-N below one, or of one artifact",
             .target = &s.directory,
             .value_name = "DIR",
             .required = true});
  AddCommon(table, s);
  table.Add({.name = "workers",
             .help = "Threads at most",
             .target = &s.workers,
             .check = Between(1, 1024)});
  table.Add({.name = "transfer-backend",
             .help = "As gms-loader's",
             .target = &s.backend,
             .choices = {"nixl", "nixl-gds", "sharded-ssd"}});
  table.Add({.name = "sharded-ssd-queues-per-root",
             .help = "Queues of each root with sharded-ssd",
             .target = &s.queues_per_root,
             .check = Between(1, 1024)});
  table.Add({.name = "no-clear",
             .help = "Taken for existing scripts; what is loaded replaces what is there",
             .target = &s.no_clear});
  return table;
}

// DIR/device-N is one entry of the checkpoint DIR, and is saved and read as such.
std::string CheckpointOf(std::string directory, int64_t device) {
  while (directory.size() > 1 && directory.ends_with('/')) {
    directory.pop_back();
  }
  const size_t slash = directory.rfind('/');
  const std::string name = directory.substr(slash == std::string::npos ? 0 : slash + 1);
  if (name != storage::DeviceDirectory(device)) {
    return directory;
  }
  if (slash == std::string::npos) {
    return ".";
  }
  return slash == 0 ? "/" : directory.substr(0, slash);
}

std::vector<std::string> CommonArguments(const char* program, const Settings& s) {
  std::vector<std::string> arguments = {program,
                                        "--checkpoint-dir=" + CheckpointOf(s.directory, s.device),
                                        "--device=" + std::to_string(s.device),
                                        "--max-workers=" + std::to_string(s.workers),
                                        "--sharded-ssd-roots=" + s.roots,
                                        "--device-type=" + s.device_type};
  if (!s.socket_path.empty()) {
    arguments.push_back("--socket-path=" + s.socket_path);
  }
  if (s.verbose) {
    arguments.push_back("--verbose");
  }
  return arguments;
}

std::vector<std::string> SaverArguments(const Settings& s) {
  std::vector<std::string> arguments = CommonArguments("gms-saver", s);
  arguments.push_back("--shard-size-bytes=" + std::to_string(s.shard_bytes));
  // The saver's own limit is half an hour; here it is none unless said.
  constexpr int64_t kYear = 365LL * 24 * 3600 * 1000;
  arguments.push_back("--save-lock-timeout-ms=" +
                      std::to_string(s.timeout_ms < 0 ? kYear : s.timeout_ms));
  return arguments;
}

std::vector<std::string> LoaderArguments(const Settings& s) {
  std::vector<std::string> arguments = CommonArguments("gms-loader", s);
  arguments.push_back("--transfer-backend=" + s.backend);
  arguments.push_back("--sharded-ssd-queues-per-root=" + std::to_string(s.queues_per_root));
  if (s.timeout_ms >= 0) {
    arguments.push_back("--load-lock-timeout-ms=" + std::to_string(s.timeout_ms));
  }
  return arguments;
}

using Program = int (*)(int, const char* const*, const storage::ProgramStreams&,
                        const std::stop_token&);

int Call(Program program, const std::vector<std::string>& arguments,
         const storage::ProgramStreams& streams, const std::stop_token& stop) {
  std::vector<const char*> argv;
  argv.reserve(arguments.size());
  for (const std::string& argument : arguments) {
    argv.push_back(argument.c_str());
  }
  return program(static_cast<int>(argv.size()), argv.data(), streams, stop);
}

}  // namespace

int RunStorageClient(int argc, const char* const* argv, const storage::ProgramStreams& streams,
                     const std::stop_token& stop) {
  const std::string_view command = argc > 1 ? argv[1] : "";
  if (command == "--help" || command == "-h") {
    streams.out << kUsage;
    return storage::kExitOk;
  }
  if (command != "save" && command != "load") {
    streams.err << kUsage;
    return command.empty() ? storage::kExitFailed : storage::kExitUsage;
  }
  const bool saves = command == "save";
  Settings settings;
  const OptionTable table = saves ? SaveTable(settings) : LoadTable(settings);
  if (const auto code = storage::ParseOrPrint(table, argc - 1, argv + 1, streams)) {
    return *code;
  }
  return saves ? Call(saver::RunSaver, SaverArguments(settings), streams, stop)
               : Call(loader::RunLoader, LoaderArguments(settings), streams, stop);
}

}  // namespace hearth::gms::storage_client
