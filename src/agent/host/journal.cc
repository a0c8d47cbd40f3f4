#include "agent/host/journal.h"

#include <fmt/format.h>

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

std::string Write(const JournalEntry& entry) {
  return Value::Object(
             {{"work", entry.work == JournalEntry::Work::kCapture ? "capture" : "restore"},
              {"containerId", entry.container_id},
              {"checkpointId", entry.checkpoint_id},
              {"pid", entry.pid},
              {"freezer", entry.freezer},
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
  const std::string version = TextOf(map, "artifactVersion");
  return JournalEntry{
      .work = TextOf(map, "work") == "restore" ? JournalEntry::Work::kRestore
                                               : JournalEntry::Work::kCapture,
      .container_id = TextOf(map, "containerId"),
      .checkpoint_id = TextOf(map, "checkpointId"),
      .pid = pid == nullptr ? 0 : static_cast<int>(pid->Int().value_or(0)),
      .freezer = TextOf(map, "freezer"),
      .artifact_version = version.empty() ? JournalEntry().artifact_version : version,
      .content_uid = TextOf(map, "contentUid"),
  };
}

std::string With(const std::string& path, std::string_view end) { return path + std::string(end); }

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

Status End(const JournalEntry& entry, const EndJob& end) {
  // Both are tried: who cannot be thawed can be killed.
  const Status thawed = Thaw(entry.freezer);
  const Status ended = end ? end(entry) : Status::Ok();
  return (thawed.ok() ? ended : thawed).WithContext("container " + entry.container_id);
}

Status RecoverOne(FileSystem& files, const std::string& path, const EndJob& end,
                  Unfinished& unfinished) {
  const auto text = files.Read(With(path, kJournalEnd), kLargest);
  if (text.ok()) {
    auto entry = Read(*text);
    if (entry.ok()) {
      const Status ended = End(*entry, end);
      unfinished.entries.push_back(*std::move(entry));
      RETURN_IF_ERROR(ended);
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
  RETURN_IF_ERROR(PublishFile(files, With(journal->path_, kJournalEnd), Write(entry), 0600));
  return journal;
}

Journal::~Journal() {
  // What stays is found by whoever recovers, who finds nothing to undo.
  static_cast<void>(files_.Remove(With(path_, kJournalEnd)));
  static_cast<void>(files_.Remove(With(path_, kOwnerEnd)));
}

Result<Unfinished> RecoverUnfinished(FileSystem& files, const std::string& directory,
                                     const EndJob& end) {
  Unfinished unfinished;
  ASSIGN_OR_RETURN(const std::vector<std::string> paths, Paths(files, directory));
  for (const std::string& path : paths) {
    const auto owner = disk::OwnerLock::TryTakeExisting(With(path, kOwnerEnd));
    const Status recovered = owner.ok() ? RecoverOne(files, path, end, unfinished) : Status::Ok();
    if (!recovered.ok()) {
      unfinished.failures.push_back(recovered);
    }
  }
  return unfinished;
}

Result<bool> IsUnderWay(FileSystem& files, const std::string& directory,
                        const std::string& container_id) {
  ASSIGN_OR_RETURN(const std::vector<std::string> paths, Paths(files, directory));
  for (const std::string& path : paths) {
    const auto text = files.Read(With(path, kJournalEnd), kLargest);
    const Result<JournalEntry> entry = text.ok() ? Read(*text) : text.status();
    if (entry.ok() && entry->container_id == container_id &&
        disk::OwnerLock::TryTakeExisting(With(path, kOwnerEnd)).status().Is(Code::kConflict)) {
      return true;
    }
  }
  return false;
}

}  // namespace hearth::agent
