#include <fmt/format.h>

#include <ostream>

#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/saved_weights.h"
#include "gms/ctl/internal/words.h"
#include "gms/storage/compare.h"

namespace hearth::gms::ctl {
namespace {

using storage::ArtifactSummary;
constexpr auto kRight = TextTable::Align::kRight;

Value JsonOf(const SavedDevice& saved, const ArtifactSummary& summary) {
  const storage::Compatibility& fits = summary.compatibility;
  return Value::Object({{"device", summary.device},
                        {"path", saved.name},
                        {"version", summary.version},
                        {"timestamp", summary.timestamp},
                        {"memory_layout_hash", summary.layout_hash},
                        {"root_digest", summary.root_digest},
                        {"model", fits.model},
                        {"rank", fits.rank ? Value(*fits.rank) : Value()},
                        {"device_kind", fits.device_kind},
                        {"granularity", fits.granularity},
                        {"shard_count", uint64_t{summary.shards}},
                        {"allocation_count", uint64_t{summary.allocations}},
                        {"tensor_count", uint64_t{summary.metadata_keys}},
                        {"chunk_count", uint64_t{summary.chunks}},
                        {"bytes", summary.bytes},
                        {"zero_bytes", summary.zero_bytes}});
}

void AddRow(TextTable& table, const ArtifactSummary& summary) {
  table.Add({std::to_string(summary.device), std::to_string(summary.version),
             TimeText(static_cast<int64_t>(summary.timestamp * 1000)), summary.compatibility.model,
             std::to_string(summary.metadata_keys), std::to_string(summary.allocations),
             SizeText(summary.bytes), SizeText(summary.zero_bytes), std::to_string(summary.shards),
             std::to_string(summary.chunks), ShortHash(summary.layout_hash),
             ShortHash(summary.root_digest)});
}

class Inspect : public SavedCommand {
 public:
  Inspect() : SavedCommand("inspect") {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.AddPositional({.name = "artifact",
                         .help = "Directory of a checkpoint or of one of its devices",
                         .target = &path_,
                         .value_name = "file",
                         .required = true});
    table.Add({.name = "tensors",
               .help = "Also list tensors and allocations",
               .target = &tensors_,
               .letter = 't'});
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const auto all, OpenWhole(path_));
    if (json()) {
      PrintJson(terminal, all);
      return kExitOk;
    }
    TextTable table({{"DEVICE", kRight},
                     {"VERSION", kRight},
                     {"SAVED (UTC)"},
                     {"MODEL"},
                     {"TENSORS", kRight},
                     {"ALLOCATIONS", kRight},
                     {"MEMORY", kRight},
                     {"ZEROS", kRight},
                     {"SHARDS", kRight},
                     {"CHUNKS", kRight},
                     {"LAYOUT"},
                     {"ROOT"}});
    for (const SavedDevice& saved : all) {
      AddRow(table, Summarize((*saved.reader)->artifact()));
    }
    terminal.out << table.Text();
    for (size_t i = 0; tensors_ && i < all.size(); ++i) {
      terminal.out << fmt::format("\n{}\n", all[i].name)
                   << ViewOf((*all[i].reader)->artifact()).Table();
    }
    return kExitOk;
  }

 private:
  void PrintJson(Terminal& terminal, const std::vector<SavedDevice>& all) const {
    Value devices = Value::Array();
    for (const SavedDevice& saved : all) {
      const storage::Artifact& artifact = (*saved.reader)->artifact();
      Value one = JsonOf(saved, Summarize(artifact));
      if (tensors_) {
        ViewOf(artifact).AddJson(one);
      }
      devices.Append(std::move(one));
    }
    Print(terminal, Value::Object({{"path", path_}, {"devices", std::move(devices)}}));
  }

  std::string path_;
  bool tensors_ = false;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeInspect() { return std::make_unique<Inspect>(); }

}  // namespace hearth::gms::ctl
