#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/criu/request.h"
#include "base/process_runner.h"
#include "base/result.h"
#include "base/unique_fd.h"
#include "base/wait_limit.h"

namespace hearth::agent::criu {

// How CRIU is started: program and first arguments.
struct Program {
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> env;  // beside ours
};
// Of a directory as tools/criu makes it, with loader and libraries of its own, or of a plain
// executable. The latter writes a title over its environment when it begins to work: who looks for
// it by a variable there (EndMarked) finds only what it has started.
Result<Program> FindProgram(const std::string& path);

// What CRIU says while it works. The descriptor is of the notice "orphan-pts-master" only.
struct Notice {
  std::string_view script;
  int pid = 0;
  int fd = -1;
};
// Called before CRIU goes on; an error makes it stop there and undo what it did.
using OnNotice = std::function<Status(const Notice& notice)>;

inline constexpr std::string_view kCriuFailed = "CriuFailed";

// A CRIU process of our own that serves one capture or one restore over a socket, in the mode that
// it has for that. It dies with us or with the object; a capture that was cut short may leave its
// target stopped, so whoever cuts it deals with the target. Not thread-safe.
class Worker {
 public:
  // `inherited`: descriptors that requests speak of by number. What CRIU prints beside its log goes
  // to `log_path`; nowhere when empty.
  static Result<Worker> Start(const Program& program, const std::vector<int>& inherited = {},
                              const std::string& log_path = "");

  // Of the CRIU that runs. May be asked before anything else.
  Result<Version> AskVersion(const WaitLimit& limit);

  // Each at most once, and then nothing more: CRIU ends. kInternal with the reason kCriuFailed and
  // CRIU's words when it could not; why is in its log. kUnavailable when it died. kDeadlineExceeded
  // or kCancelled: it was killed.
  Status Dump(const DumpRequest& request, const OnNotice& on_notice, const WaitLimit& limit);
  // The pid of the first process that was restored, in the pid namespace that CRIU ran in.
  Result<int> Restore(const RestoreRequest& request, const OnNotice& on_notice,
                      const WaitLimit& limit);

  int pid() const { return process_.pid(); }

 private:
  Worker(ChildProcess process, UniqueFd alive, UniqueFd socket)
      : process_(std::move(process)), alive_(std::move(alive)), socket_(std::move(socket)) {}
  Status Send(const std::string& bytes);
  struct Received {
    Answer answer;
    UniqueFd fd;
  };
  Result<Received> Receive(const WaitLimit& limit);
  // Sends, then answers notices until the answer itself is there.
  Result<Answer> Ask(const std::string& bytes, const OnNotice& on_notice, const WaitLimit& limit);
  Status Died();

  ChildProcess process_;
  UniqueFd alive_;  // its pidfd: what it started has the socket, too, and may outlive it
  UniqueFd socket_;
};

}  // namespace hearth::agent::criu
