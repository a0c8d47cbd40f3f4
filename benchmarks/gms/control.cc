#include "control.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <functional>
#include <iostream>
#include <thread>

#include "bare_attach.h"
#include "bare_call.h"
#include "calls.h"
#include "failover.h"
#include "server_process.h"
#include "weights.h"

namespace hearth::bench {
namespace {

// A server has a descriptor per piece, and so has the bare one.
void RaiseFileLimit() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

// The median of a few, with two that take turns.
struct Pair {
  std::vector<double> ours, bare;
  Status Take(const Result<double>& our, const Result<double>& other) {
    RETURN_IF_ERROR(our);
    RETURN_IF_ERROR(other);
    ours.push_back(*our);
    bare.push_back(*other);
    return {};
  }
};

class ControlBench {
 public:
  ControlBench(const Plan& plan, Figures& figures) : plan_(plan), figures_(figures) {}

  Status Prepare() {
    RaiseFileLimit();
    ASSIGN_OR_RETURN(weights_, Server(0));
    RETURN_IF_ERROR(CommitWeights(
        weights_->socket(), {kAllocationsMany, kAllocationsMany * kPieceBytes, kPieceBytes, 1}));
    ASSIGN_OR_RETURN(bare_, BareServer::Start(kAllocationsMany));
    ASSIGN_OR_RETURN(calls_, Server(0));
    ASSIGN_OR_RETURN(scarce_, Server(plan_.writer_bytes));
    return {};
  }

  Status Round() {
    RETURN_IF_ERROR(Calls().WithContext("requests"));
    RETURN_IF_ERROR(Attaches().WithContext("attach"));
    RETURN_IF_ERROR(Starts().WithContext("start"));
    RETURN_IF_ERROR(Locks().WithContext("lock"));
    RETURN_IF_ERROR(Failovers().WithContext("failover"));
    RETURN_IF_ERROR(Writers().WithContext("next writer"));
    RETURN_IF_ERROR(Readers().WithContext("readers"));
    return Sleeps().WithContext("sleep and wake");
  }

 private:
  Result<std::unique_ptr<ServerProcess>> Server(uint64_t memory) const {
    return ServerProcess::Start(
        {.program = plan_.gms_server, .granularity = kPieceBytes, .memory_bytes = memory});
  }

  Status Calls();
  Status Attaches();
  Status Starts();
  Status Locks();
  Status Failovers();
  Status Writers();
  Status Readers();
  Status Sleeps();

  const Plan& plan_;
  Figures& figures_;
  std::unique_ptr<ServerProcess> weights_;  // with all allocations
  std::unique_ptr<ServerProcess> calls_;
  std::unique_ptr<ServerProcess> scarce_;
  std::unique_ptr<BareServer> bare_;
  double attach_probe_ = 0;
  double lock_probe_ = 0;
};

Status ControlBench::Calls() {
  ASSIGN_OR_RETURN(const auto bare, MeasureBareCalls(plan_.calls, BareMemory::kTheSame));
  ASSIGN_OR_RETURN(const auto making, MeasureBareCalls(plan_.calls, BareMemory::kMade));
  ASSIGN_OR_RETURN(const auto ours, MeasureAllocations(calls_->socket(), plan_.calls));
  ASSIGN_OR_RETURN(const auto exports, MeasureExports(calls_->socket(), plan_.calls));
  figures_.Add(figure::kBareCallP50, Quantile(bare, 0.5));
  figures_.Add(figure::kBareCallP99, Quantile(bare, 0.99));
  figures_.Add(figure::kMakingCallP50, Quantile(making, 0.5));
  figures_.Add(figure::kCallP50, Quantile(ours, 0.5));
  figures_.Add(figure::kCallP99, Quantile(ours, 0.99));
  figures_.Add(figure::kExportP50, Quantile(exports, 0.5));
  return {};
}

Status ControlBench::Attaches() {
  Pair pair;
  for (size_t i = 0; i < plan_.attaches; ++i) {
    RETURN_IF_ERROR(
        pair.Take(MeasureAttach(weights_->socket(), kAllocationsMany), bare_->MeasureAttach()));
  }
  attach_probe_ = Quantile(pair.bare, 0.5);
  figures_.Add(figure::kAttach, Quantile(pair.ours, 0.5));
  figures_.Add(figure::kBareAttach, attach_probe_);
  return {};
}

Status ControlBench::Starts() {
  std::vector<double> seconds;
  std::vector<double> bytes;
  for (size_t i = 0; i < plan_.starts; ++i) {
    ASSIGN_OR_RETURN(const auto server, Server(0));
    ASSIGN_OR_RETURN(const double resident, server->ResidentBytes());
    seconds.push_back(server->seconds_to_handshake());
    bytes.push_back(resident);
  }
  figures_.Add(figure::kStart, Quantile(seconds, 0.5));
  figures_.Add(figure::kIdleBytes, Quantile(bytes, 0.5));
  return {};
}

Status ControlBench::Locks() {
  Pair pair;
  for (size_t i = 0; i < plan_.kills; ++i) {
    RETURN_IF_ERROR(
        pair.Take(MeasureLockTakeOver(LockKind::kOurs), MeasureLockTakeOver(LockKind::kBareFlock)));
  }
  lock_probe_ = Quantile(pair.bare, 0.5);
  figures_.Add(figure::kLockP50, Quantile(pair.ours, 0.5));
  figures_.Add(figure::kLockWorst, Quantile(pair.ours, 1));
  figures_.Add(figure::kBareLockP50, lock_probe_);
  return {};
}

Status ControlBench::Failovers() {
  std::vector<double> seconds;
  for (size_t i = 0; i < plan_.failovers; ++i) {
    ASSIGN_OR_RETURN(const double one, MeasureFailover(weights_->socket(), kAllocationsMany));
    seconds.push_back(one);
  }
  figures_.Add(figure::kFailover, Quantile(seconds, 0.5));
  figures_.Add(figure::kFailoverProbes, attach_probe_ + lock_probe_);
  return {};
}

Status ControlBench::Writers() {
  Pair pair;
  for (size_t i = 0; i < plan_.failovers; ++i) {
    RETURN_IF_ERROR(pair.Take(MeasureNextWriter(scarce_->socket(), plan_.writer_bytes),
                              MeasureHangUpAndFree(plan_.writer_bytes)));
  }
  figures_.Add(figure::kWriterGone, Quantile(pair.ours, 0.5));
  figures_.Add(figure::kBareHangUp, Quantile(pair.bare, 0.5));
  return {};
}

Status ControlBench::Readers() {
  std::vector<double> single;
  for (size_t i = 0; i < plan_.attaches; ++i) {
    ASSIGN_OR_RETURN(const double one, MeasureReaders(weights_->socket(), kAllocationsMany, 1));
    single.push_back(one);
  }
  ASSIGN_OR_RETURN(const double all,
                   MeasureReaders(weights_->socket(), kAllocationsMany, kReaders));
  const double processors =
      std::max<double>(1, static_cast<double>(std::thread::hardware_concurrency()));
  figures_.Add(figure::kManyReaders, all);
  figures_.Add(figure::kOneReader, Quantile(single, 0.5) * kReaders / processors);
  return {};
}

Status ControlBench::Sleeps() {
  Pair pair;
  std::vector<double> received;
  for (size_t i = 0; i < plan_.attaches; ++i) {
    RETURN_IF_ERROR(pair.Take(MeasureSleepWake(weights_->socket(), kAllocationsMany),
                              MeasureBareRemap(kAllocationsMany)));
    ASSIGN_OR_RETURN(const double one, bare_->MeasureAttachAgain());
    received.push_back(one);
  }
  figures_.Add(figure::kBareAttachAgain, Quantile(received, 0.5));
  figures_.Add(figure::kSleepWake, Quantile(pair.ours, 0.5));
  figures_.Add(figure::kBareRemap, Quantile(pair.bare, 0.5));
  return {};
}

}  // namespace

Status MeasureControl(const Plan& plan, Figures& figures) {
  ControlBench bench(plan, figures);
  RETURN_IF_ERROR(bench.Prepare());
  for (size_t round = 0; round < plan.rounds; ++round) {
    std::cerr << fmt::format("bench: requests and failover, round {}\n", round + 1);
    RETURN_IF_ERROR(bench.Round());
  }
  return {};
}

}  // namespace hearth::bench
