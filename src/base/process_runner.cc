#include "base/process_runner.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/internal/spawn.h"
#include "base/limited_poll.h"
#include "base/strings.h"
#include "base/unique_fd.h"

namespace hearth {
namespace {

constexpr size_t kErrorExcerpt = 1024;
constexpr size_t kMaxPipe = 1 << 20;

// The input as a file in memory: unlike a pipe it needs nobody to feed it, and who does not read it
// does no harm.
Result<UniqueFd> MakeInput(const std::string& input) {
  UniqueFd fd(input.empty() ? ::open("/dev/null", O_RDONLY | O_CLOEXEC)
                            : ::memfd_create("stdin", MFD_CLOEXEC));
  if (!fd.valid()) {
    return Status::FromErrno(errno, "make standard input");
  }
  for (size_t at = 0; at < input.size();) {
    const ssize_t put =
        ::pwrite(fd.get(), input.data() + at, input.size() - at, static_cast<off_t>(at));
    if (put < 0 && errno != EINTR) {
      return Status::FromErrno(errno, "fill standard input");
    }
    at += put > 0 ? static_cast<size_t>(put) : 0;
  }
  return fd;
}

// One output of the process: the read end of a pipe and what came out of it.
class Stream {
 public:
  Stream(const char* name, uint64_t limit) : name_(name), limit_(limit) {}

  // The write end is returned, for the child.
  Result<UniqueFd> Open() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
      return Status::FromErrno(errno, "make a pipe");
    }
    fd_.reset(ends[0]);
    UniqueFd write_end(ends[1]);
    if (::fcntl(fd_.get(), F_SETFL, O_NONBLOCK) != 0) {
      return Status::FromErrno(errno, "make a pipe");
    }
    return write_end;
  }

  int fd() const { return fd_.get(); }  // -1 after its end
  std::string& text() { return text_; }

  // Takes what is there, without waiting for more. kExhausted when it is too much. Ends after as
  // much as a pipe can hold: who writes without end must not keep us from looking at the clock.
  Status Drain() {
    std::array<char, 16 << 10> buffer;
    for (size_t taken = 0; fd_.valid() && taken < kMaxPipe; taken += buffer.size()) {
      const ssize_t got = ::read(fd_.get(), buffer.data(), buffer.size());
      if (got < 0 && errno == EAGAIN) {
        break;
      }
      if (got == 0 || (got < 0 && errno != EINTR)) {
        fd_.reset();
      } else if (got > 0) {
        RETURN_IF_ERROR(Take(std::string_view(buffer.data(), static_cast<size_t>(got))));
      }
    }
    return {};
  }

 private:
  Status Take(std::string_view bytes) {
    const uint64_t room = limit_ - text_.size();
    text_.append(bytes.substr(0, room));
    if (bytes.size() > room) {
      return ExhaustedError("more than " + std::to_string(limit_) + " bytes on " + name_);
    }
    return {};
  }

  const char* name_;
  uint64_t limit_;
  UniqueFd fd_;
  std::string text_;
};

// One run of one program. Whatever happens, the child is gone and waited for at the end.
class Execution {
 public:
  explicit Execution(const ProcessSpec& spec)
      : what_(spec.argv.empty() ? "run" : "run " + spec.argv[0]),
        output_("stdout", spec.output_limit),
        errors_("stderr", spec.output_limit) {}
  Execution(const Execution&) = delete;
  Execution& operator=(const Execution&) = delete;
  ~Execution() {
    if (child_.pid > 0) {
      internal::KillGroup(child_);
      internal::Reap(child_);
    }
  }

  Status Start(const ProcessSpec& spec) {
    ASSIGN_OR_RETURN(UniqueFd input, MakeInput(spec.input));
    ASSIGN_OR_RETURN(UniqueFd output, output_.Open());
    ASSIGN_OR_RETURN(UniqueFd errors, errors_.Open());
    ASSIGN_OR_RETURN(child_, internal::Spawn({.argv = spec.argv,
                                              .env = spec.env,
                                              .clear_env = spec.clear_env,
                                              .directory = spec.directory,
                                              .input_fd = input.get(),
                                              .output_fd = output.get(),
                                              .errors_fd = errors.get()}));
    return {};
  }

  Result<ProcessOutcome> Finish(const WaitLimit& limit) {
    Status status = Attend(limit);
    if (!status.ok()) {
      return Told(status);
    }
    ProcessOutcome outcome = internal::Reap(child_);
    outcome.output = std::move(output_.text());
    outcome.errors = std::move(errors_.text());
    return outcome;
  }

 private:
  // Reads both outputs until the program ends. Does not wait for their end: a daemon that the
  // program left behind may hold them.
  Status Attend(const WaitLimit& limit) {
    ASSIGN_OR_RETURN(LimitedPoll poll, LimitedPoll::Make(limit));
    bool ended = false;
    while (!ended) {
      std::array<pollfd, 3> fds = {
          {{child_.pidfd.get(), POLLIN, 0}, {output_.fd(), POLLIN, 0}, {errors_.fd(), POLLIN, 0}}};
      RETURN_IF_ERROR(poll.Wait(fds, what_));
      // Asked before the outputs are read: what was written before the end is in them by then.
      ended = fds[0].revents != 0;
      RETURN_IF_ERROR(output_.Drain().WithContext(what_));
      RETURN_IF_ERROR(errors_.Drain().WithContext(what_));
    }
    return {};
  }

  // The failure together with what the program said about it.
  Status Told(const Status& status) {
    static_cast<void>(errors_.Drain());
    const std::string_view said = Trim(errors_.text());
    if (said.empty()) {
      return status;
    }
    // The end is where a program says what it was at.
    const size_t cut = said.size() > kErrorExcerpt ? said.size() - kErrorExcerpt : 0;
    return Status(status.code(), std::string(status.message()) +
                                     "; stderr: " + Excerpt(said.substr(cut), kErrorExcerpt));
  }

  std::string what_;
  internal::Spawned child_;
  Stream output_;
  Stream errors_;
};

class KernelProcessRunner : public ProcessRunner {
 public:
  Result<ProcessOutcome> Run(const ProcessSpec& spec, const WaitLimit& limit) override {
    Execution execution(spec);
    RETURN_IF_ERROR(execution.Start(spec));
    return execution.Finish(limit);
  }
};

}  // namespace

ProcessRunner& RealProcessRunner() {
  static auto* runner = new KernelProcessRunner;
  return *runner;
}

}  // namespace hearth
