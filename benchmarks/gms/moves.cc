#include "moves.h"

#include <sys/resource.h>

#include "base/file_system.h"
#include "gms/loader/load.h"
#include "gms/saver/save.h"
#include "scratch.h"

namespace hearth::bench {
namespace {

double OwnCpuSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Result<gms::saver::SaveReport> Save(const ServerProcess& server, const std::string& checkpoint) {
  ASSIGN_OR_RETURN(const auto devices, server.Devices());
  gms::saver::SaveGauge gauge;
  return gms::saver::SaveCheckpoint(devices, {.directory = checkpoint, .shard_bytes = 1ULL << 40},
                                    RealFileSystem(), RealClock(), Logger::Null(), gauge,
                                    WaitLimit::Forever());
}

// A save verifies before it writes: it finds the checkpoint there already when memory holds it.
Status CheckContents(const ServerProcess& server, const std::string& checkpoint) {
  ASSIGN_OR_RETURN(const auto report, Save(server, checkpoint));
  return report.already_saved ? Status() : DataLossError("memory is not what was saved");
}

}  // namespace

Result<Moved> MeasureLoad(const LoadSpec& spec) {
  ASSIGN_OR_RETURN(const auto server, ServerProcess::Start({.program = spec.gms_server,
                                                            .pages = spec.pages,
                                                            .granularity = spec.granularity}));
  ASSIGN_OR_RETURN(const auto devices, server->Devices());
  ASSIGN_OR_RETURN(const double server_cpu, server->CpuSeconds());
  const double own_cpu = OwnCpuSeconds();
  gms::loader::LoadGauge gauge;
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(
      const auto report,
      gms::loader::LoadCheckpoint(devices, {.directory = spec.checkpoint, .verify = spec.digests},
                                  RealClock(), Logger::Null(), gauge, WaitLimit::Forever()));
  Moved moved{.bytes = static_cast<double>(report.bytes), .seconds = SecondsSince(begin)};
  ASSIGN_OR_RETURN(const double server_cpu_after, server->CpuSeconds());
  moved.cpu_seconds = OwnCpuSeconds() - own_cpu + server_cpu_after - server_cpu;
  RETURN_IF_ERROR(spec.look ? CheckContents(*server, spec.checkpoint) : Status());
  return moved;
}

Result<Moved> MeasureSave(const ServerProcess& server, const std::string& checkpoint) {
  const SteadyTime begin = RealClock().Now();
  ASSIGN_OR_RETURN(const auto report, Save(server, checkpoint));
  const Moved moved{.bytes = static_cast<double>(report.bytes), .seconds = SecondsSince(begin)};
  return report.already_saved ? Result<Moved>(InternalError("nothing was saved")) : moved;
}

}  // namespace hearth::bench
