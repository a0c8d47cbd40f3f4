#include "data.h"

#include <fmt/format.h>

#include <filesystem>
#include <functional>
#include <iostream>
#include <optional>

#include "disk.h"
#include "huge_pages.h"
#include "memory_probe.h"
#include "moves.h"
#include "scratch.h"
#include "weights.h"

namespace hearth::bench {
namespace {

using gms::HostPages;

constexpr uint64_t kGranularity = 2ULL << 20;
constexpr uint64_t kFineGranularity = 64 << 10;  // so that many allocations fit
constexpr double kGiB = 1ULL << 30;
constexpr const char* kMemoryFileSystem = "/dev/shm";

// The data a bench works on lies in a scratch directory on the disk; it goes with the bench.
class DataBench {
 public:
  DataBench(const Plan& plan, Figures& figures, const Scratch& scratch)
      : plan_(plan), figures_(figures), scratch_(scratch) {}

  Status ColdLoads();
  Status WarmLoads();
  Status ManyAllocations();
  Status Saves();
  Status Tail();

 private:
  Status Rounds(const char* bench, const std::function<Status(size_t round)>& run) const {
    for (size_t round = 0; round < plan_.rounds; ++round) {
      std::cerr << fmt::format("bench: {}, round {}\n", bench, round + 1);
      RETURN_IF_ERROR(run(round).WithContext(bench));
    }
    return {};
  }
  // A checkpoint of random weights.
  Status Prepare(const std::string& directory, const WeightsShape& shape) const;
  LoadSpec Spec(const std::string& checkpoint, HostPages pages, bool digests = true) const {
    return {.gms_server = plan_.gms_server,
            .checkpoint = checkpoint,
            .pages = pages,
            .granularity = kGranularity,
            .digests = digests};
  }
  Status LoadOnce(const LoadSpec& spec, const char* rate, const char* cpu = nullptr);
  // Nothing when they cannot be had: then these figures are told as not run.
  std::optional<HugePages> WithHugePages(uint64_t bytes, std::initializer_list<const char*> names);
  Status ColdRound(const std::string& checkpoint, bool huge, bool look);
  Status ColdPeers(const std::string& shard, bool huge);
  Status WarmRound(const std::string& checkpoint, HostPages pages);

  const Plan& plan_;
  Figures& figures_;
  const Scratch& scratch_;
};

std::string ShardOf(const std::string& checkpoint) {
  return checkpoint + "/device-0/shards/shard_0000.bin";
}

Status RemoveTree(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
  return error ? UnavailableError(fmt::format("remove {}: {}", path, error.message())) : Status();
}

Status DataBench::Prepare(const std::string& directory, const WeightsShape& shape) const {
  ASSIGN_OR_RETURN(const auto server, ServerProcess::Start({.program = plan_.gms_server,
                                                            .granularity = shape.granularity}));
  RETURN_IF_ERROR(CommitWeights(server->socket(), shape));
  return ToStatus(MeasureSave(*server, directory)).WithContext("prepare " + directory);
}

Status DataBench::LoadOnce(const LoadSpec& spec, const char* rate, const char* cpu) {
  ASSIGN_OR_RETURN(const Moved moved, MeasureLoad(spec));
  figures_.Add(rate, moved.rate());
  if (cpu != nullptr) {
    figures_.Add(cpu, moved.cpu_per_gib());
  }
  return {};
}

std::optional<HugePages> DataBench::WithHugePages(uint64_t bytes,
                                                  std::initializer_list<const char*> names) {
  auto pages = HugePages::Reserve(bytes);
  if (pages.ok()) {
    return std::move(*pages);
  }
  for (const char* name : names) {
    figures_.NotRun(name, std::string(pages.status().message()));
  }
  return std::nullopt;
}

Status DataBench::ColdPeers(const std::string& shard, bool huge) {
  // Once for nothing: what lies below the machine's disk may remember, and then whoever reads first
  // pays for the others.
  RETURN_IF_ERROR(ToStatus(MeasureRead(shard)));
  ASSIGN_OR_RETURN(const DiskRead fio, MeasureRead(shard));
  const double gib = static_cast<double>(plan_.bytes) / kGiB;
  figures_.Add(figure::kFioRead, fio.rate);
  if (huge) {
    ASSIGN_OR_RETURN(const double clearing, MeasureClearingHugePages(plan_.bytes));
    figures_.Add(figure::kClearHugeCpu, (fio.cpu_seconds + clearing) / gib);
  }
  ASSIGN_OR_RETURN(const Scratch memory, Scratch::Make(kMemoryFileSystem));
  ASSIGN_OR_RETURN(const double cp, MeasureCp(shard, memory / "copy"));
  figures_.Add(figure::kCpCpu, cp / gib);
  return {};
}

Status DataBench::ColdRound(const std::string& checkpoint, bool huge, bool look) {
  RETURN_IF_ERROR(ColdPeers(ShardOf(checkpoint), huge));
  LoadSpec spec = Spec(checkpoint, HostPages::kSmall);
  spec.look = look;
  RETURN_IF_ERROR(LoadOnce(spec, figure::kLoadSmall, figure::kLoadSmallCpu));
  RETURN_IF_ERROR(LoadOnce(Spec(checkpoint, HostPages::kSmall, false), figure::kUnverifiedSmall));
  if (!huge) {
    return {};
  }
  spec.pages = HostPages::kHuge2M;
  RETURN_IF_ERROR(LoadOnce(spec, figure::kLoadHuge, figure::kLoadHugeCpu));
  return LoadOnce(Spec(checkpoint, HostPages::kHuge2M, false), figure::kUnverifiedHuge);
}

Status DataBench::ColdLoads() {
  const std::string checkpoint = scratch_ / "usual";
  RETURN_IF_ERROR(Prepare(checkpoint, {kAllocationsUsual, plan_.bytes, kGranularity, 1}));
  const auto huge = WithHugePages(plan_.bytes, {figure::kLoadHuge, figure::kLoadHugeCpu,
                                                figure::kUnverifiedHuge, figure::kClearHugeCpu});
  // The first read of a thin disk's block is slow for whoever does it.
  RETURN_IF_ERROR(MeasureRead(ShardOf(checkpoint)));
  return Rounds("cold load",
                [&](size_t round) { return ColdRound(checkpoint, huge.has_value(), round == 0); });
}

Status DataBench::WarmRound(const std::string& checkpoint, HostPages pages) {
  const bool huge = pages == HostPages::kHuge2M;
  ASSIGN_OR_RETURN(const double copy, MeasureFreshCopy(ShardOf(checkpoint), plan_.bytes, huge));
  figures_.Add(huge ? figure::kFreshCopyHuge : figure::kFreshCopySmall, copy);
  return LoadOnce(Spec(checkpoint, pages), huge ? figure::kWarmHuge : figure::kWarmSmall);
}

Status DataBench::WarmLoads() {
  ASSIGN_OR_RETURN(const Scratch memory, Scratch::Make(kMemoryFileSystem));
  const std::string checkpoint = memory / "warm";
  RETURN_IF_ERROR(Prepare(checkpoint, {kAllocationsUsual, plan_.bytes, kGranularity, 1}));
  const auto huge = WithHugePages(plan_.bytes, {figure::kWarmHuge, figure::kFreshCopyHuge});
  return Rounds("warm load", [&](size_t) -> Status {
    ASSIGN_OR_RETURN(const double copy, MeasureMemcpy(plan_.bytes));
    figures_.Add(figure::kMemcpy, copy);
    RETURN_IF_ERROR(WarmRound(checkpoint, HostPages::kSmall));
    return huge ? WarmRound(checkpoint, HostPages::kHuge2M) : Status();
  });
}

Status DataBench::ManyAllocations() {
  const std::string one = scratch_ / "one";
  const std::string many = scratch_ / "many";
  RETURN_IF_ERROR(Prepare(one, {1, plan_.bytes, kFineGranularity, 1}));
  RETURN_IF_ERROR(Prepare(many, {kAllocationsMany, plan_.bytes, kFineGranularity, 1}));
  const auto measure = [this](const std::string& checkpoint, const char* name) -> Status {
    LoadSpec spec = Spec(checkpoint, HostPages::kSmall);
    spec.granularity = kFineGranularity;
    ASSIGN_OR_RETURN(const Moved moved, MeasureLoad(spec));
    figures_.Add(name, moved.seconds);
    return {};
  };
  return Rounds("many allocations", [&](size_t) -> Status {
    RETURN_IF_ERROR(measure(one, figure::kLoadOne));
    return measure(many, figure::kLoadMany);
  });
}

Status DataBench::Saves() {
  ASSIGN_OR_RETURN(const auto server, ServerProcess::Start({.program = plan_.gms_server,
                                                            .granularity = kGranularity}));
  const std::string checkpoint = scratch_ / "saved";
  const std::string file = scratch_ / "fio";
  return Rounds("save", [&](size_t round) -> Status {
    // Other weights each time: those that are saved already would not be written.
    RETURN_IF_ERROR(
        CommitWeights(server->socket(), {kAllocationsUsual, plan_.bytes, kGranularity, round + 1}));
    ASSIGN_OR_RETURN(const double fio, MeasureWrite(file, plan_.bytes));
    const std::string fresh = scratch_ / "fresh";
    ASSIGN_OR_RETURN(const Moved saved, MeasureSave(*server, fresh));
    RETURN_IF_ERROR(RemoveTree(fresh));
    ASSIGN_OR_RETURN(const double plain, MeasurePlainWrite(file, plan_.bytes));
    ASSIGN_OR_RETURN(const Moved again, MeasureSave(*server, checkpoint));
    figures_.Add(figure::kFioWrite, fio);
    figures_.Add(figure::kSave, saved.rate());
    figures_.Add(figure::kFioPlainWrite, plain);
    figures_.Add(figure::kSaveAgain, again.rate());
    return {};
  });
}

Status DataBench::Tail() {
  const std::string checkpoint = scratch_ / "tail";
  RETURN_IF_ERROR(Prepare(checkpoint, {kAllocationsUsual, plan_.tail_bytes, kGranularity, 1}));
  const auto huge = WithHugePages(plan_.tail_bytes, {});
  const HostPages pages = huge ? HostPages::kHuge2M : HostPages::kSmall;
  return Rounds("tail", [&](size_t) -> Status {
    std::vector<double> seconds;
    for (size_t i = 0; i < plan_.tail_loads; ++i) {
      ASSIGN_OR_RETURN(const Moved moved, MeasureLoad(Spec(checkpoint, pages)));
      seconds.push_back(moved.seconds);
    }
    figures_.Add(figure::kTailP99, Quantile(seconds, 0.99));
    figures_.Add(figure::kTailP50, Quantile(seconds, 0.5));
    return {};
  });
}

// Each with a scratch directory of its own, so that data is on the disk only as long as it is used.
Status RunOne(const Plan& plan, Figures& figures, Status (DataBench::*bench)()) {
  ASSIGN_OR_RETURN(const Scratch scratch, Scratch::Make(plan.directory));
  return (DataBench(plan, figures, scratch).*bench)();
}

}  // namespace

Status MeasureData(const Plan& plan, Figures& figures) {
  RETURN_IF_ERROR(RunOne(plan, figures, &DataBench::ColdLoads));
  RETURN_IF_ERROR(RunOne(plan, figures, &DataBench::WarmLoads));
  RETURN_IF_ERROR(RunOne(plan, figures, &DataBench::ManyAllocations));
  RETURN_IF_ERROR(RunOne(plan, figures, &DataBench::Saves));
  return RunOne(plan, figures, &DataBench::Tail);
}

}  // namespace hearth::bench
