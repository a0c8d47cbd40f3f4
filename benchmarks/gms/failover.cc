#include "failover.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/mman.h>

#include <cerrno>
#include <fstream>
#include <vector>

#include "base/testing/temp_directory.h"
#include "calls.h"
#include "gms/client/session.h"
#include "gms/failover/failover_lock.h"
#include "participant.h"

namespace hearth::bench {
namespace {

constexpr double kPatience = 10;  // seconds

Status TakeBare(const std::string& path) {
  // Kept until the process ends.
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  return fd >= 0 && ::flock(fd, LOCK_EX) == 0 ? Status() : Status::FromErrno(errno, "lock " + path);
}

Status TakeOurs(const std::string& path) {
  auto* const lock = new gms::FailoverLock(path, "engine-1", Logger::Null());
  return ToStatus(lock->Acquire(WaitLimit::Forever()));
}

Status Take(LockKind kind, const std::string& path) {
  return kind == LockKind::kOurs ? TakeOurs(path) : TakeBare(path);
}

// "2: -> FLOCK  ADVISORY  WRITE 4711 08:01:131 0 EOF"
bool Waits(pid_t pid) {
  std::ifstream locks("/proc/locks");
  const std::string wanted = " " + std::to_string(pid) + " ";
  for (std::string line; std::getline(locks, line);) {
    if (line.find("->") != std::string::npos && line.find(wanted) != std::string::npos) {
      return true;
    }
  }
  return false;
}

Status AwaitWaiting(const Participant& standby) {
  for (const double begin = Now(); !Waits(standby.pid()); ::sched_yield()) {
    if (Now() - begin > kPatience) {
      return DeadlineError("nobody waits for the lock");
    }
  }
  return {};
}

// Seconds from the SIGKILL of one until the other says that it is done.
Result<double> KillAndHear(const Participant& victim, const Participant& heir) {
  const double killed = Now();
  victim.Kill();
  ASSIGN_OR_RETURN(const double done, heir.line().Hear());
  return done - killed;
}

// Takes everything the server has and puts something into each page, as a load would.
Status Fill(gms::Session& session, uint64_t bytes) {
  const std::vector<gms::AllocationItem> wanted(1, {.size = static_cast<int64_t>(bytes)});
  ASSIGN_OR_RETURN(const gms::AllocatedBatch batch, session.AllocateBatch(wanted, true));
  return ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
                batch.fds.front().get(), 0) != MAP_FAILED
             ? Status()
             : Status::FromErrno(errno, "map memory");
}

// Says when it has the memory, and once more when another writer waits.
Status WriteUntilKilled(const std::string& socket, uint64_t bytes, const Line& line) {
  ASSIGN_OR_RETURN(const auto session,
                   gms::Session::Connect({.socket = socket, .lease = gms::LeaseRequest::kRw}));
  RETURN_IF_ERROR(Fill(*session, bytes));
  line.Go();
  for (;;) {
    ASSIGN_OR_RETURN(const gms::GetLockStateResponse state, session->LockState());
    if (state.waiting_writers > 0) {
      break;
    }
    ::sched_yield();
  }
  line.Go();
  line.AwaitGo();
  return {};
}

Status WriteNext(const std::string& socket, uint64_t bytes, const Line& line) {
  ASSIGN_OR_RETURN(const auto session,
                   gms::Session::Connect({.socket = socket, .lease = gms::LeaseRequest::kRw}));
  const std::vector<gms::AllocationItem> wanted(1, {.size = static_cast<int64_t>(bytes)});
  RETURN_IF_ERROR(session->AllocateBatch(wanted, true));
  line.Say(Now());
  return {};
}

Status AttachAndStay(const std::string& socket, size_t pieces, const Line& line) {
  auto* const reader = new Reader(socket);  // stays until the process is killed
  RETURN_IF_ERROR(reader->Attach(pieces));
  reader->Touch();
  line.Say(Now());
  return {};
}

}  // namespace

Result<double> MeasureLockTakeOver(LockKind kind) {
  const TempDirectory directory;
  const std::string path = directory / "lock";
  const auto take = [&](const Line& line) -> Status {
    RETURN_IF_ERROR(Take(kind, path));
    line.Say(Now());
    return {};
  };
  ASSIGN_OR_RETURN(const Participant holder, Participant::Start(take));
  RETURN_IF_ERROR(holder.line().Hear());
  ASSIGN_OR_RETURN(const Participant standby, Participant::Start(take));
  RETURN_IF_ERROR(AwaitWaiting(standby));
  return KillAndHear(holder, standby);
}

Result<double> MeasureFailover(const std::string& socket, size_t pieces) {
  const TempDirectory directory;
  const auto engine = [&](const Line& line) -> Status {
    RETURN_IF_ERROR(TakeOurs(directory / "lock"));
    return AttachAndStay(socket, pieces, line);
  };
  ASSIGN_OR_RETURN(const Participant serving, Participant::Start(engine));
  RETURN_IF_ERROR(serving.line().Hear());
  ASSIGN_OR_RETURN(const Participant standby, Participant::Start(engine));
  RETURN_IF_ERROR(AwaitWaiting(standby));
  return KillAndHear(serving, standby);
}

Result<double> MeasureNextWriter(const std::string& socket, uint64_t bytes) {
  ASSIGN_OR_RETURN(const Participant first, Participant::Start([&](const Line& line) {
                     return WriteUntilKilled(socket, bytes, line);
                   }));
  RETURN_IF_ERROR(first.line().Hear());
  ASSIGN_OR_RETURN(const Participant next, Participant::Start([&](const Line& line) {
                     return WriteNext(socket, bytes, line);
                   }));
  RETURN_IF_ERROR(first.line().Hear());  // it saw the next one waiting
  return KillAndHear(first, next);
}

Result<double> MeasureReaders(const std::string& socket, size_t pieces, size_t readers) {
  std::vector<Participant> all;
  for (size_t i = 0; i < readers; ++i) {
    ASSIGN_OR_RETURN(Participant reader, Participant::Start([&](const Line& line) -> Status {
                       line.Go();
                       line.AwaitGo();
                       return AttachAndStay(socket, pieces, line);
                     }));
    RETURN_IF_ERROR(reader.line().Hear());
    all.push_back(std::move(reader));
  }
  const double begin = Now();
  for (const Participant& reader : all) {
    reader.line().Go();
  }
  double end = begin;
  for (const Participant& reader : all) {
    ASSIGN_OR_RETURN(const double done, reader.line().Hear());
    end = std::max(end, done);
  }
  return end - begin;
}

}  // namespace hearth::bench
