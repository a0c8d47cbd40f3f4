#include "base/internal/line_writer.h"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <csignal>
#include <ctime>
#include <string>

#include "base/internal/log_line.h"

namespace hearth::internal {
namespace {

bool HasRoom(int fd, Duration patience) {
  pollfd wanted{fd, POLLOUT, 0};
  const auto longest = std::chrono::duration_cast<std::chrono::milliseconds>(patience).count();
  return ::poll(&wanted, 1, static_cast<int>(longest)) > 0;
}

// As write(2), but a reader that is gone is an error and never the signal that ends the program.
// Without touching what the program does with that signal elsewhere.
ssize_t WriteWithoutSignal(int fd, std::string_view bytes) {
  sigset_t broken_pipe;
  sigset_t pending;
  sigset_t before;
  sigemptyset(&broken_pipe);
  sigaddset(&broken_pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &broken_pipe, &before);
  const ssize_t written = ::write(fd, bytes.data(), bytes.size());
  const int error = errno;
  if (written < 0 && error == EPIPE && sigismember(&pending, SIGPIPE) == 0) {
    const timespec now{};
    (void)sigtimedwait(&broken_pipe, nullptr, &now);  // ours, and it was sent to this thread
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = error;
  return written;
}

// In the format of the line that it goes before.
std::string LostNotice(uint64_t lost, std::string_view before) {
  const LogFormat format = before.starts_with('{') ? LogFormat::kJson : LogFormat::kText;
  std::string fields;
  AppendLogField(format, {"lines", lost}, fields);
  return LogLine(format, std::chrono::system_clock::now(), LogLevel::kWarning,
                 "log lines were lost, nobody read them", fields);
}

}  // namespace

void LineWriter::Write(std::string_view line) {
  const bool stalled = lost_ > 0;
  if (stalled) {
    const std::string notice = (in_line_ ? "\n" : "") + LostNotice(lost_, line);
    if (!WriteWhole(notice, Duration::zero())) {
      ++lost_;
      return;
    }
    lost_ = 0;
  }
  if (!WriteWhole(line, stalled ? Duration::zero() : kMoment)) {
    ++lost_;
  }
}

bool LineWriter::WriteWhole(std::string_view line, Duration patience) {
  for (size_t done = 0; done < line.size();) {
    // Room in a pipe is room for as much as is written in one piece.
    if (!HasRoom(fd_, patience)) {
      in_line_ = in_line_ || done > 0;
      return false;
    }
    const std::string_view piece = line.substr(done, PIPE_BUF);
    const ssize_t written = WriteWithoutSignal(fd_, piece);
    if (written < 0 && errno != EINTR && errno != EAGAIN) {
      in_line_ = in_line_ || done > 0;
      return false;
    }
    done += static_cast<size_t>(std::max<ssize_t>(written, 0));
  }
  in_line_ = false;
  return true;
}

}  // namespace hearth::internal
