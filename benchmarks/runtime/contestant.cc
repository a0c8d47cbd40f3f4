#include "contestant.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>

#include "base/strings.h"
#include "json/parse.h"

namespace hearth::bench {
namespace {

constexpr auto kGrace = std::chrono::seconds(5);

struct Pipe {
  UniqueFd read;
  UniqueFd write;
  static Result<Pipe> Make() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) {
      return Status::FromErrno(errno, "pipe");
    }
    return Pipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
  }
};

std::string EndOfFile(const std::string& path) {
  std::ifstream file(path);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  constexpr size_t kShown = 500;
  return Excerpt(Trim(text.size() > kShown ? text.substr(text.size() - kShown) : text), kShown);
}

// True once it has ended and was reaped.
bool AwaitEnd(int pid, Duration timeout) {
  const SteadyTime deadline = RealClock().Now() + timeout;
  do {
    if (::waitpid(pid, nullptr, WNOHANG) != 0) {
      return true;
    }
    SleepFor(RealClock(), std::chrono::milliseconds(2), {});
  } while (RealClock().Now() < deadline);
  return false;
}

}  // namespace

Result<std::unique_ptr<RunningContestant>> RunningContestant::Start(const Contestant& contestant,
                                                                    const Spec& spec) {
  std::unique_ptr<RunningContestant> running(new RunningContestant);
  running->name_ = contestant.name;
  running->log_path_ = spec.log_path;
  std::vector<std::string> argv = contestant.command;
  for (const std::string& word :
       {"--kubeconfig=" + spec.kubeconfig, "--namespace=" + spec.name_space,
        fmt::format("--workers={}", spec.workers)}) {
    argv.push_back(word);
  }
  RETURN_IF_ERROR(running->Spawn(argv));
  return running;
}

Status RunningContestant::Spawn(const std::vector<std::string>& argv) {
  ASSIGN_OR_RETURN(Pipe input, Pipe::Make());
  ASSIGN_OR_RETURN(Pipe output, Pipe::Make());
  std::vector<char*> words;
  std::transform(argv.begin(), argv.end(), std::back_inserter(words),
                 [](const std::string& word) { return const_cast<char*>(word.c_str()); });
  words.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.read.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, output.write.get(), STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log_path_.c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0644);
  started_ = RealClock().Now();
  const int error = ::posix_spawn(&pid_, words[0], &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    pid_ = -1;
    return Status::FromErrno(error, "cannot start " + argv[0]);
  }
  input_ = std::move(input.write);
  output_ = std::move(output.read);
  return {};
}

RunningContestant::~RunningContestant() {
  if (pid_ < 0) {
    return;
  }
  Thaw();
  input_.reset();  // the end of its stdin tells it to go
  if (!AwaitEnd(pid_, kGrace)) {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
}

Status RunningContestant::Failed(const std::string& what) const {
  return UnavailableError(
      fmt::format("{} {}; the end of its stderr: {}", name_, what, EndOfFile(log_path_)));
}

Result<std::string> RunningContestant::ReadLine(SteadyTime deadline) {
  while (true) {
    if (const size_t end = buffer_.find('\n'); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - RealClock().Now()).count();
    pollfd ready{output_.get(), POLLIN, 0};
    if (left <= 0 || ::poll(&ready, 1, static_cast<int>(left)) == 0) {
      return Failed("did not answer in time");
    }
    char bytes[4096];
    const ssize_t count = ::read(output_.get(), bytes, sizeof bytes);
    if (count <= 0) {
      return Failed("ended unasked");
    }
    buffer_.append(bytes, static_cast<size_t>(count));
  }
}

Result<json::Blob> RunningContestant::Await(const std::string& event, Duration timeout) {
  ASSIGN_OR_RETURN(const std::string line, ReadLine(RealClock().Now() + timeout));
  last_line_seconds_ = std::chrono::duration<double>(RealClock().Now() - started_).count();
  auto parsed = json::Parse(line);
  if (!parsed.ok() || !parsed->view()["event"].Equals(event)) {
    return Failed(fmt::format("should have said \"{}\" but said {}", event, Excerpt(line, 200)));
  }
  return parsed;
}

Result<json::Blob> RunningContestant::Ask(const std::string& command, Duration timeout) {
  const std::string line = command + "\n";
  if (::write(input_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
    return Failed("does not take commands");
  }
  return Await(command.substr(0, command.find(' ')), timeout);
}

Result<Memory> RunningContestant::ReadMemory() const {
  auto memory = MemoryOf(pid_);
  return memory.ok() ? memory : Failed(std::string(memory.status().message()));
}

Result<double> RunningContestant::CpuSeconds() const {
  auto seconds = CpuSecondsOf(pid_);
  return seconds.ok() ? seconds : Failed(std::string(seconds.status().message()));
}

void RunningContestant::Freeze() const { ::kill(pid_, SIGSTOP); }
void RunningContestant::Thaw() const { ::kill(pid_, SIGCONT); }

}  // namespace hearth::bench
