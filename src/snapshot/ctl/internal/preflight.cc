#include <ostream>

#include "json/parse.h"
#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/node_command.h"
#include "snapshot/ctl/internal/node_rules.h"
#include "snapshot/ctl/internal/storage_command.h"

namespace hearth::snapshot::ctl {
namespace {

constexpr uint64_t kMaxFactsBytes = 1ULL << 20U;

class Preflight : public StorageCommand {
 public:
  Preflight() : StorageCommand("preflight", "it will not restore there; the table says why") {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.AddPositional({.name = "artifact",
                         .help = "ID, ID/VERSION or a directory",
                         .target = &artifact_,
                         .required = true});
    table.AddPositional({.name = "node",
                         .help = "What snapshotctl check -o json printed there; this machine "
                                 "without it",
                         .target = &node_,
                         .value_name = "file"});
    table.Add({.name = "image-digest",
               .help = "Digest of the image of the pod that is to be restored into",
               .target = &image_digest_});
    criu_.AddTo(table);
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const Artifact artifact, Open(terminal.files, artifact_));
    ASSIGN_OR_RETURN(const NodeFacts facts, Facts(terminal));
    const std::vector<Judgement> judgements =
        JudgeRestore(artifact.manifest(), facts, image_digest_);
    if (json()) {
      Print(terminal, Value::Object({{"checkpoint_id", artifact.manifest().checkpoint_id},
                                     {"version", artifact.manifest().artifact_version},
                                     {"restorable", NoneBad(judgements)},
                                     {"checks", JudgementsJson(judgements)}}));
    } else {
      terminal.out << JudgementText(judgements, "It will restore there",
                                    "It will not restore there");
    }
    return NoneBad(judgements) ? kExitOk : kExitNo;
  }

 private:
  Result<NodeFacts> Facts(Terminal& terminal) const {
    if (node_.empty()) {
      return criu_.Look(terminal);
    }
    ASSIGN_OR_RETURN(const std::string text, terminal.files.Read(node_, kMaxFactsBytes));
    const auto value = json::ParseValue(text);
    if (!value.ok()) {
      return value.status().WithContext(node_);
    }
    return ReadNodeFacts(*value).WithContext(node_);
  }

  std::string artifact_;
  std::string node_;
  std::string image_digest_;
  CriuOption criu_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakePreflight() { return std::make_unique<Preflight>(); }

}  // namespace hearth::snapshot::ctl
