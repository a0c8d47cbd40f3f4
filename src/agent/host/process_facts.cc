#include "agent/host/process_facts.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

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
    }
  }
  if (facts.pid <= 0) {
    return InvalidError("a process status without its pid");
  }
  return facts;
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
  std::ifstream stream(path);
  std::string text{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  // A process that ends while it is read leaves nothing or an error.
  if (!stream || text.empty()) {
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
