#include "base/internal/spawn.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "base/internal/pidfd.h"
#include "base/strings.h"

namespace hearth::internal {
namespace {

constexpr std::string_view kDefaultPath = "/usr/local/bin:/usr/bin:/bin";

// What the child failed at before the program ran; it tells over a pipe that closes by itself when
// the program starts.
enum class Stage { kDirectory, kProgram, kSetup };
struct ChildFailure {
  Stage stage;
  int error;
};

// Everything that the child needs, made before it is there: in our memory, beside threads that run
// on, it may neither allocate nor lock nor change anything that is not its own.
struct Plan {
  std::string program;
  std::vector<std::string> environment;
  std::vector<char*> argv;
  std::vector<char*> envp;
  const char* directory = nullptr;  // null: ours
  std::array<int, 3> stdio{};
  std::vector<int> inherited;
  int error_fd = -1;
  pid_t parent = 0;
};

std::vector<char*> Pointers(const std::vector<std::string>& strings) {
  std::vector<char*> pointers;
  pointers.reserve(strings.size() + 1);
  for (const std::string& string : strings) {
    pointers.push_back(const_cast<char*>(string.c_str()));
  }
  pointers.push_back(nullptr);
  return pointers;
}

using Environment = std::map<std::string, std::string>;

Environment Inherited() {
  Environment all;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const size_t equals = text.find('=');
    if (equals != std::string_view::npos) {
      all.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
  }
  return all;
}

bool HasNul(const std::string& text) { return text.find('\0') != std::string::npos; }

Status CheckSpec(const SpawnSpec& spec) {
  if (spec.argv.empty() || spec.argv[0].empty()) {
    return InvalidError("run: no program named");
  }
  for (const std::string& argument : spec.argv) {
    if (HasNul(argument)) {
      return InvalidError("run " + Excerpt(spec.argv[0], 80) + ": an argument holds a NUL byte");
    }
  }
  for (const auto& [name, value] : spec.env) {
    if (name.empty() || name.find('=') != std::string::npos || HasNul(name) || HasNul(value)) {
      return InvalidError("run " + spec.argv[0] + ": bad environment variable '" +
                          Excerpt(name, 80) + "'");
    }
  }
  return {};
}

Environment EnvironmentOf(const SpawnSpec& spec) {
  Environment all = spec.clear_env ? Environment() : Inherited();
  for (const auto& [name, value] : spec.env) {
    all.insert_or_assign(name, value);
  }
  return all;
}

std::string SearchPath(const Environment& environment) {
  const auto given = environment.find("PATH");
  if (given != environment.end()) {
    return given->second;
  }
  const char* ours = std::getenv("PATH");
  return ours != nullptr ? ours : std::string(kDefaultPath);
}

// 0 when it is a program that we may run, otherwise why not.
int RunnableError(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return errno;
  }
  if (!S_ISREG(info.st_mode)) {
    return EACCES;
  }
  return ::access(path.c_str(), X_OK) == 0 ? 0 : errno;
}

Result<std::string> FindProgram(const std::string& name, const Environment& environment) {
  if (name.find('/') != std::string::npos) {
    return name;
  }
  const std::string path = SearchPath(environment);
  bool forbidden = false;
  for (std::string_view directory : Split(path, ':')) {
    std::string candidate = (directory.empty() ? "." : std::string(directory)) + "/" + name;
    const int error = RunnableError(candidate);
    if (error == 0) {
      return candidate;
    }
    forbidden = forbidden || error == EACCES;
  }
  if (forbidden) {
    return Status(Code::kPermissionDenied, "run " + name + ": found in PATH but not executable");
  }
  return NotFoundError("run " + name + ": no such program in PATH (" + path + ")");
}

Result<Plan> MakePlan(const SpawnSpec& spec) {
  RETURN_IF_ERROR(CheckSpec(spec));
  const Environment environment = EnvironmentOf(spec);
  Plan plan;
  ASSIGN_OR_RETURN(plan.program, FindProgram(spec.argv[0], environment));
  for (const auto& [name, value] : environment) {
    plan.environment.push_back(name + "=" + value);
  }
  plan.argv = Pointers(spec.argv);
  plan.envp = Pointers(plan.environment);
  plan.directory = spec.directory.empty() ? nullptr : spec.directory.c_str();
  plan.stdio = {spec.input_fd, spec.output_fd, spec.errors_fd};
  plan.inherited = spec.inherited_fds;
  plan.parent = ::getpid();
  return plan;
}

// ---- The child, until its program starts: calls that are safe after a signal only. ----

[[noreturn]] void FailChild(int error_fd, Stage stage) {
  const ChildFailure failure{stage, errno};
  [[maybe_unused]] ssize_t written = ::write(error_fd, &failure, sizeof failure);
  ::_exit(127);
}

void ResetSignals() {
  struct sigaction action {};
  action.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) {
    ::sigaction(signal, &action, nullptr);  // fails for the few that cannot be changed
  }
  sigset_t none;
  sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
}

// First all out of the way of 0, 1 and 2, so that none is overwritten before its turn.
bool PlaceStdio(std::array<int, 3> stdio) {
  for (int& fd : stdio) {
    fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
  }
  for (int target = 0; target < 3; ++target) {
    if (stdio[target] < 0 || ::dup2(stdio[target], target) < 0) {
      return false;
    }
  }
  return true;
}

[[noreturn]] void RunChild(const Plan& plan) {
  const int error_fd = ::fcntl(plan.error_fd, F_DUPFD_CLOEXEC, 3);
  if (error_fd < 0) {
    FailChild(plan.error_fd, Stage::kSetup);
  }
  if (::setpgid(0, 0) != 0 || ::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || !PlaceStdio(plan.stdio)) {
    FailChild(error_fd, Stage::kSetup);
  }
  if (::getppid() != plan.parent) {
    ::_exit(127);  // the parent went before the kernel was told to watch it
  }
  // Ours are closed on exec anyway; this is for those that a library forgot. Old kernels do
  // without.
  ::close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  for (const int fd : plan.inherited) {
    if (::fcntl(fd, F_SETFD, 0) != 0) {
      FailChild(error_fd, Stage::kSetup);
    }
  }
  if (plan.directory != nullptr && ::chdir(plan.directory) != 0) {
    FailChild(error_fd, Stage::kDirectory);
  }
  ResetSignals();
  ::execve(plan.program.c_str(), plan.argv.data(), plan.envp.data());
  FailChild(error_fd, Stage::kProgram);
}

// ---- The parent. ----

// Who started us may have ignored SIGCHLD, which we inherit; the kernel would then throw away how
// our children end.
void KeepChildren() {
  struct sigaction action {};
  if (::sigaction(SIGCHLD, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
    action.sa_handler = SIG_DFL;
    ::sigaction(SIGCHLD, &action, nullptr);
  }
}

// With all signals blocked: a handler of ours must not run in the child. Until the program starts
// the child has our memory and this thread waits: a copy would cost a page table, and a fault for
// each page that we write to afterwards.
pid_t Fork(const Plan& plan) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  const pid_t pid = ::vfork();
  if (pid == 0) {
    RunChild(plan);
  }
  const int error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return pid;
}

std::optional<ChildFailure> ReadFailure(const UniqueFd& pipe) {
  ChildFailure failure{};
  ssize_t got = 0;
  do {
    got = ::read(pipe.get(), &failure, sizeof failure);
  } while (got < 0 && errno == EINTR);
  return got == sizeof failure ? std::optional(failure) : std::nullopt;
}

Status ToStatus(const ChildFailure& failure, const SpawnSpec& spec) {
  const std::string what = "run " + spec.argv[0];
  switch (failure.stage) {
    case Stage::kDirectory:
      return Status::FromErrno(failure.error, what + ": enter directory " + spec.directory);
    case Stage::kProgram:
      return Status::FromErrno(failure.error, what);
    case Stage::kSetup:
      break;
  }
  return Status::FromErrno(failure.error, what + ": prepare the process");
}

}  // namespace

Result<Spawned> Spawn(const SpawnSpec& spec) {
  ASSIGN_OR_RETURN(Plan plan, MakePlan(spec));
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Status::FromErrno(errno, "run " + spec.argv[0] + ": make a pipe");
  }
  UniqueFd failures(ends[0]);
  UniqueFd error_fd(ends[1]);
  plan.error_fd = error_fd.get();

  KeepChildren();
  Spawned child;
  child.pid = Fork(plan);
  if (child.pid < 0) {
    return Status::FromErrno(errno, "run " + spec.argv[0] + ": fork");
  }
  error_fd.reset();
  child.pidfd.reset(PidfdOpen(child.pid));
  const int pidfd_error = child.pidfd.valid() ? 0 : errno;
  const std::optional<ChildFailure> failure = ReadFailure(failures);
  if (failure.has_value() || pidfd_error != 0) {
    KillGroup(child);
    Reap(child);
    return failure ? ToStatus(*failure, spec)
                   : Status::FromErrno(pidfd_error, "run " + spec.argv[0] + ": watch it");
  }
  return child;
}

void KillGroup(const Spawned& child) { ::kill(-child.pid, SIGKILL); }

ProcessOutcome Reap(Spawned& child) {
  siginfo_t info{};
  int waited = -1;
  do {
    waited = ::waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED);
  } while (waited != 0 && errno == EINTR);
  CHECK(waited == 0) << "a child of ours was waited for by somebody else";
  child = Spawned();
  ProcessOutcome outcome;
  (info.si_code == CLD_EXITED ? outcome.exit_code : outcome.signal) = info.si_status;
  return outcome;
}

}  // namespace hearth::internal
