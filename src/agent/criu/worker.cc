#include "agent/criu/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/limited_poll.h"

namespace hearth::agent::criu {
namespace {

// Answers are short; this is far above any.
constexpr size_t kLongestAnswer = 64 << 10;
// How long a CRIU whose socket has ended may take to end itself.
constexpr Duration kGrace = std::chrono::seconds(2);

// It refused, or gave up and undid what it had begun.
Status Failed(std::string message) {
  return Status(Code::kInternal, std::string(kCriuFailed), std::move(message));
}

bool IsExecutable(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

Result<std::pair<UniqueFd, UniqueFd>> SocketPair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return Status::FromErrno(errno, "socketpair for CRIU");
  }
  return std::pair(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

UniqueFd FdOf(const msghdr& message) {
  const cmsghdr* const control = CMSG_FIRSTHDR(&message);
  if (control == nullptr || control->cmsg_level != SOL_SOCKET || control->cmsg_type != SCM_RIGHTS) {
    return UniqueFd();
  }
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(control), sizeof(fd));
  return UniqueFd(fd);
}

std::string Words(const Answer& answer) {
  if (!answer.message.empty()) {
    return answer.message;
  }
  return answer.error != 0 ? std::strerror(answer.error) : "the reason is in its log";
}

}  // namespace

Result<Program> FindProgram(const std::string& path) {
  const std::string loader = path + "/lib/loader.so";
  const std::string own = path + "/libexec/criu";
  if (IsExecutable(loader) && IsExecutable(own)) {
    // CRIU writes a title over its arguments and, when they follow without a gap, over its
    // environment, which has the mark that a CRIU left alive is found by (setproctitle of libbsd
    // fills both with zeros). An argv[0] apart from the other arguments is all it has room for.
    return Program{{loader, "--argv0", "criu", "--library-path", path + "/lib", own}, {}};
  }
  for (const std::string& candidate : {path, path + "/criu"}) {
    if (IsExecutable(candidate)) {
      return Program{{candidate}, {}};
    }
  }
  return NotFoundError(fmt::format(
      "there is no CRIU at {}: it is an executable, or a directory as tools/criu makes it", path));
}

Result<Worker> Worker::Start(const Program& program, const std::vector<int>& inherited,
                             const std::string& log_path) {
  ASSIGN_OR_RETURN(auto ends, SocketPair());
  std::vector<std::string> argv = program.argv;
  // Its end of the socket is its standard input.
  argv.insert(argv.end(), {"swrk", "0"});
  ASSIGN_OR_RETURN(ChildProcess process, ChildProcess::Start({.argv = std::move(argv),
                                                              .env = program.env,
                                                              .log_path = log_path,
                                                              .input_fd = ends.second.get(),
                                                              .inherited_fds = inherited}));
  UniqueFd alive(static_cast<int>(::syscall(SYS_pidfd_open, process.pid(), 0)));
  if (!alive.valid()) {
    return Status::FromErrno(errno, "CRIU");
  }
  return Worker(std::move(process), std::move(alive), std::move(ends.first));
}

Status Worker::Send(const std::string& bytes) {
  if (::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) < 0) {
    return errno == EPIPE || errno == ECONNRESET ? Died() : Status::FromErrno(errno, "ask CRIU");
  }
  return Status::Ok();
}

Status Worker::Died() {
  const auto outcome = process_.Wait(WaitLimit::For(RealClock(), kGrace));
  if (!outcome.ok()) {
    return UnavailableError("CRIU hung up and runs on");
  }
  return UnavailableError(
      outcome->signal != 0
          ? fmt::format("CRIU was killed by signal {}", outcome->signal)
          : fmt::format("CRIU ended with {} before it answered", outcome->exit_code));
}

Result<Worker::Received> Worker::Receive(const WaitLimit& limit) {
  ASSIGN_OR_RETURN(LimitedPoll poll, LimitedPoll::Make(limit));
  std::array<pollfd, 2> awaited = {pollfd{socket_.get(), POLLIN, 0},
                                   pollfd{alive_.get(), POLLIN, 0}};
  RETURN_IF_ERROR(poll.Wait(awaited, "an answer of CRIU"));
  if (awaited[0].revents == 0) {
    return Died();
  }
  std::string bytes(kLongestAnswer, '\0');
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  iovec piece{bytes.data(), bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = control.data();
  message.msg_controllen = control.size();
  const ssize_t count = ::recvmsg(socket_.get(), &message, MSG_CMSG_CLOEXEC);
  if (count < 0) {
    return errno == ECONNRESET ? Died() : Status::FromErrno(errno, "hear from CRIU");
  }
  if (count == 0) {
    return Died();
  }
  Received received;
  received.fd = FdOf(message);
  if ((message.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0) {
    return Status(Code::kDataLoss, "CRIU said more than any answer needs");
  }
  ASSIGN_OR_RETURN(received.answer,
                   DecodeAnswer(std::string_view(bytes).substr(0, static_cast<size_t>(count))));
  return received;
}

Result<Answer> Worker::Ask(const std::string& bytes, const OnNotice& on_notice,
                           const WaitLimit& limit) {
  RETURN_IF_ERROR(Send(bytes));
  Status refused;
  while (true) {
    auto received = Receive(limit);
    if (!received.ok()) {
      process_.Stop(Duration::zero());
      return received.status();
    }
    Answer& answer = received->answer;
    if (answer.kind != Answer::Kind::kNotice) {
      RETURN_IF_ERROR(refused);
      return std::move(answer);
    }
    const Notice notice{answer.script, answer.pid, received->fd.get()};
    const Status status = on_notice ? on_notice(notice) : Status::Ok();
    if (!status.ok() && refused.ok()) {
      refused = status.WithContext(fmt::format("at CRIU's step {}", answer.script));
    }
    RETURN_IF_ERROR(Send(EncodeNoticeAnswer(status.ok())));
  }
}

Result<Version> Worker::AskVersion(const WaitLimit& limit) {
  ASSIGN_OR_RETURN(Answer answer, Ask(EncodeVersionRequest(), nullptr, limit));
  if (answer.kind != Answer::Kind::kVersion || !answer.success) {
    return Status(Code::kDataLoss, "CRIU did not tell its version");
  }
  if (answer.version.text.empty()) {
    answer.version.text = fmt::format("{}.{}", answer.version.major, answer.version.minor);
    if (answer.version.sublevel != 0) {
      answer.version.text += fmt::format(".{}", answer.version.sublevel);
    }
  }
  return answer.version;
}

Status Worker::Dump(const DumpRequest& request, const OnNotice& on_notice, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const std::string bytes, EncodeDump(request));
  ASSIGN_OR_RETURN(const Answer answer, Ask(bytes, on_notice, limit));
  if (answer.kind != Answer::Kind::kDump || !answer.success) {
    return Failed(fmt::format("CRIU could not capture process {}: {}", request.pid, Words(answer)));
  }
  return Status::Ok();
}

Result<int> Worker::Restore(const RestoreRequest& request, const OnNotice& on_notice,
                            const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const std::string bytes, EncodeRestore(request));
  ASSIGN_OR_RETURN(const Answer answer, Ask(bytes, on_notice, limit));
  if (answer.kind != Answer::Kind::kRestore || !answer.success || answer.pid <= 0) {
    return Failed(fmt::format("CRIU could not restore: {}", Words(answer)));
  }
  return answer.pid;
}

}  // namespace hearth::agent::criu
