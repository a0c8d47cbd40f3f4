#include "rounds.h"

#include <fmt/format.h>

#include <future>
#include <iostream>
#include <optional>

#include "disk.h"
#include "names.h"
#include "scratch.h"

namespace hearth::bench {
namespace {

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

// What comes after the processes run again.
bool IsAfterRelease(const agent::Phase& phase) {
  return phase.name == "make_durable" || phase.name == "publish";
}

std::string Told(const std::vector<agent::Phase>& phases) {
  std::string text;
  for (const agent::Phase& phase : phases) {
    text += fmt::format(" {} {:.0f}", phase.name, Seconds(phase.took) * 1e3);
  }
  return text;
}

class Subject {
 public:
  Subject(Stage& stage, std::string name, const SubjectMemory& memory, Figures& figures)
      : stage_(stage),
        name_(std::move(name)),
        memory_(memory),
        bytes_(static_cast<double>((memory.own_mebibytes + memory.shared_mebibytes) << 20U)),
        figures_(figures) {}
  ~Subject() {
    if (source_) {
      stage_.Kill(*source_);
    }
  }
  Subject(const Subject&) = delete;
  Subject& operator=(const Subject&) = delete;

  Status Start() {
    ASSIGN_OR_RETURN(source_, stage_.StartSubject("source", memory_));
    ASSIGN_OR_RETURN(hash_, stage_.Ask(*source_, true));
    return Status::Ok();
  }

  Status Round(size_t number, bool with_disk) {
    const bool ours_first = number % 2 == 0;
    RETURN_IF_ERROR(ours_first ? CaptureOurs() : CaptureBare());
    RETURN_IF_ERROR(ours_first ? CaptureBare() : CaptureOurs());
    for (const bool cold : {true, false}) {
      RETURN_IF_ERROR(ours_first ? RestoreOurs(cold, number == 0) : RestoreBare(cold));
      RETURN_IF_ERROR(ours_first ? RestoreBare(cold) : RestoreOurs(cold, false));
    }
    return with_disk ? MeasureDisk() : Status::Ok();
  }

 private:
  void Add(const char* what, const char* who, double value) {
    figures_.Add(figure::Of(name_, what, who), value);
  }

  Status CaptureOurs() {
    stage_.Remove("snap");
    const SteadyTime begin = RealClock().Now();
    ASSIGN_OR_RETURN(const agent::Captured captured, stage_.Capture("source", "snap"));
    const double seconds = SecondsSince(begin);
    double released = 0;
    for (const agent::Phase& phase : captured.phases) {
      released += IsAfterRelease(phase) ? 0 : Seconds(phase.took);
    }
    Add(figure::kUntilReleased, figure::kOurs, released);
    Add(figure::kDurable, figure::kOurs, seconds);
    Add(figure::kDurableRate, figure::kOurs, bytes_ / seconds);
    std::cerr << fmt::format("bench: {}: captured, ms:{}\n", name_, Told(captured.phases));
    return Status::Ok();
  }

  Status CaptureBare() {
    ASSIGN_OR_RETURN(const Stage::BareDump took, stage_.DumpBare("source"));
    Add(figure::kUntilReleased, figure::kBare, took.dumped);
    Add(figure::kDurable, figure::kBare, took.durable);
    std::cerr << fmt::format("bench: {}: bare dump, ms: {:.0f}, durable {:.0f}\n", name_,
                             took.dumped * 1e3, took.durable * 1e3);
    return Status::Ok();
  }

  Status PreparePages(bool cold) { return cold ? stage_.Forget("snap") : stage_.BringIn("snap"); }

  Status RestoreOurs(bool cold, bool compare) {
    ASSIGN_OR_RETURN(const Stage::Container place, stage_.StartPlaceholder("restored"));
    RETURN_IF_ERROR(PreparePages(cold));
    const SteadyTime begin = RealClock().Now();
    const auto restored = stage_.Restore("restored", "snap");
    const double seconds = SecondsSince(begin);
    const auto same = restored.ok() && compare ? stage_.Ask(place, true) : hash_;
    stage_.Kill(place);
    RETURN_IF_ERROR(restored.status());
    RETURN_IF_ERROR(same.status());
    if (*same != hash_) {
      return DataLossError("what came back is not what was captured: " + *same + " " + hash_);
    }
    Add(cold ? figure::kCold : figure::kWarm, figure::kOurs, seconds);
    if (cold) {
      Add(figure::kColdRate, figure::kOurs, bytes_ / seconds);
    }
    std::cerr << fmt::format("bench: {}: {} restore, ms: {:.0f}:{}\n", name_,
                             cold ? "cold" : "warm", seconds * 1e3, Told(restored->phases));
    return Status::Ok();
  }

  Status RestoreBare(bool cold) {
    ASSIGN_OR_RETURN(const Stage::Container place, stage_.StartPlaceholder("restored"));
    RETURN_IF_ERROR(PreparePages(cold));
    const auto seconds = stage_.RestoreBare("restored", "snap");
    stage_.Kill(place);
    RETURN_IF_ERROR(seconds.status());
    Add(cold ? figure::kCold : figure::kWarm, figure::kBare, *seconds);
    std::cerr << fmt::format("bench: {}: {} bare restore, ms: {:.0f}\n", name_,
                             cold ? "cold" : "warm", *seconds * 1e3);
    return Status::Ok();
  }

  Status MeasureDisk() {
    ASSIGN_OR_RETURN(const std::string file, stage_.LargestFileOf("snap"));
    ASSIGN_OR_RETURN(const DiskRead read, MeasureRead(file));
    figures_.Add(figure::kFioRead, read.rate);
    ASSIGN_OR_RETURN(const double write,
                     MeasureWrite(stage_.directory() + "/fio", static_cast<uint64_t>(bytes_)));
    figures_.Add(figure::kFioWrite, write);
    return Status::Ok();
  }

  Stage& stage_;
  std::string name_;
  SubjectMemory memory_;
  double bytes_;
  Figures& figures_;
  std::optional<Stage::Container> source_;
  std::string hash_;
};

// A capture of a new subject; the subject is gone afterwards.
struct OneCapture {
  double seconds = 0;
  double stored_bytes = 0;
};
Result<OneCapture> CaptureNew(Stage& stage, const SubjectMemory& memory) {
  ASSIGN_OR_RETURN(const Stage::Container source, stage.StartSubject("source", memory));
  stage.Remove("snap");
  const SteadyTime begin = RealClock().Now();
  const auto captured = stage.Capture("source", "snap");
  const double seconds = SecondsSince(begin);
  stage.Kill(source);
  RETURN_IF_ERROR(captured.status());
  return OneCapture{seconds, static_cast<double>(captured->stored_bytes)};
}

// The slowest of them, from the moment that all begin.
Result<double> RestoreAtOnce(Stage& stage, size_t count) {
  std::vector<Stage::Container> places;
  const auto run = [&]() -> Result<double> {
    for (size_t i = 0; i < count; ++i) {
      ASSIGN_OR_RETURN(const Stage::Container place,
                       stage.StartPlaceholder(fmt::format("restored-{}", i)));
      places.push_back(place);
    }
    // Each from an artifact of its own: bytes that are read, not only asked for.
    for (size_t i = 0; i < count; ++i) {
      RETURN_IF_ERROR(stage.Forget(count == 1 ? "whole" : fmt::format("part-{}", i)));
    }
    const SteadyTime begin = RealClock().Now();
    std::vector<std::future<Status>> restores;
    for (size_t i = 0; i < count; ++i) {
      restores.push_back(std::async(std::launch::async, [&, i] {
        const std::string id = count == 1 ? "whole" : fmt::format("part-{}", i);
        return stage.Restore(places[i].id, id).status();
      }));
    }
    Status all;
    for (std::future<Status>& restore : restores) {
      const Status one = restore.get();
      all = all.ok() ? one : all;
    }
    const double seconds = SecondsSince(begin);
    RETURN_IF_ERROR(all);
    return seconds;
  };
  const auto seconds = run();
  for (const Stage::Container& place : places) {
    stage.Kill(place);
  }
  return seconds;
}

Status CaptureAs(Stage& stage, const std::string& id, uint64_t mebibytes) {
  ASSIGN_OR_RETURN(const Stage::Container source,
                   stage.StartSubject("source", {.own_mebibytes = mebibytes}));
  const auto captured = stage.Capture("source", id);
  stage.Kill(source);
  return captured.status();
}

}  // namespace

Status MeasureSubject(const Plan& plan, Stage& stage, const std::string& name,
                      const SubjectMemory& memory, bool with_disk, Figures& figures) {
  Subject subject(stage, name, memory, figures);
  RETURN_IF_ERROR(subject.Start());
  for (size_t round = 0; round < plan.rounds; ++round) {
    std::cerr << fmt::format("bench: round {}, {}\n", round + 1, name);
    RETURN_IF_ERROR(subject.Round(round, with_disk));
  }
  return Status::Ok();
}

Status MeasureZeros(const Plan& plan, Stage& stage, Figures& figures) {
  const uint64_t mebibytes = plan.mebibytes / 2;
  const double share = (100.0 - kZeroPercent) / 100;
  for (size_t round = 0; round < plan.rounds; ++round) {
    std::cerr << fmt::format("bench: round {}, zero pages\n", round + 1);
    ASSIGN_OR_RETURN(const OneCapture zeros, CaptureNew(stage, {mebibytes, 0, kZeroPercent}));
    ASSIGN_OR_RETURN(const OneCapture full, CaptureNew(stage, {mebibytes, 0, 0}));
    figures.Add(figure::kStoredBytes, zeros.stored_bytes);
    figures.Add(figure::kFullBytes, full.stored_bytes * share);
    figures.Add(figure::kZeroTime, zeros.seconds);
    figures.Add(figure::kZeroShare, full.seconds * share);
  }
  return Status::Ok();
}

Status MeasureAtOnce(const Plan& plan, Stage& stage, Figures& figures) {
  for (size_t i = 0; i < kAtOnce; ++i) {
    RETURN_IF_ERROR(CaptureAs(stage, fmt::format("part-{}", i), plan.mebibytes / kAtOnce));
  }
  RETURN_IF_ERROR(CaptureAs(stage, "whole", plan.mebibytes));
  for (size_t round = 0; round < plan.rounds; ++round) {
    std::cerr << fmt::format("bench: round {}, restores at once\n", round + 1);
    ASSIGN_OR_RETURN(const double parts, RestoreAtOnce(stage, kAtOnce));
    ASSIGN_OR_RETURN(const double whole, RestoreAtOnce(stage, 1));
    figures.Add(figure::kFourRestores, parts);
    figures.Add(figure::kOneRestore, whole);
  }
  return Status::Ok();
}

}  // namespace hearth::bench
