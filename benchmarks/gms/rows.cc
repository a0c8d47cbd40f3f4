#include "rows.h"

#include "question.h"

namespace hearth::bench {
namespace {

constexpr const char* kNoUpstream =
    "upstream's server is a Python package that needs PyTorch and a CUDA driver";

Question Cpu(std::string bench, std::string what, const char* ours, const char* peer,
             std::string peer_name, Better better, double goal) {
  return {std::move(bench),
          std::move(what),
          ours,
          peer,
          std::move(peer_name),
          "CPU-s/GiB",
          1,
          better,
          goal,
          better == Better::kHigher};
}

std::vector<Question> DataQuestions() {
  using namespace figure;
  const std::string cold = "load, disk to committed, digests checked";
  return {
      Rate("A1.huge", cold + ", huge pages", kLoadHuge, kFioRead, "fio", 0.95),
      Rate("A1.small", cold + ", 4 KiB pages", kLoadSmall, kFioRead, "fio", 0.85),
      Rate("A4.huge", "load from tmpfs, huge pages", kWarmHuge, kMemcpy, "memcpy, two threads",
           0.85),
      Rate("A4.small", "load from tmpfs, 4 KiB pages", kWarmSmall, kMemcpy, "memcpy, two threads",
           0.85),
      Rate("A4.fresh.huge", "load from tmpfs, huge pages", kWarmHuge, kFreshCopyHuge,
           "memcpy into fresh pages, two threads", 0.85),
      Rate("A4.fresh.small", "load from tmpfs, 4 KiB pages", kWarmSmall, kFreshCopySmall,
           "memcpy into fresh pages, two threads", 0.85),
      Rate("A5", "durable save", kSave, kFioWrite, "fio, room made first", 0.95),
      Rate("A5.plain", "durable save", kSave, kFioPlainWrite, "fio", 1.5),
      Rate("A5.again", "durable save over another, which is removed", kSaveAgain, kFioWrite,
           "fio, room made first", {}),
      Rate("A6.huge", "load with digests, huge pages", kLoadHuge, kUnverifiedHuge, "without", 0.97),
      Rate("A6.small", "load with digests, 4 KiB pages", kLoadSmall, kUnverifiedSmall, "without",
           0.97),
      Time("A7", "load of 3,435 allocations", kLoadMany, kLoadOne, "one allocation", kMs, 1.02),
      Cpu("A8.huge", "CPU of a load, huge pages", kLoadHugeCpu, kCpCpu, "cp", Better::kHigher, 8),
      Cpu("A8.small", "CPU of a load, 4 KiB pages", kLoadSmallCpu, kCpCpu, "cp", Better::kHigher,
          8),
      Cpu("A8.fio", "CPU of a load, huge pages", kLoadHugeCpu, kClearHugeCpu,
          "fio and clearing the pages", Better::kLower, 1.3),
      Time("A10", "many loads of 256 MiB, p99", kTailP99, kTailP50, "p50", kMs, 1.25),
  };
}

std::vector<Question> ControlQuestions() {
  using namespace figure;
  const std::string call = "allocate and export in one request";
  return {
      Time("B1", call + ", p50", kCallP50, kBareCallP50, "bare ping-pong with one FD", kUs, 1.2),
      Time("B1.p99", call + ", p99", kCallP99, kBareCallP99, "bare ping-pong with one FD", kUs,
           1.2),
      Time("B1.made", call + ", p50", kCallP50, kMakingCallP50,
           "bare ping-pong that makes the memory", kUs, 1.2),
      Time("B1.export", "export alone, p50", kExportP50, kBareCallP50, "bare ping-pong with one FD",
           kUs, {}),
      Time("B2", "reader attaches 3,435 allocations", kAttach, kBareAttach, "bare loop", kMs, 1.3),
      Limit("B3", "server from exec to the first handshake", kStart, "ms", kMs, 3),
      Limit("B3.rss", "resident memory of an idle server", kIdleBytes, "MiB", kMiB, 3),
      Time("B4", "SIGKILL of the holder until the standby has the lock, p50", kLockP50,
           kBareLockP50, "blocked flock", kUs, 1.5),
      Limit("B4.worst", "the same, slowest of a round", kLockWorst, "ms", kMs, 2),
      Limit("B5", "SIGKILL until 3,435 allocations are mapped and read", kFailover, "ms", kMs, 25),
      Time("B5.probes", "the same", kFailover, kFailoverProbes, "bare loop and blocked flock", kMs,
           2),
      Time("B6", "SIGKILL of a writer until the next one has its memory", kWriterGone, kBareHangUp,
           "bare hang-up and free", kMs, 1.3),
      Time("B7", "32 readers attach at once", kManyReaders, kOneReader,
           "one reader, 32 times, on these CPUs", kMs, 1.2),
      Time("B8", "sleep and wake of 3,435 allocations", kSleepWake, kBareRemap,
           "bare unmap and map", kMs, 1.3),
      Time("B8.received", "the same", kSleepWake, kBareAttachAgain, "bare unmap, receive and map",
           kMs, 1.3),
      Limit("B8.limit", "the same", kSleepWake, "ms", kMs, 15),
  };
}

// What only upstream's own programs could answer.
std::vector<Row> UpstreamRows(Part part) {
  const auto row = [](const char* bench, const char* what, double goal) {
    return Row{.bench = bench,
               .what = what,
               .better = Better::kHigher,
               .goal = goal,
               .peer_name = "upstream",
               .not_run = kNoUpstream};
  };
  std::vector<Row> rows;
  if (part != Part::kControl) {
    rows.push_back(row("A5.upstream", "durable save", 2.5));
  }
  if (part != Part::kData) {
    rows.push_back(row("B1.upstream", "allocate and export in one request", 5));
    rows.push_back(row("B2.upstream", "reader attaches 3,435 allocations", 100));
    rows.push_back(row("B3.upstream", "server from exec to the first handshake", 50));
    rows.push_back(row("B4.upstream", "SIGKILL of the holder until the standby has the lock", 100));
  }
  return rows;
}

}  // namespace

std::vector<Row> MakeRows(const Figures& figures, Part part) {
  std::vector<Row> rows;
  if (part != Part::kControl) {
    for (const Question& question : DataQuestions()) {
      rows.push_back(Answer(figures, question));
    }
  }
  if (part != Part::kData) {
    for (const Question& question : ControlQuestions()) {
      rows.push_back(Answer(figures, question));
    }
  }
  const std::vector<Row> upstream = UpstreamRows(part);
  rows.insert(rows.end(), upstream.begin(), upstream.end());
  return rows;
}

}  // namespace hearth::bench
