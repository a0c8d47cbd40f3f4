#include "snapshot/ctl/internal/process_survey.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <filesystem>

#include "base/file_system.h"
#include "base/strings.h"

namespace hearth::snapshot::ctl {
namespace {

// Empty also of a process that ends while it is read.
std::string ReadText(const std::string& path) {
  return RealFileSystem().Read(path, UINT64_MAX).value_or("");
}

// Of a line "Key:   123 kB", the number; 0 without one.
uint64_t NumberAfter(std::string_view text, std::string_view key) {
  uint64_t number = 0;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.starts_with(key)) {
      const std::string_view rest = Trim(line.substr(key.size()));
      std::from_chars(rest.data(), rest.data() + rest.size(), number);
      break;
    }
  }
  return number;
}
uint64_t KibibytesAfter(std::string_view text, std::string_view key) {
  return NumberAfter(text, key) * 1024;
}

std::vector<SurveyedDescriptor> Descriptors(const agent::ProcReader& reader,
                                            const std::string& directory, int pid) {
  std::vector<SurveyedDescriptor> all;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    const std::string name = entry.path().filename();
    SurveyedDescriptor one;
    std::from_chars(name.data(), name.data() + name.size(), one.fd);
    one.target = reader.DescriptorTarget(pid, one.fd).value_or("");
    struct stat info {};
    if (::stat(entry.path().c_str(), &info) == 0 && S_ISREG(info.st_mode)) {
      one.size_bytes = static_cast<uint64_t>(info.st_blocks) * 512;
    }
    all.push_back(std::move(one));
  }
  std::sort(all.begin(), all.end(),
            [](const SurveyedDescriptor& a, const SurveyedDescriptor& b) { return a.fd < b.fd; });
  return all;
}

SurveyedProcess SurveyOne(const std::string& proc, const agent::ProcReader& reader,
                          agent::ProcessFacts facts) {
  const std::string folder = fmt::format("{}/{}", proc, facts.pid);
  const std::string status = ReadText(folder + "/status");
  const std::string memory = ReadText(folder + "/smaps_rollup");
  SurveyedProcess process;
  process.tracer = static_cast<int>(NumberAfter(status, "TracerPid:"));
  process.threads = static_cast<int>(NumberAfter(status, "Threads:"));
  process.private_bytes = KibibytesAfter(memory, "Anonymous:");
  process.shared_bytes = KibibytesAfter(memory, "Pss_Shmem:");
  process.huge_bytes =
      KibibytesAfter(memory, "Private_Hugetlb:") + KibibytesAfter(memory, "Shared_Hugetlb:");
  process.descriptors = Descriptors(reader, folder + "/fd", facts.pid);
  process.facts = std::move(facts);
  return process;
}

bool IsLoopback(std::string_view hex_address) {
  // As the kernel writes them: words of the machine's byte order.
  return hex_address.ends_with("7F") ? hex_address.size() == 8
                                     : hex_address == "00000000000000000000000001000000" ||
                                           hex_address == "0000000000000000FFFF00000100007F";
}

// "  sl  local_address rem_address st ..." and lines like it; the inode is the tenth word.
void AddInet(const std::string& text, std::string_view kind, Survey& survey) {
  constexpr size_t kRemote = 2, kState = 3, kInode = 9;
  for (const std::string_view line : Split(text, '\n')) {
    std::vector<std::string_view> words;
    for (const std::string_view word : Split(line, ' ')) {
      if (!word.empty()) {
        words.push_back(word);
      }
    }
    if (words.size() <= kInode || words[0] == "sl") {
      continue;
    }
    const std::string_view peer = words[kRemote].substr(0, words[kRemote].find(':'));
    const bool connected = kind.starts_with("tcp") && words[kState] == "01" && !IsLoopback(peer);
    survey.sockets[std::string(words[kInode])] = {std::string(kind), connected};
  }
}

// Tables whose lines have the inode at one place, counted from the end or the front.
void AddOther(const std::string& text, std::string_view kind, size_t inode, Survey& survey) {
  for (const std::string_view line : Split(text, '\n')) {
    std::vector<std::string_view> words;
    for (const std::string_view word : Split(line, ' ')) {
      if (!word.empty()) {
        words.push_back(word);
      }
    }
    if (words.size() > inode) {
      survey.sockets[std::string(words[inode])] = {std::string(kind), false};
    }
  }
}

// A table that is not there adds nothing: without IPv6 there is no tcp6.
void AddSockets(FileSystem& files, const std::string& proc, int pid, Survey& survey) {
  const auto table = [&](std::string_view kind) {
    return files.Read(fmt::format("{}/{}/net/{}", proc, pid, kind), UINT64_MAX).value_or("");
  };
  for (const std::string_view kind : {"tcp", "tcp6", "udp", "udp6", "raw", "raw6"}) {
    AddInet(table(kind), kind, survey);
  }
  AddOther(table("unix"), "unix", 6, survey);
  AddOther(table("netlink"), "netlink", 9, survey);
  AddOther(table("packet"), "packet", 8, survey);
}

// Removes descriptors of sockets that are in no table and were closed meanwhile. Returns whether
// sockets that are in no table are open still.
bool ForgetClosed(const agent::ProcReader& reader, Survey& survey) {
  bool any_open = false;
  for (SurveyedProcess& process : survey.processes) {
    std::erase_if(process.descriptors, [&](const SurveyedDescriptor& one) {
      const std::string inode = SocketInode(one.target);
      if (inode.empty() || survey.sockets.contains(inode)) {
        return false;
      }
      const auto target = reader.DescriptorTarget(process.facts.pid, one.fd);
      const bool open = target.ok() && *target == one.target;
      any_open = any_open || open;
      return !open;
    });
  }
  return any_open;
}

}  // namespace

Result<Survey> SurveyProcesses(FileSystem& files, const std::string& proc, int pid) {
  const agent::ProcReader reader(proc);
  ASSIGN_OR_RETURN(auto tree, reader.Tree(pid));
  Survey survey;
  for (agent::ProcessFacts& facts : tree) {
    survey.processes.push_back(SurveyOne(proc, reader, std::move(facts)));
  }
  // Descriptors after tables: close() takes a socket from its descriptor first, so one that is open
  // now was there while the tables were read, and should have been in them.
  for (int reads = 0; reads < kMostTableReads; ++reads) {
    AddSockets(files, proc, pid, survey);
    if (!ForgetClosed(reader, survey)) {
      break;
    }
  }
  return survey;
}

std::string SocketInode(std::string_view target) {
  constexpr std::string_view kPrefix = "socket:[";
  if (!target.starts_with(kPrefix)) {
    return "";
  }
  return std::string(target.substr(kPrefix.size(), target.find(']') - kPrefix.size()));
}

}  // namespace hearth::snapshot::ctl
