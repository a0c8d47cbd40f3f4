#include <benchmark/benchmark.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/check.h"
#include "gms/failover/failover_lock.h"

// From the SIGKILL of the holder to the standby having the lock: ours, and beside it a process that
// does nothing but block in flock, which is what the kernel allows.
namespace hearth::gms {
namespace {

double Now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

using Take = void (*)(const std::string& path);

void TakeBare(const std::string& path) {
  int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  CHECK(fd >= 0 && ::flock(fd, LOCK_EX) == 0);
}

void TakeOurs(const std::string& path) {
  // Kept until the process ends.
  auto* lock = new FailoverLock(path, "engine-1", Logger::Null());
  CHECK(lock->Acquire(WaitLimit::Forever()).ok());
}

// A process that takes the lock, says when, and stays.
class Contender {
 public:
  Contender(Take take, const std::string& path) {
    int ends[2];
    CHECK(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::close(ends[0]);
      take(path);
      double taken = Now();
      CHECK(::send(ends[1], &taken, sizeof(taken), 0) == sizeof(taken));
      for (;;) {
        ::pause();
      }
    }
    ::close(ends[1]);
    line_ = ends[0];
  }
  ~Contender() {
    Kill();
    ::waitpid(pid_, nullptr, 0);
    ::close(line_);
  }
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;

  double TakenAt() const {
    double taken = 0;
    CHECK(::recv(line_, &taken, sizeof(taken), 0) == sizeof(taken));
    return taken;
  }
  void Kill() const { ::kill(pid_, SIGKILL); }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
  int line_;
};

// "2: -> FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF"
bool Waits(pid_t pid) {
  std::ifstream locks("/proc/locks");
  std::string wanted = " " + std::to_string(pid) + " ";
  for (std::string line; std::getline(locks, line);) {
    if (line.find("->") != std::string::npos && line.find(wanted) != std::string::npos) {
      return true;
    }
  }
  return false;
}

void KillToOwned(benchmark::State& state, Take take) {
  std::string directory = (std::filesystem::temp_directory_path() / "failover-bench-XXXXXX");
  CHECK(::mkdtemp(directory.data()) != nullptr);
  std::string path = directory + "/lock";
  for (auto _ : state) {
    Contender holder(take, path);
    holder.TakenAt();
    Contender standby(take, path);
    while (!Waits(standby.pid())) {
      ::sched_yield();
    }
    double killed = Now();
    holder.Kill();
    state.SetIterationTime(standby.TakenAt() - killed);
  }
  std::filesystem::remove_all(directory);
}

void BM_KillToOwnedBareFlock(benchmark::State& state) { KillToOwned(state, &TakeBare); }
void BM_KillToOwnedFailoverLock(benchmark::State& state) { KillToOwned(state, &TakeOurs); }
BENCHMARK(BM_KillToOwnedBareFlock)->UseManualTime()->Unit(benchmark::kMicrosecond);
BENCHMARK(BM_KillToOwnedFailoverLock)->UseManualTime()->Unit(benchmark::kMicrosecond);

void BM_AcquireFreeLock(benchmark::State& state) {
  std::string directory = (std::filesystem::temp_directory_path() / "failover-bench-XXXXXX");
  CHECK(::mkdtemp(directory.data()) != nullptr);
  {
    FailoverLock lock(directory + "/lock", "engine-0", Logger::Null());
    for (auto _ : state) {
      CHECK(lock.Acquire(WaitLimit::Forever()).ok());
      lock.Release();
    }
  }
  std::filesystem::remove_all(directory);
}
BENCHMARK(BM_AcquireFreeLock)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace hearth::gms
