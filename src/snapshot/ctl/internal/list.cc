#include <ostream>

#include "json/time.h"
#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/storage_command.h"

namespace hearth::snapshot::ctl {
namespace {

constexpr auto kRight = TextTable::Align::kRight;

struct Listed {
  ArtifactPlace place;
  Result<Artifact> artifact;
};

std::string StateOf(const Result<Artifact>& artifact) {
  if (!artifact.ok()) {
    return "damaged: " + std::string(artifact.status().message());
  }
  return artifact->sealed() ? "sealed" : "without digests";
}

uint64_t StoredBytes(const Artifact& artifact) {
  return artifact.manifest().integrity ? artifact.manifest().integrity->stored_bytes
                                       : artifact.contents().TotalBytes();
}

std::string PodOf(const Manifest& manifest) {
  return manifest.source.pod_name.empty()
             ? ""
             : manifest.source.pod_namespace + "/" + manifest.source.pod_name;
}

void AddRow(TextTable& table, const Listed& listed) {
  if (!listed.artifact.ok()) {
    table.Add(
        {listed.place.id, listed.place.version, "", "", "", "", "", StateOf(listed.artifact)});
    return;
  }
  const Manifest& manifest = listed.artifact->manifest();
  table.Add({listed.place.id, listed.place.version, json::Time{manifest.created_at}.ToString(),
             SizeText(listed.artifact->contents().TotalBytes()),
             SizeText(StoredBytes(*listed.artifact)), PodOf(manifest), manifest.source.node,
             StateOf(listed.artifact)});
}

Value JsonOf(const Listed& listed) {
  Value value = Value::Object({{"checkpoint_id", listed.place.id},
                               {"version", listed.place.version},
                               {"directory", listed.place.directory},
                               {"whole", listed.artifact.ok()}});
  if (!listed.artifact.ok()) {
    value.Set("error", Value(listed.artifact.status().message()));
    return value;
  }
  const Manifest& manifest = listed.artifact->manifest();
  value.Set("created_at", json::Time{manifest.created_at}.ToString());
  value.Set("bytes", listed.artifact->contents().TotalBytes());
  value.Set("stored_bytes", StoredBytes(*listed.artifact));
  value.Set("namespace", manifest.source.pod_namespace);
  value.Set("pod", manifest.source.pod_name);
  value.Set("node", manifest.source.node);
  value.Set("root_digest", listed.artifact->RootHex());
  return value;
}

class List : public StorageCommand {
 public:
  List() : StorageCommand("list") {}

 protected:
  void AddMoreOptions(OptionTable& /*table*/) override {}

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const StorageLayout layout, Layout(terminal.files));
    ASSIGN_OR_RETURN(const auto places, ListArtifacts(terminal.files, layout));
    std::vector<Listed> all;
    all.reserve(places.size());
    for (const ArtifactPlace& place : places) {
      all.push_back({place, Artifact::Open(place.directory)});
    }
    if (json()) {
      for (const Listed& listed : all) {
        Print(terminal, JsonOf(listed));
      }
      return kExitOk;
    }
    if (all.empty()) {
      terminal.out << "There are no artifacts in " << layout.base() << ".\n";
      return kExitOk;
    }
    TextTable table({{"ID"},
                     {"VERSION", kRight},
                     {"CAPTURED"},
                     {"SIZE", kRight},
                     {"ON DISK", kRight},
                     {"POD"},
                     {"NODE"},
                     {"STATE"}});
    for (const Listed& listed : all) {
      AddRow(table, listed);
    }
    terminal.out << table.Text();
    return kExitOk;
  }
};

}  // namespace

std::unique_ptr<command_line::Command> MakeList() { return std::make_unique<List>(); }

}  // namespace hearth::snapshot::ctl
