#include "agent/host/journal.h"

#include <fmt/format.h>

#include <algorithm>

#include "agent/host/freezer.h"
#include "base/publish.h"
#include "base/random.h"
#include "json/parse.h"

namespace hearth::agent {
namespace {

using json::Value;

constexpr std::string_view kJournalEnd = ".json";
constexpr std::string_view kOwnerEnd = ".owner";
constexpr uint64_t kLargest = 64 << 10;
constexpr const char* kMark = "HEARTH_JOB";

std::string Write(const JournalEntry& entry) {
  return Value::Object(
             {{"work", entry.work == JournalEntry::Work::kCapture ? "capture" : "restore"},
              {"containerId", entry.container_id},
              {"checkpointId", entry.checkpoint_id},
              {"pid", entry.pid},
              {"freezer", entry.freezer},
              {"networkNamespace", entry.network_namespace},
              {"artifactVersion", entry.artifact_version},
              {"contentUid", entry.content_uid}})
             .Write() +
         "\n";
}

std::string TextOf(const Value& map, std::string_view name) {
  const Value* const value = map.Find(name);
  return value != nullptr && value->IsString() ? value->string() : "";
}

Result<JournalEntry> Read(std::string_view text) {
  ASSIGN_OR_RETURN(const Value map, json::ParseValue(text));
  if (!map.IsObject()) {
    return InvalidError("a journal is a map");
  }
  const Value* const pid = map.Find("pid");
  const Value* const network = map.Find("networkNamespace");
  const std::string version = TextOf(map, "artifactVersion");
  return JournalEntry{
      .work = TextOf(map, "work") == "restore" ? JournalEntry::Work::kRestore
                                               : JournalEntry::Work::kCapture,
      .container_id = TextOf(map, "containerId"),
      .checkpoint_id = TextOf(map, "checkpointId"),
      .pid = pid == nullptr ? 0 : static_cast<int>(pid->Int().value_or(0)),
      .freezer = TextOf(map, "freezer"),
      .network_namespace =
          network == nullptr ? 0 : static_cast<uint64_t>(network->Int().value_or(0)),
      .artifact_version = version.empty() ? JournalEntry().artifact_version : version,
      .content_uid = TextOf(map, "contentUid"),
  };
}

std::string With(const std::string& path, std::string_view end) { return path + std::string(end); }

// Nobody else could know it.
ProcessMark MarkOf(const std::string& path) { return {kMark, path.substr(path.rfind('/') + 1)}; }

// Whole or not at all for whoever comes after us. Not synced: what ends the kernel ends the
// processes, too, and a disk would keep the order waiting.
Status Put(FileSystem& files, const std::string& path, std::string_view text) {
  const std::string staged = StagingName(path);
  Status put = files.Write(staged, text, 0600);
  put = put.ok() ? files.Rename(staged, path) : put;
  if (!put.ok()) {
    static_cast<void>(files.Remove(staged));
  }
  return put.WithContext("journal " + path);
}

// Of all journals, without the ends of their files.
Result<std::vector<std::string>> Paths(FileSystem& files, const std::string& directory) {
  std::vector<std::string> paths;
  const auto names = files.List(directory);
  if (names.status().Is(Code::kNotFound)) {
    return paths;
  }
  RETURN_IF_ERROR(names.status());
  for (const std::string& name : *names) {
    if (name.ends_with(kOwnerEnd)) {
      paths.push_back(
          fmt::format("{}/{}", directory, name.substr(0, name.size() - kOwnerEnd.size())));
    }
  }
  return paths;
}

// Of one container.
Result<std::vector<std::string>> PathsOf(FileSystem& files, const std::string& directory,
                                         const std::string& container_id) {
  ASSIGN_OR_RETURN(std::vector<std::string> paths, Paths(files, directory));
  std::erase_if(paths, [&](const std::string& path) {
    const auto text = files.Read(With(path, kJournalEnd), kLargest);
    const Result<JournalEntry> entry = text.ok() ? Read(*text) : text.status();
    return !entry.ok() || entry->container_id != container_id;
  });
  return paths;
}

bool OwnerLives(const std::string& path) {
  return disk::OwnerLock::TryTakeExisting(With(path, kOwnerEnd)).status().Is(Code::kConflict);
}

Status End(const JournalEntry& entry, const EndJob& end) {
  // Both are tried: who cannot be thawed can be killed.
  const Status thawed = Thaw(entry.freezer);
  const Status ended = end ? end(entry) : Status::Ok();
  return (thawed.ok() ? ended : thawed).WithContext("container " + entry.container_id);
}

Status RecoverOne(FileSystem& files, const std::string& path, const EndJob& end, Duration patience,
                  Unfinished& unfinished) {
  // The container is let go all the same: who is stopped for ever is worse off.
  const Status programs = EndMarked(MarkOf(path), WaitLimit::For(RealClock(), patience));
  const auto text = files.Read(With(path, kJournalEnd), kLargest);
  if (text.ok()) {
    auto entry = Read(*text);
    if (entry.ok()) {
      const Status ended = End(*entry, end);
      unfinished.entries.push_back(*std::move(entry));
      RETURN_IF_ERROR(ended);
      RETURN_IF_ERROR(programs.WithContext("container " + unfinished.entries.back().container_id));
    } else {
      unfinished.unreadable.push_back(With(path, kJournalEnd));
    }
    RETURN_IF_ERROR(files.Remove(With(path, kJournalEnd)));
  } else if (!text.status().Is(Code::kNotFound)) {
    return text.status();
  }
  // It may have died before it had written.
  RETURN_IF_ERROR(RemoveStale(files, With(path, kJournalEnd)));
  return files.Remove(With(path, kOwnerEnd));
}

}  // namespace

Result<std::unique_ptr<Journal>> Journal::Begin(FileSystem& files, const std::string& directory,
                                                const JournalEntry& entry) {
  RETURN_IF_ERROR(files.MakeDirectories(directory, 0700));
  std::unique_ptr<Journal> journal(
      new Journal(files, fmt::format("{}/{:016x}", directory, Random::Seeded().Next())));
  ASSIGN_OR_RETURN(journal->owner_, disk::OwnerLock::Take(With(journal->path_, kOwnerEnd)));
  RETURN_IF_ERROR(Put(files, With(journal->path_, kJournalEnd), Write(entry)));
  return journal;
}

ProcessMark Journal::mark() const { return MarkOf(path_); }

Journal::~Journal() {
  if (stays_) {
    return;
  }
  // What stays is found by whoever recovers, who finds nothing to undo.
  static_cast<void>(files_.Remove(With(path_, kJournalEnd)));
  static_cast<void>(files_.Remove(With(path_, kOwnerEnd)));
}

Result<Unfinished> RecoverUnfinished(FileSystem& files, const std::string& directory,
                                     const EndJob& end, Duration patience) {
  Unfinished unfinished;
  ASSIGN_OR_RETURN(const std::vector<std::string> paths, Paths(files, directory));
  for (const std::string& path : paths) {
    const auto owner = disk::OwnerLock::TryTakeExisting(With(path, kOwnerEnd));
    const Status recovered =
        owner.ok() ? RecoverOne(files, path, end, patience, unfinished) : Status::Ok();
    if (!recovered.ok()) {
      unfinished.failures.push_back(recovered);
    }
  }
  return unfinished;
}

Result<bool> IsUnderWay(FileSystem& files, const std::string& directory,
                        const std::string& container_id) {
  ASSIGN_OR_RETURN(const std::vector<std::string> paths, PathsOf(files, directory, container_id));
  return std::any_of(paths.begin(), paths.end(), OwnerLives);
}

Result<bool> EndLeftPrograms(FileSystem& files, const std::string& directory,
                             const std::string& container_id, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const std::vector<std::string> paths, PathsOf(files, directory, container_id));
  bool any = false;
  for (const std::string& path : paths) {
    if (!OwnerLives(path)) {
      RETURN_IF_ERROR(EndMarked(MarkOf(path), limit).WithContext("container " + container_id));
      any = true;
    }
  }
  return any;
}

}  // namespace hearth::agent
