#include "snapshot/artifact/verify.h"

#include <fmt/format.h>

#include <atomic>
#include <ostream>

#include "base/clock.h"
#include "disk/progress.h"
#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/storage_command.h"

namespace hearth::snapshot::ctl {
namespace {

// What was found out about one artifact.
struct Finding {
  ArtifactPlace place;
  Status status;  // of what can be seen without reading the large files
  bool sealed = false;
  uint64_t bytes = 0;
  std::string root;
  std::optional<VerifyReport> report;

  bool whole() const { return status.ok() && (!report || report->damages.empty()); }
};

std::string TextOf(const Finding& finding) {
  const std::string name = NameOf(finding.place);
  if (!finding.status.ok()) {
    return fmt::format("{}: damaged: {}\n", name, finding.status.message());
  }
  if (!finding.sealed) {
    return fmt::format("{}: all there, but it has no digests to compare with\n", name);
  }
  if (!finding.report) {
    return fmt::format(
        "{}: whole as far as can be seen without reading its {}; --full reads them\n", name,
        SizeText(finding.bytes));
  }
  if (finding.report->damages.empty()) {
    return fmt::format("{}: whole: {} in {} chunks read and compared, root {}\n", name,
                       SizeText(finding.report->bytes), finding.report->chunks, finding.root);
  }
  std::string text = fmt::format("{}: damaged: {} of {} chunks\n", name,
                                 finding.report->damages.size(), finding.report->chunks);
  for (const Damage& damage : finding.report->damages) {
    text += fmt::format("  {}\n", damage.message);
  }
  return text;
}

Value JsonOf(const Finding& finding) {
  Value damages = Value::Array();
  for (const Damage& damage : finding.report ? finding.report->damages : std::vector<Damage>()) {
    damages.Append(Value::Object({{"file", damage.file},
                                  {"chunk", damage.chunk},
                                  {"offset", damage.offset},
                                  {"bytes", damage.bytes},
                                  {"message", damage.message}}));
  }
  return Value::Object({{"checkpoint_id", finding.place.id},
                        {"version", finding.place.version},
                        {"directory", finding.place.directory},
                        {"whole", finding.whole()},
                        {"error", finding.status.message()},
                        {"digests", finding.sealed},
                        {"root_digest", finding.root},
                        {"bytes", finding.bytes},
                        {"compared_bytes", finding.report ? finding.report->bytes : 0},
                        {"damages", std::move(damages)}});
}

class Verify : public StorageCommand {
 public:
  Verify() : StorageCommand("verify", "something is damaged or missing") {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.AddPositional({.name = "artifact",
                         .help = "ID, ID/VERSION or a directory; all of the storage without it",
                         .target = &artifact_});
    table.Add({.name = "full",
               .help = "Read every byte and compare it with its digest",
               .target = &full_});
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const std::vector<ArtifactPlace> places, Places(terminal.files));
    bool whole = true;
    for (const ArtifactPlace& place : places) {
      ASSIGN_OR_RETURN(const Finding finding, Check(place, terminal));
      whole = whole && finding.whole();
      if (json()) {
        Print(terminal, JsonOf(finding));
      } else {
        terminal.out << TextOf(finding) << std::flush;
      }
    }
    return whole ? kExitOk : kExitNo;
  }

 private:
  Result<std::vector<ArtifactPlace>> Places(FileSystem& files) const {
    if (!artifact_.empty()) {
      ASSIGN_OR_RETURN(ArtifactPlace place, Find(files, artifact_));
      return std::vector<ArtifactPlace>{std::move(place)};
    }
    ASSIGN_OR_RETURN(const StorageLayout layout, Layout(files));
    return ListArtifacts(files, layout);
  }

  Result<Finding> Check(const ArtifactPlace& place, Terminal& terminal) const {
    Finding finding;
    finding.place = place;
    const Result<Artifact> artifact = Artifact::Open(place.directory);
    finding.status = artifact.status();
    if (!artifact.ok()) {
      // What is not there, or could not be read, is no finding.
      const Status& why = artifact.status();
      return why.Is(Code::kDataLoss) || why.Is(Code::kInvalid) || why.Is(Code::kUnsupported)
                 ? finding
                 : Result<Finding>(why);
    }
    finding.sealed = artifact->sealed();
    finding.bytes = artifact->contents().TotalBytes();
    finding.root = artifact->RootHex();
    if (full_ && finding.sealed) {
      ASSIGN_OR_RETURN(finding.report, ReadAll(*artifact, terminal));
    }
    return finding;
  }

  Result<VerifyReport> ReadAll(const Artifact& artifact, Terminal& terminal) const {
    std::atomic<uint64_t> done = 0;
    const SteadyTime begin = RealClock().Now();
    const disk::ProgressReporter reporter(
        terminal.err,
        terminal.interactive && !json() ? disk::ProgressStyle::kBar : disk::ProgressStyle::kNone,
        [&] {
          return disk::Progress{.phase = "verify",
                                .done_bytes = done.load(),
                                .total_bytes = artifact.contents().TotalBytes(),
                                .elapsed = RealClock().Now() - begin};
        },
        RealClock());
    return VerifyFiles(artifact, {.only = {}, .stop_at_first = false, .progress = &done},
                       {.deadline = SteadyTime::max(), .stop = terminal.stop});
  }

  std::string artifact_;
  bool full_ = false;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeVerify() { return std::make_unique<Verify>(); }

}  // namespace hearth::snapshot::ctl
