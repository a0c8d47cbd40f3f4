#include "stage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <filesystem>
#include <functional>
#include <utility>

#include "agent/capture/facts.h"
#include "agent/container/oci_runtime.h"
#include "bare_criu.h"
#include "base/process_runner.h"
#include "base/strings.h"
#include "scratch.h"

namespace hearth::bench {
namespace {

namespace fs = std::filesystem;

constexpr size_t kReadAtOnce = 4 << 20;
constexpr uint64_t kLargestSpec = 1 << 20;

WaitLimit Enough() { return WaitLimit::For(RealClock(), std::chrono::minutes(5)); }

Result<UniqueFd> Connect(const std::string& path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (!fd.valid() ||
      ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return Status::FromErrno(errno, path);
  }
  return fd;
}

// It tells nobody else that it is up.
Result<UniqueFd> AwaitSocket(const std::string& path) {
  const WaitLimit limit = Enough();
  Result<UniqueFd> connected = Connect(path);
  while (!connected.ok() && !limit.Expired(RealClock())) {
    static_cast<void>(SleepFor(RealClock(), std::chrono::milliseconds(2), {}));
    connected = Connect(path);
  }
  return connected;
}

Status ForEachFile(const std::string& directory,
                   const std::function<Status(int fd, const std::string& name)>& act) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(directory, error)) {
    const UniqueFd fd(::open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd.valid()) {
      return Status::FromErrno(errno, entry.path().string());
    }
    RETURN_IF_ERROR(act(fd.get(), entry.path()));
  }
  return error ? Status::FromErrno(error.value(), directory) : Status::Ok();
}

Status SyncFile(int fd, const std::string& name) {
  return ::fsync(fd) == 0 ? Status::Ok() : Status::FromErrno(errno, name);
}

}  // namespace

Stage::Stage(Programs programs, std::string directory, agent::criu::Program criu,
             snapshot::StorageLayout storage)
    : programs_(std::move(programs)),
      directory_(std::move(directory)),
      criu_(std::move(criu)),
      storage_(std::move(storage)) {}

Result<std::unique_ptr<Stage>> Stage::Set(const Programs& programs, const std::string& directory) {
  ASSIGN_OR_RETURN(agent::criu::Program criu, agent::criu::FindProgram(programs.criu));
  fs::create_directories(directory + "/storage");
  ASSIGN_OR_RETURN(snapshot::StorageLayout storage,
                   snapshot::StorageLayout::Create(directory + "/storage"));
  return std::unique_ptr<Stage>(
      new Stage(programs, directory, std::move(criu), std::move(storage)));
}

Result<Stage::Container> Stage::StartSubject(const std::string& name, const SubjectMemory& memory) {
  ASSIGN_OR_RETURN(const Container container,
                   rig_.Start(name, {"/bin/workload", "/snapshot-control/api.sock",
                                     std::to_string(memory.own_mebibytes),
                                     std::to_string(memory.shared_mebibytes),
                                     std::to_string(memory.zero_percent)}));
  RETURN_IF_ERROR(Ask(container, false).status());
  return container;
}

Result<Stage::Container> Stage::StartPlaceholder(const std::string& name) {
  return rig_.Start(name, {"/bin/workload", "standby"});
}

Result<std::string> Stage::Ask(const Container& container, bool hash) {
  ASSIGN_OR_RETURN(const UniqueFd socket, AwaitSocket(container.socket));
  std::string line(80, '\0');
  if (::write(socket.get(), hash ? "h" : "q", 1) != 1) {
    return Status::FromErrno(errno, container.socket);
  }
  const ssize_t size = ::read(socket.get(), line.data(), line.size());
  if (size <= 0) {
    return UnavailableError(container.id + " says nothing");
  }
  line.resize(static_cast<size_t>(size));
  return line;
}

Result<std::string> Stage::CriInfoOf(const Container& container) {
  ASSIGN_OR_RETURN(const agent::Container found, rig_.runtime().Find(container.id, Enough()));
  ASSIGN_OR_RETURN(
      const std::string spec,
      RealFileSystem().Read(rig_.directory() / (container.id + "/config.json"), kLargestSpec));
  return fmt::format(R"({{"pid":{},"runtimeSpec":{}}})", found.pid, spec);
}

agent::CaptureOrder Stage::OrderOf(const std::string& id) const {
  agent::CaptureOrder order{.checkpoint_id = id, .pod_namespace = "bench"};
  order.settings.manage_cgroups = "ignore";
  order.if_there = snapshot::IfThere::kReplace;
  return order;
}

agent::CaptureServices Stage::CaptureParts() {
  return {.runtime = rig_.runtime(),
          .files = RealFileSystem(),
          .clock = RealClock(),
          .criu = criu_,
          .storage = storage_,
          .journal_directory = directory_ + "/journal"};
}

Result<agent::Captured> Stage::Capture(const std::string& container, const std::string& id) {
  return agent::Capture(CaptureParts(), container, OrderOf(id), Enough());
}

Result<agent::RestoredContainer> Stage::Restore(const std::string& container,
                                                const std::string& id) {
  return agent::Restore({.runtime = rig_.runtime(),
                         .files = RealFileSystem(),
                         .clock = RealClock(),
                         .nsrestore = programs_.nsrestore,
                         .bundle = programs_.criu,
                         .storage = storage_,
                         .journal_directory = directory_ + "/journal"},
                        container, {.checkpoint_id = id, .pod_namespace = "bench"}, Enough());
}

Result<Stage::BareDump> Stage::DumpBare(const std::string& container) {
  const agent::CaptureServices parts = CaptureParts();
  ASSIGN_OR_RETURN(agent::CaptureFacts facts,
                   agent::GatherFacts(rig_.runtime(), parts.places, container, Enough()));
  ASSIGN_OR_RETURN(const agent::CapturePlan plan,
                   agent::PlanCapture(facts, OrderOf("bare"), {}, RealClock().WallNow()));
  const std::string images = directory_ + "/bare";
  fs::remove_all(images);
  fs::create_directories(images);
  const ProcessSpec spec{.argv = bench::BareDump(plan.request, criu_, images)};
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(const ProcessOutcome done, RealProcessRunner().Run(spec, Enough()));
  BareDump took{.dumped = SecondsSince(begin)};
  if (!done.ok()) {
    return InternalError(fmt::format("bare dump: {}", done.errors));
  }
  RETURN_IF_ERROR(ForEachFile(images, SyncFile));
  took.durable = SecondsSince(begin);
  fs::remove_all(images);
  return took;
}

Result<double> Stage::RestoreBare(const std::string& container, const std::string& id) {
  ASSIGN_OR_RETURN(const agent::Container found, rig_.runtime().Find(container, Enough()));
  const ProcessSpec spec{
      .argv = {programs_.bare_restore, std::to_string(found.pid), ArtifactOf(id), programs_.criu}};
  ASSIGN_OR_RETURN(const ProcessOutcome done, RealProcessRunner().Run(spec, Enough()));
  double seconds = 0;
  const std::string_view text = Trim(done.output);
  if (!done.ok() ||
      std::from_chars(text.data(), text.data() + text.size(), seconds).ec != std::errc()) {
    const size_t most = 2000;
    return InternalError(
        fmt::format("bare restore: {}",
                    done.errors.substr(done.errors.size() > most ? done.errors.size() - most : 0)));
  }
  return seconds;
}

Result<std::string> Stage::LargestFileOf(const std::string& id) const {
  std::string largest;
  uintmax_t most = 0;
  for (const auto& entry : fs::directory_iterator(ArtifactOf(id))) {
    if (entry.file_size() >= most) {
      most = entry.file_size();
      largest = entry.path();
    }
  }
  return largest;
}

void Stage::Remove(const std::string& id) const { fs::remove_all(ArtifactOf(id)); }

Status Stage::Forget(const std::string& id) const {
  return ForEachFile(ArtifactOf(id), [](int fd, const std::string& name) {
    RETURN_IF_ERROR(SyncFile(fd, name));  // what is not on the disk stays in memory
    const int failed = ::posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    return failed == 0 ? Status::Ok() : Status::FromErrno(failed, name);
  });
}

Status Stage::BringIn(const std::string& id) const {
  std::string buffer(kReadAtOnce, '\0');
  return ForEachFile(ArtifactOf(id), [&](int fd, const std::string& name) {
    ssize_t got = 0;
    while ((got = ::read(fd, buffer.data(), buffer.size())) > 0) {
    }
    return got == 0 ? Status::Ok() : Status::FromErrno(errno, name);
  });
}

}  // namespace hearth::bench
