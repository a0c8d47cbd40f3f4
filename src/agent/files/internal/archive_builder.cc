#include "agent/files/internal/archive_builder.h"

#include "agent/files/internal/file_body.h"
#include "agent/files/internal/pax_header.h"

namespace hearth::agent::files {
namespace {

bool HasSeveralNames(const struct stat& stat) {
  return !S_ISDIR(stat.st_mode) && stat.st_nlink > 1;
}

}  // namespace

bool ArchiveBuilder::Knows(const struct stat& stat) const {
  return HasSeveralNames(stat) &&
         state_.Lock()->first_names.contains(Inode(stat.st_dev, stat.st_ino));
}

Result<bool> ArchiveBuilder::AddedAsLink(State& state, const struct stat& stat,
                                         const FileEntry& entry) {
  state.contents.files += entry.kind == FileKind::kDirectory ? 0 : 1;
  if (!HasSeveralNames(stat)) {
    return false;
  }
  const auto [first, is_first] =
      state.first_names.emplace(Inode(stat.st_dev, stat.st_ino), entry.path);
  if (is_first) {
    return false;
  }
  FileEntry link;
  link.path = entry.path;
  link.kind = FileKind::kHardLink;
  link.mode = entry.mode;
  link.uid = entry.uid;
  link.gid = entry.gid;
  link.modified = entry.modified;
  link.target = first->second;
  std::string header;
  AppendTarHeader(header, link);
  RETURN_IF_ERROR(state.output.Append(header));
  return true;
}

Status ArchiveBuilder::Add(const struct stat& stat, const FileEntry& entry,
                           std::string_view record) {
  auto state = state_.Lock();
  ASSIGN_OR_RETURN(const bool linked, AddedAsLink(*state, stat, entry));
  if (linked) {
    return Status::Ok();
  }
  state->contents.bytes += entry.size;
  return state->output.Append(record);
}

Status ArchiveBuilder::AddLarge(const struct stat& stat, const FileEntry& entry, int fd,
                                const WaitLimit& limit) {
  std::string header;
  AppendTarHeader(header, entry);
  auto state = state_.Lock();
  ASSIGN_OR_RETURN(const bool linked, AddedAsLink(*state, stat, entry));
  if (linked) {
    return Status::Ok();
  }
  state->contents.bytes += entry.size;
  RETURN_IF_ERROR(state->output.Append(header));
  return CopyBody(fd, entry, state->output, limit);
}

Result<ArchiveBuilder::Contents> ArchiveBuilder::Finish() {
  constexpr uint64_t kEndOfArchive = 2 * kTarBlock;
  auto state = state_.Lock();
  RETURN_IF_ERROR(state->output.AppendZeros(kEndOfArchive));
  RETURN_IF_ERROR(state->output.Finish());
  return std::move(state->contents);
}

}  // namespace hearth::agent::files
