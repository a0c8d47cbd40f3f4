#include "agent/host/process_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/file_system.h"
#include "base/strings.h"

namespace hearth::agent {
namespace {

std::vector<int> Numbers(std::string_view text) {
  std::vector<int> numbers;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  while (at != end) {
    int number = 0;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error == std::errc()) {
      numbers.push_back(number);
      at = next;
    } else {
      ++at;
    }
  }
  return numbers;
}

// The last of "real effective saved file".
uint32_t FileId(std::string_view value) {
  const size_t blank = value.find_last_of(" \t");
  const std::string_view last = blank == std::string_view::npos ? value : value.substr(blank + 1);
  uint32_t id = 0;
  std::from_chars(last.data(), last.data() + last.size(), id);
  return id;
}

uint64_t Bits(std::string_view hexadecimal) {
  constexpr int kHexadecimal = 16;
  uint64_t bits = 0;
  std::from_chars(hexadecimal.data(), hexadecimal.data() + hexadecimal.size(), bits, kHexadecimal);
  return bits;
}

}  // namespace

Result<ProcessFacts> ParseProcessStatus(std::string_view text) {
  ProcessFacts facts;
  for (const std::string_view line : Split(text, '\n')) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      continue;
    }
    const std::string_view key = line.substr(0, colon);
    const std::string_view value = Trim(line.substr(colon + 1));
    const std::vector<int> numbers = key == "Name" ? std::vector<int>() : Numbers(value);
    if (key == "Name") {
      facts.name = value;
    } else if (key == "State" && !value.empty()) {
      facts.state = value.front();
    } else if (key == "Pid" && !numbers.empty()) {
      facts.pid = numbers.front();
    } else if (key == "PPid" && !numbers.empty()) {
      facts.parent = numbers.front();
    } else if (key == "NSpid") {
      facts.ns_pids = numbers;
    } else if (key == "Uid") {
      facts.file_user = FileId(value);
    } else if (key == "Gid") {
      facts.file_group = FileId(value);
    } else if (key == "RssAnon" && !numbers.empty()) {
      facts.own_bytes = static_cast<uint64_t>(numbers.front()) << 10U;
    } else if (key == "RssShmem" && !numbers.empty()) {
      facts.shared_bytes = static_cast<uint64_t>(numbers.front()) << 10U;
    } else if (key == "CapBnd") {
      facts.most_capabilities = Bits(value);
    } else if (key == "NoNewPrivs") {
      facts.no_new_privileges = value == "1";
    }
  }
  if (facts.pid <= 0) {
    return InvalidError("a process status without its pid");
  }
  return facts;
}

std::optional<uint64_t> ParseStartTicks(std::string_view text) {
  constexpr size_t kStartTime = 19;  // of those behind the name
  const size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 > text.size()) {
    return std::nullopt;
  }
  const auto fields = Split(text.substr(name_end + 2), ' ');
  if (fields.size() <= kStartTime) {
    return std::nullopt;
  }
  const std::string_view field = fields[kStartTime];
  uint64_t ticks = 0;
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), ticks);
  return error == std::errc() && end == field.data() + field.size() ? std::optional(ticks)
                                                                    : std::nullopt;
}

std::vector<CgroupMembership> ParseCgroups(std::string_view text) {
  std::vector<CgroupMembership> memberships;
  for (const std::string_view line : Split(text, '\n')) {
    // number:controllers:path
    const auto parts = Split(line, ':');
    if (parts.size() < 3) {
      continue;
    }
    const std::string_view path = line.substr(parts[0].size() + parts[1].size() + 2);
    if (path.find("..") == std::string_view::npos) {
      memberships.push_back({std::string(parts[1]), std::string(path)});
    }
  }
  return memberships;
}

Result<std::string> ProcReader::Read(int pid, std::string_view file) const {
  const std::string path = fmt::format("{}/{}/{}", proc_, pid, file);
  // A process that ends while it is read leaves nothing or an error, which the iterators of a
  // std::ifstream would throw.
  auto text = RealFileSystem().Read(path, UINT64_MAX);
  if (!text.ok() || text->empty()) {
    return NotFoundError(fmt::format("process {} is not there ({})", pid, path));
  }
  return text;
}

Result<ProcessFacts> ProcReader::Process(int pid) const {
  ASSIGN_OR_RETURN(const std::string text, Read(pid, "status"));
  return ParseProcessStatus(text);
}

Result<std::vector<ProcessFacts>> ProcReader::Tree(int pid) const {
  std::vector<ProcessFacts> tree;
  ASSIGN_OR_RETURN(ProcessFacts first, Process(pid));
  tree.push_back(std::move(first));
  std::set<int> seen = {pid};
  for (size_t i = 0; i < tree.size(); ++i) {
    // Each thread has children of its own.
    std::error_code error;
    const std::string tasks = fmt::format("{}/{}/task", proc_, tree[i].pid);
    for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
      std::ifstream children(task.path() / "children");
      for (int child = 0; children >> child;) {
        if (auto facts = seen.insert(child).second ? Process(child) : NotFoundError("");
            facts.ok()) {
          tree.push_back(*std::move(facts));
        }
      }
    }
  }
  return tree;
}

Result<Duration> ProcReader::Age(int pid) const {
  ASSIGN_OR_RETURN(const std::string text, Read(pid, "stat"));
  const auto ticks = ParseStartTicks(text);
  const auto per_second = static_cast<uint64_t>(::sysconf(_SC_CLK_TCK));
  struct timespec now {};
  if (!ticks || per_second == 0 || ::clock_gettime(CLOCK_BOOTTIME, &now) != 0) {
    return InternalError(fmt::format("it cannot be told when process {} started", pid));
  }
  const auto rest = std::chrono::nanoseconds(std::chrono::seconds(1)) *
                    static_cast<int64_t>(*ticks % per_second) / static_cast<int64_t>(per_second);
  const Duration started = std::chrono::seconds(*ticks / per_second) + rest;
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec) - started;
}

std::vector<int> ProcReader::Pids() const {
  std::vector<int> pids;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(proc_, error)) {
    int pid = 0;
    const std::string name = entry.path().filename();
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec == std::errc() && read.ptr == name.data() + name.size()) {
      pids.push_back(pid);
    }
  }
  return pids;
}

Result<std::string> ProcReader::MountInfo(int pid) const { return Read(pid, "mountinfo"); }

Result<std::string> ProcReader::CgroupText(int pid) const { return Read(pid, "cgroup"); }

Result<std::string> ProcReader::DescriptorTarget(int pid, int fd) const {
  const std::string path = fmt::format("{}/{}/fd/{}", proc_, pid, fd);
  std::string target(4096, '\0');
  const ssize_t size = ::readlink(path.c_str(), target.data(), target.size());
  if (size < 0) {
    return Status::FromErrno(errno, path);
  }
  target.resize(static_cast<size_t>(size));
  return target;
}

Result<uint64_t> ProcReader::NamespaceInode(int pid, std::string_view name) const {
  const std::string path = fmt::format("{}/{}/ns/{}", proc_, pid, name);
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) {
    return Status::FromErrno(errno, path);
  }
  return info.st_ino;
}

Result<bool> ProcReader::HasMapped(int pid, std::string_view part) const {
  const std::string path = fmt::format("{}/{}/maps", proc_, pid);
  std::ifstream maps(path);
  if (!maps) {
    return NotFoundError(fmt::format("process {} is not there ({})", pid, path));
  }
  // Line by line: there may be hundreds of thousands.
  for (std::string line; std::getline(maps, line);) {
    if (line.find(part) != std::string::npos) {
      return true;
    }
  }
  return false;
}

std::string ProcReader::RootOf(int pid) const { return fmt::format("{}/{}/root", proc_, pid); }

}  // namespace hearth::agent
