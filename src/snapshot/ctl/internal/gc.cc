#include <fmt/format.h>

#include <ostream>

#include "base/clock.h"
#include "base/duration.h"
#include "snapshot/ctl/internal/cluster_command.h"
#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/named_artifacts.h"
#include "snapshot/ctl/internal/storage_command.h"

namespace hearth::snapshot::ctl {
namespace {

constexpr Duration kLimit = std::chrono::minutes(2);

// What becomes of one thing in the storage, and why.
struct Fate {
  std::string name;
  bool removed = false;
  std::string why;
  uint64_t bytes = 0;
};

class Gc : public StorageCommand {
 public:
  Gc() : StorageCommand("gc") {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.Add({.name = "dry-run", .help = "Remove nothing, say what would be", .target = &dry_});
    table.Add({.name = "older-than",
               .help = "Also remove artifacts of that age that nothing in the cluster names; none "
                       "without it",
               .target = &older_than_,
               .check = Positive()});
    table.Add({.name = "keep",
               .help = "Id of an artifact to keep whatever its age; may be repeated",
               .target = &keep_});
    table.Add({.name = "no-cluster",
               .help = "Ask no cluster: every artifact of that age goes",
               .target = &no_cluster_});
    cluster_.AddTo(table);
    table.AddNotes(
        "An artifact is named, in any namespace, by the PodSnapshotContent it was made for, by\n"
        "DynamoCheckpoints, and by the label nvidia.com/snapshot-checkpoint-id of pods,\n"
        "PodSnapshots, and workloads or the pods that they make. What a capture still works on\n"
        "stays.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const StorageLayout layout, Layout(terminal.files));
    std::vector<Fate> fates;
    ASSIGN_OR_RETURN(const auto abandoned, RemoveAbandoned(terminal.files, layout, dry_));
    fates.reserve(abandoned.size());
    for (const std::string& path : abandoned) {
      fates.push_back({path, true, "left by a capture or removal that was killed", 0});
    }
    if (older_than_ > Duration::zero()) {
      RETURN_IF_ERROR(CollectArtifacts(terminal, layout, fates));
    }
    PrintFates(terminal, fates);
    return kExitOk;
  }

 private:
  Status CollectArtifacts(Terminal& terminal, const StorageLayout& layout,
                          std::vector<Fate>& fates) {
    // Before it is asked who names them: what is made meanwhile is not among them.
    ASSIGN_OR_RETURN(auto places, ListArtifacts(terminal.files, layout));
    ASSIGN_OR_RETURN(const auto weights, ListLoneWeights(terminal.files, layout));
    places.insert(places.end(), weights.begin(), weights.end());
    NamedArtifacts named{.ids = {keep_.begin(), keep_.end()}};
    if (!no_cluster_) {
      ASSIGN_OR_RETURN(const auto cluster, cluster_.Connect());
      RETURN_IF_ERROR(
          FindNamed(cluster->client(), WaitLimit::For(RealClock(), kLimit, terminal.stop), named));
    }
    for (const ArtifactPlace& place : places) {
      Fate fate = FateOf(terminal.files, place, named);
      if (fate.removed && !dry_) {
        RETURN_IF_ERROR(RemoveArtifact(terminal.files, layout, place.id, place.version));
      }
      fates.push_back(std::move(fate));
    }
    return Status::Ok();
  }

  Fate FateOf(FileSystem& files, const ArtifactPlace& place, const NamedArtifacts& named) const {
    Fate fate{.name = NameOf(place)};
    const Result<Artifact> artifact = Artifact::Open(place.directory);
    // What is damaged is still somebody's.
    const Result<Manifest> manifest = PeekManifest(place.directory);
    const auto folder = files.Stat(place.directory);
    const bool dated = manifest.ok() && manifest->created_at != WallTime();
    const WallTime made = dated         ? manifest->created_at
                          : folder.ok() ? folder->modified
                                        : RealClock().WallNow();
    const Duration age = RealClock().WallNow() - made;
    fate.bytes = artifact.ok() ? artifact->contents().TotalBytes() : 0;
    const std::string age_text =
        command_line::AgeText(std::chrono::duration_cast<std::chrono::milliseconds>(age).count());
    if (named.HasId(place.id)) {
      fate.why = "its id is still named";
    } else if (manifest.ok() && named.HasContentOf(*manifest)) {
      fate.why = "the PodSnapshotContent it was made for is there";
    } else if (age < older_than_) {
      fate.why = fmt::format("{} old", age_text);
    } else {
      fate.removed = true;
      fate.why = fmt::format("{} old, and nothing names its id", age_text);
    }
    return fate;
  }

  void PrintFates(Terminal& terminal, const std::vector<Fate>& fates) const {
    uint64_t bytes = 0;
    size_t removed = 0;
    TextTable table({{"NAME"}, {dry_ ? "WOULD BE" : "IS"}, {"BECAUSE"}});
    for (const Fate& fate : fates) {
      bytes += fate.removed ? fate.bytes : 0;
      removed += fate.removed ? 1U : 0U;
      table.Add({fate.name, fate.removed ? "removed" : "kept", fate.why});
      if (json()) {
        Print(terminal, Value::Object({{"name", fate.name},
                                       {"removed", fate.removed},
                                       {"dry_run", dry_},
                                       {"because", fate.why},
                                       {"bytes", fate.bytes}}));
      }
    }
    if (!json()) {
      terminal.out << (fates.empty() ? "" : table.Text())
                   << fmt::format("{} {}, {} of artifacts.\n", removed,
                                  dry_ ? "would be removed" : "removed", SizeText(bytes));
    }
  }

  bool dry_ = false;
  Duration older_than_{};
  std::vector<std::string> keep_;
  bool no_cluster_ = false;
  ClusterOptions cluster_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeGc() { return std::make_unique<Gc>(); }

}  // namespace hearth::snapshot::ctl
