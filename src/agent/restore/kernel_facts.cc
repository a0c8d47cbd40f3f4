#include "agent/restore/kernel_facts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <span>
#include <utility>
#include <vector>

#include "agent/criu/worker.h"
#include "base/file_system.h"
#include "base/limited_poll.h"
#include "base/parent_tie.h"
#include "base/strings.h"
#include "base/unique_fd.h"

namespace hearth::agent {
namespace {

constexpr const char* kRun = "/run";
constexpr const char* kFile = "/run/criu.kdat";
constexpr uint64_t kLargest = 1 << 20;
constexpr std::string_view kNameStart = "criu-";
constexpr std::string_view kNameEnd = ".kdat";

int ExitCodeOf(pid_t child) {
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// In a process of its own: asks CRIU, in a copy of our mounts with an empty /run, and copies what
// it keeps there.
[[noreturn]] void Probe(std::vector<char*> argv, int to) {
  ::setpgid(0, 0);
  if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) ||
      ::mount("run", kRun, "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC, "mode=0700") != 0) {
    ::_exit(1);
  }
  auto tie = ParentTie::Make();
  const pid_t criu = tie.ok() ? ::fork() : -1;
  if (criu == 0) {
    if (!tie->Hold()) {
      ::_exit(1);
    }
    const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
      ::dup2(nothing, fd);
    }
    ::execv(argv.front(), argv.data());
    ::_exit(1);
  }
  if (criu < 0) {
    ::_exit(1);
  }
  tie->Confirm();
  static_cast<void>(ExitCodeOf(criu));  // whether the kernel has what it was asked for
  const int from = ::open(kFile, O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (from < 0 || ::fstat(from, &info) != 0) {
    ::_exit(1);
  }
  const ssize_t copied = ::sendfile(to, from, nullptr, static_cast<size_t>(info.st_size));
  ::_exit(copied == info.st_size && copied > 0 ? 0 : 1);
}

// Killed with all that it has started when the limit is over.
int ExitCodeWithin(pid_t child, const WaitLimit& limit) {
  const UniqueFd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, child, 0)));
  auto poll = LimitedPoll::Make(limit);
  pollfd ended{pidfd.get(), POLLIN, 0};
  if (!pidfd.valid() || !poll.ok() || !poll->Wait(std::span(&ended, 1), "CRIU").ok()) {
    ::kill(-child, SIGKILL);
    ::kill(child, SIGKILL);  // it may not have made a group of its own yet
  }
  return ExitCodeOf(child);
}

std::string AskCriu(const std::string& bundle, const WaitLimit& limit) {
  const auto program = criu::FindProgram(bundle);
  const UniqueFd facts(::memfd_create("kernel-facts", MFD_CLOEXEC));
  if (!program.ok() || !facts.valid()) {
    return "";
  }
  // Any question will do.
  std::vector<std::string> words = program->argv;
  words.insert(words.end(), {"check", "--feature", "mem_dirty_track"});
  std::vector<char*> argv;
  argv.reserve(words.size() + 1);
  for (std::string& word : words) {
    argv.push_back(word.data());
  }
  argv.push_back(nullptr);
  auto tie = ParentTie::Make();
  const pid_t child = tie.ok() ? ::fork() : -1;
  if (child == 0) {
    if (!tie->Hold()) {
      ::_exit(1);
    }
    Probe(std::move(argv), facts.get());
  }
  if (child > 0) {
    tie->Confirm();
  }
  struct stat info {};
  if (child < 0 || ExitCodeWithin(child, limit) != 0 || ::fstat(facts.get(), &info) != 0 ||
      info.st_size <= 0) {
    return "";
  }
  std::string bytes(static_cast<size_t>(info.st_size), '\0');
  return ::pread(facts.get(), bytes.data(), bytes.size(), 0) == info.st_size ? bytes : "";
}

Result<std::string> BootId() {
  ASSIGN_OR_RETURN(const std::string text,
                   RealFileSystem().Read("/proc/sys/kernel/random/boot_id", 100));
  return std::string(Trim(text));
}

// Where the directory is not in memory they would gather.
void RemoveThoseOfEarlierBoots(const std::string& directory) {
  const auto boot = BootId();
  const auto names = RealFileSystem().List(directory);
  if (!boot.ok() || !names.ok()) {
    return;
  }
  const std::string ours = fmt::format("{}{}-", kNameStart, *boot);
  for (const std::string& name : *names) {
    if (name.starts_with(kNameStart) && name.find(kNameEnd) != std::string::npos &&
        !name.starts_with(ours)) {
      static_cast<void>(RealFileSystem().Remove(directory + "/" + name));
    }
  }
}

// Kept for the next one; who does not find it asks again.
void Keep(const std::string& path, const std::string& facts) {
  FileSystem& files = RealFileSystem();
  const std::string staged = fmt::format("{}.{}", path, ::getpid());
  const std::string directory = path.substr(0, path.rfind('/'));
  static_cast<void>(files.MakeDirectories(directory, 0700));
  RemoveThoseOfEarlierBoots(directory);
  if (files.Write(staged, facts, 0600).ok() && files.Rename(staged, path).ok()) {
    return;
  }
  static_cast<void>(files.Remove(staged));
}

}  // namespace

std::string KernelFactsPath(const std::string& directory, const std::string& bundle) {
  const auto boot = BootId();
  struct stat criu {};
  if (!boot.ok() || ::stat((bundle + "/libexec/criu").c_str(), &criu) != 0) {
    return "";
  }
  return fmt::format("{}/{}{}-{}-{}-{}.{:09}{}", directory, kNameStart, *boot, criu.st_ino,
                     criu.st_size, criu.st_ctim.tv_sec, criu.st_ctim.tv_nsec, kNameEnd);
}

std::string ReadKernelFacts(const std::string& path, const std::string& bundle,
                            const WaitLimit& limit) {
  if (path.empty()) {
    return "";
  }
  struct stat info {};
  const bool ours = ::lstat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
                    info.st_uid == 0 && (info.st_mode & 077U) == 0;
  if (ours) {
    return RealFileSystem().Read(path, kLargest).value_or("");
  }
  std::string facts = AskCriu(bundle, limit);
  if (!facts.empty()) {
    Keep(path, facts);
  }
  return facts;
}

Status GiveKernelFacts(const std::string& facts) {
  return facts.empty() ? Status::Ok() : RealFileSystem().Write(kFile, facts, 0600);
}

}  // namespace hearth::agent
