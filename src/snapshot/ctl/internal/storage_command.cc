#include "snapshot/ctl/internal/storage_command.h"

#include <fmt/format.h>

#include "base/nearest_name.h"
#include "base/strings.h"

namespace hearth::snapshot::ctl {
namespace {

std::vector<ArtifactPlace> OfId(const std::vector<ArtifactPlace>& all, std::string_view id) {
  std::vector<ArtifactPlace> found;
  for (const ArtifactPlace& place : all) {
    if (place.id == id) {
      found.push_back(place);
    }
  }
  return found;
}

Status NoSuch(const std::string& text, const std::vector<ArtifactPlace>& all,
              const StorageLayout& layout) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const ArtifactPlace& place : all) {
    names.push_back(place.id);
  }
  const std::string nearest = NearestName(text, names);
  return NotFoundError(
      fmt::format("there is no artifact {} in {}{} (snapshotctl list shows the {} "
                  "that are there; --storage looks elsewhere)",
                  Excerpt(text, 120), layout.base(),
                  nearest.empty() ? "" : "; did you mean " + nearest + "?", all.size()));
}

Status SayWhich(const std::vector<ArtifactPlace>& versions) {
  std::vector<std::string> names;
  names.reserve(versions.size());
  for (const ArtifactPlace& place : versions) {
    names.push_back(NameOf(place));
  }
  return InvalidError(fmt::format("{} has {} versions; say which: {}", versions.front().id,
                                  versions.size(), Join(names, ", ")));
}

}  // namespace

std::string NameOf(const ArtifactPlace& place) {
  return place.version.empty() ? place.directory : place.id + "/" + place.version;
}

void StorageCommand::AddOwnOptions(OptionTable& table) {
  AddMoreOptions(table);
  table.Add({.name = "storage",
             .help = "Directory that artifacts are kept in",
             .target = &storage_,
             .value_name = "file"});
}

Result<StorageLayout> StorageCommand::Layout(FileSystem& files) const {
  auto layout = StorageLayout::Create(storage_).WithContext("--storage");
  RETURN_IF_ERROR(layout.status());
  RETURN_IF_ERROR(files.Stat(layout->base()).status().WithContext("--storage"));
  return layout;
}

Result<ArtifactPlace> StorageCommand::Find(FileSystem& files, const std::string& text) const {
  if (text.starts_with('/') || text.starts_with("./") || text.starts_with("../")) {
    return ArtifactPlace{.id = text, .version = "", .directory = text};
  }
  const size_t slash = text.find('/');
  const std::string id = text.substr(0, slash);
  ASSIGN_OR_RETURN(const StorageLayout layout, Layout(files));
  ASSIGN_OR_RETURN(const std::vector<ArtifactPlace> all, ListArtifacts(files, layout));
  const std::vector<ArtifactPlace> versions = OfId(all, id);
  if (versions.size() > 1 && slash == std::string::npos) {
    return SayWhich(versions);
  }
  for (const ArtifactPlace& place : versions) {
    if (slash == std::string::npos || place.version == text.substr(slash + 1)) {
      return place;
    }
  }
  return NoSuch(text, all, layout);
}

Result<Artifact> StorageCommand::Open(FileSystem& files, const std::string& text) const {
  ASSIGN_OR_RETURN(const ArtifactPlace place, Find(files, text));
  return Artifact::Open(place.directory);
}

}  // namespace hearth::snapshot::ctl
