#include "snapshot/ctl/internal/artifact_diff.h"

#include <fmt/format.h>

#include <map>

#include "command_line/words.h"

namespace hearth::snapshot::ctl {
namespace {

using command_line::SizeText;
using Table = std::map<std::string, std::string>;

Table EnvironmentOf(const Side& side) {
  const SourceEnvironment made = side.manifest.environment.value_or(SourceEnvironment());
  Table table = {{"kernel", made.kernel},
                 {"architecture", made.architecture},
                 {"processor", made.cpu_model},
                 {"CRIU", made.criu_version},
                 {"runtime", made.runtime},
                 {"image", made.image},
                 {"image digest", made.image_digest}};
  table["GPUs"] =
      std::to_string(side.manifest.cuda ? side.manifest.cuda->gpu_uuids.size() : size_t{0});
  return table;
}

Table ProcessesOf(const Side& side) {
  Table table;
  for (const images::CapturedProcess& process : side.captured.processes) {
    table[fmt::format("{} {}", process.pid, process.name)] =
        fmt::format("{} threads, {} mapped, {} saved", process.threads,
                    SizeText(process.mapped_bytes), SizeText(process.saved_bytes));
  }
  return table;
}

Table SocketsOf(const Side& side) {
  Table table;
  for (const auto& [id, file] : side.captured.files) {
    if (file.type == "inet") {
      const images::InetSocket& inet = file.inet;
      table[fmt::format("{} {}{}", inet.protocol, inet.local,
                        inet.peer.empty() ? "" : " to " + inet.peer)] = inet.state;
    } else if (file.type == "unix" && !file.unix_socket.name.empty()) {
      table["unix " + file.unix_socket.name] = file.unix_socket.state;
    }
  }
  return table;
}

Table MountsOf(const Side& side) {
  Table table;
  for (const images::SavedMount& mount : side.captured.mounts) {
    table[mount.mount_point] =
        fmt::format("{} from {}", mount.type, mount.external ? "the pod" : "images");
  }
  return table;
}

void AddDifferences(std::string_view part, const Table& a, const Table& b,
                    std::vector<Difference>& all) {
  for (const auto& [name, value] : a) {
    const auto other = b.find(name);
    if (other == b.end() || other->second != value) {
      all.push_back({part, name, value, other == b.end() ? "" : other->second});
    }
  }
  for (const auto& [name, value] : b) {
    if (!a.contains(name)) {
      all.push_back({part, name, "", value});
    }
  }
}

size_t ChangedChunks(const StoredFile& a, const StoredFile& b) {
  size_t changed = 0;
  for (size_t i = 0; i < std::max(a.chunks.size(), b.chunks.size()); ++i) {
    changed += i >= a.chunks.size() || i >= b.chunks.size() || a.chunks[i] != b.chunks[i] ? 1U : 0U;
  }
  return changed;
}

// CRIU numbers files of a capture by pids and the like; the same name is the same part.
void AddFiles(const Side& a, const Side& b, std::vector<Difference>& all) {
  for (const StoredFile& file : a.contents.files) {
    const StoredFile* const other = b.contents.Find(file.name);
    if (other == nullptr) {
      all.push_back({"file", file.name, SizeText(file.bytes), ""});
    } else if (file.packing.has_value() != other->packing.has_value()) {
      all.push_back({"file", file.name, SizeText(file.bytes),
                     SizeText(other->bytes) + ", and only one of them is compressed: what is in "
                                              "them is not compared"});
    } else if (file != *other) {
      const size_t changed = ChangedChunks(file, *other);
      all.push_back({"file", file.name, SizeText(file.bytes),
                     fmt::format("{}, {} of {} chunks differ", SizeText(other->bytes), changed,
                                 std::max(file.chunks.size(), other->chunks.size()))});
    }
  }
  for (const StoredFile& file : b.contents.files) {
    if (a.contents.Find(file.name) == nullptr) {
      all.push_back({"file", file.name, "", SizeText(file.bytes)});
    }
  }
}

}  // namespace

std::vector<Difference> Compare(const Side& a, const Side& b) {
  std::vector<Difference> all;
  AddDifferences("environment", EnvironmentOf(a), EnvironmentOf(b), all);
  AddDifferences("process", ProcessesOf(a), ProcessesOf(b), all);
  AddDifferences("socket", SocketsOf(a), SocketsOf(b), all);
  AddDifferences("mount", MountsOf(a), MountsOf(b), all);
  AddFiles(a, b, all);
  return all;
}

}  // namespace hearth::snapshot::ctl
