#include "gms/storage/verify.h"

#include <fmt/format.h>

#include <ostream>

#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/saved_weights.h"
#include "gms/ctl/internal/words.h"

namespace hearth::gms::ctl {
namespace {

// What was found out about one device's artifact.
struct Finding {
  std::string name;
  int64_t device = 0;
  Status status;  // of what can be seen without reading shards
  bool digests = false;
  uint64_t bytes = 0;  // there are
  std::optional<storage::VerifyReport> report;

  bool whole() const { return status.ok() && (!report || report->damages.empty()); }
};

std::string LineOf(const Finding& finding) {
  if (!finding.status.ok()) {
    return fmt::format("{}: damaged: {}\n", finding.name, finding.status.message());
  }
  if (!finding.report) {
    return fmt::format(
        "{}: whole as far as can be seen without reading its {}; --full reads them\n", finding.name,
        SizeText(finding.bytes));
  }
  std::string text =
      finding.report->damages.empty()
          ? fmt::format("{}: whole: {}\n", finding.name,
                        finding.digests
                            ? fmt::format("{} in {} chunks read and compared",
                                          SizeText(finding.report->bytes), finding.report->chunks)
                            : "all there; it has no digests to compare with")
          : fmt::format("{}: damaged: {} of {} chunks\n", finding.name,
                        finding.report->damages.size(), finding.report->chunks);
  for (const storage::Damage& damage : finding.report->damages) {
    text +=
        fmt::format("  {}: chunk {}, {} at {}, of allocation {}: {}\n", damage.file, damage.chunk,
                    SizeText(damage.bytes), damage.offset, damage.allocation_id, damage.message);
  }
  return text;
}

Value JsonOf(const Finding& finding) {
  Value damages = Value::Array();
  if (finding.report) {
    for (const storage::Damage& damage : finding.report->damages) {
      damages.Append(Value::Object({{"file", damage.file},
                                    {"chunk", damage.chunk},
                                    {"offset", damage.offset},
                                    {"bytes", damage.bytes},
                                    {"allocation_id", damage.allocation_id},
                                    {"message", damage.message}}));
    }
  }
  return Value::Object({{"device", finding.device},
                        {"path", finding.name},
                        {"whole", finding.whole()},
                        {"error", finding.status.message()},
                        {"bytes", finding.bytes},
                        {"compared_bytes", finding.report ? finding.report->bytes : 0},
                        {"damages", std::move(damages)}});
}

class Verify : public SavedCommand {
 public:
  Verify() : SavedCommand("verify", "something is damaged or missing") {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.AddPositional({.name = "artifact",
                         .help = "Directory of a checkpoint or of one of its devices",
                         .target = &path_,
                         .value_name = "file",
                         .required = true});
    table.Add({.name = "full",
               .help = "Read every byte and compare it with its digest",
               .target = &full_});
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const auto all, Open(path_));
    bool whole = true;
    Value devices = Value::Array();
    for (const SavedDevice& saved : all) {
      ASSIGN_OR_RETURN(const Finding finding, Check(saved, terminal));
      whole = whole && finding.whole();
      if (json()) {
        devices.Append(JsonOf(finding));
      } else {
        terminal.out << LineOf(finding) << std::flush;
      }
    }
    if (json()) {
      Print(terminal,
            Value::Object({{"path", path_}, {"whole", whole}, {"devices", std::move(devices)}}));
    }
    return whole ? kExitOk : kExitNo;
  }

 private:
  Result<Finding> Check(const SavedDevice& saved, const Terminal& terminal) const {
    Finding finding{.name = saved.name, .device = saved.device, .status = saved.reader.status()};
    if (!finding.status.ok()) {
      return finding;
    }
    const storage::ArtifactReader& reader = **saved.reader;
    finding.digests = !reader.artifact().chunks.chunks.empty();
    finding.bytes = reader.manifest().total_bytes();
    if (full_) {
      storage::TransferEngine engine({});
      ASSIGN_OR_RETURN(finding.report,
                       storage::VerifyChunks(reader, engine, RealClock(), {.stop = terminal.stop}));
    }
    return finding;
  }

  std::string path_;
  bool full_ = false;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeVerify() { return std::make_unique<Verify>(); }

}  // namespace hearth::gms::ctl
