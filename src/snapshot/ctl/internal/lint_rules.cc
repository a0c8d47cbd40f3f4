#include "snapshot/ctl/internal/lint_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "command_line/words.h"

namespace hearth::snapshot::ctl {
namespace {

using command_line::SizeText;
using Verdict = Judgement::Verdict;

constexpr std::string_view kDeleted = " (deleted)";

// Descriptors that are known by how their target begins.
struct TargetRule {
  std::string_view prefix;
  Verdict verdict;
  std::string_view what;
  std::string_view advice;
};
constexpr std::array<TargetRule, 9> kTargetRules = {{
    {"anon_inode:[io_uring]", Verdict::kBad, "io_uring",
     "CRIU cannot save it: switch io_uring off in the program, or run it with the seccomp profile "
     "profiles/block-iouring.json, which makes it choose something else"},
    {"anon_inode:[userfaultfd]", Verdict::kBad, "userfaultfd",
     "CRIU cannot save it: switch off what handles page faults itself"},
    {"anon_inode:[perf_event]", Verdict::kBad, "perf event",
     "CRIU cannot save it: detach the profiler"},
    {"anon_inode:bpf", Verdict::kBad, "BPF object", "CRIU cannot save it: close it before"},
    {"anon_inode:kvm", Verdict::kBad, "virtual machine", "CRIU cannot save it"},
    {"/dev/infiniband/", Verdict::kBad, "RDMA device",
     "connections of the network card cannot be saved: close them before (for NCCL: "
     "NCCL_IB_DISABLE=1)"},
    {"/dev/fuse", Verdict::kBad, "FUSE server",
     "CRIU cannot save it: serve the mount from outside"},
    {"anon_inode:inotify", Verdict::kWarning, "inotify",
     "watched files must be there, at the same paths, when it is restored"},
    {"/dev/nvidia", Verdict::kWarning, "GPU",
     "needs cuda-checkpoint and a driver that supports it; memory of the GPU comes on top"},
}};

bool IsOrdinaryDevice(std::string_view path) {
  constexpr std::array<std::string_view, 12> kKnown = {
      "/dev/null", "/dev/zero", "/dev/full", "/dev/random",  "/dev/urandom", "/dev/tty",
      "/dev/ptmx", "/dev/pts/", "/dev/shm/", "/dev/console", "/dev/nvidia",  "/dev/infiniband/"};
  return std::any_of(kKnown.begin(), kKnown.end(),
                     [&](std::string_view known) { return path.starts_with(known); });
}

std::string Where(const SurveyedProcess& process, const SurveyedDescriptor& descriptor) {
  return fmt::format("process {} ({}), descriptor {}", process.facts.pid, process.facts.name,
                     descriptor.fd);
}

void JudgeSocket(const Survey& survey, const std::string& where, const std::string& inode,
                 std::vector<Judgement>& all) {
  const auto socket = survey.sockets.find(inode);
  if (socket == survey.sockets.end()) {
    all.push_back(
        {Verdict::kBad, "socket of another kind", where,
         "only TCP, UDP, unix, netlink and packet sockets can be saved: close it before"});
  } else if (socket->second.connected_outside) {
    all.push_back({Verdict::kWarning, "connection to outside", where,
                   "it does not come back: the program must connect again"});
  }
}

void JudgeDescriptor(const Survey& survey, const SurveyedProcess& process,
                     const SurveyedDescriptor& descriptor, const LintLimits& limits,
                     std::vector<Judgement>& all) {
  const std::string_view target = descriptor.target;
  const std::string where = Where(process, descriptor);
  if (const std::string inode = SocketInode(target); !inode.empty()) {
    JudgeSocket(survey, where, inode, all);
  } else if (target.ends_with(kDeleted) && descriptor.size_bytes > limits.deleted_file_bytes) {
    all.push_back(
        {Verdict::kBad, "deleted file", fmt::format("{}: {}", where, target),
         fmt::format("{} is more than is saved of a deleted file ({}): close it, or raise "
                     "ghostLimit",
                     SizeText(descriptor.size_bytes), SizeText(limits.deleted_file_bytes))});
  } else if (target.starts_with("/dev/") && !IsOrdinaryDevice(target)) {
    all.push_back({Verdict::kBad, "device", fmt::format("{}: {}", where, target),
                   "its state is not known to CRIU: close it before"});
  }
  for (const TargetRule& rule : kTargetRules) {
    if (target.starts_with(rule.prefix)) {
      all.push_back({rule.verdict, std::string(rule.what), where, std::string(rule.advice)});
    }
  }
}

// The first process's output goes to whoever reads the new container's output.
void JudgeOutput(const SurveyedProcess& first, std::vector<Judgement>& all) {
  for (const SurveyedDescriptor& descriptor : first.descriptors) {
    if ((descriptor.fd == 1 || descriptor.fd == 2) && !descriptor.target.starts_with("pipe:[") &&
        descriptor.target != "/dev/null") {
      all.push_back({Verdict::kWarning, descriptor.fd == 1 ? "standard output" : "standard error",
                     fmt::format("{}: {}", Where(first, descriptor), descriptor.target),
                     "it is no pipe: what is printed after a restore goes there, and not to the "
                     "logs of the new container"});
    }
  }
}

void JudgeProcess(const Survey& survey, const SurveyedProcess& process,
                  std::vector<Judgement>& all) {
  const std::string who = fmt::format("process {} ({})", process.facts.pid, process.facts.name);
  if (process.facts.ns_pids.size() > survey.processes.front().facts.ns_pids.size()) {
    all.push_back({Verdict::kBad, "nested pid namespace", who,
                   "processes within a pid namespace of their own are not captured: run what "
                   "makes it elsewhere"});
  }
  if (process.tracer != 0) {
    all.push_back({Verdict::kBad, "debugger", fmt::format("{}, by {}", who, process.tracer),
                   "only one can trace a process: detach it"});
  }
  if (process.huge_bytes > 0) {
    all.push_back({Verdict::kWarning, "huge pages",
                   fmt::format("{}: {}", who, SizeText(process.huge_bytes)),
                   "as many must be free where it is restored"});
  }
}

}  // namespace

std::vector<Judgement> JudgeCapture(const Survey& survey, const LintLimits& limits) {
  std::vector<Judgement> all;
  for (const SurveyedProcess& process : survey.processes) {
    JudgeProcess(survey, process, all);
    for (const SurveyedDescriptor& descriptor : process.descriptors) {
      JudgeDescriptor(survey, process, descriptor, limits, all);
    }
  }
  JudgeOutput(survey.processes.front(), all);
  std::stable_sort(all.begin(), all.end(),
                   [](const Judgement& a, const Judgement& b) { return a.verdict > b.verdict; });
  return all;
}

CaptureCost CostOf(const Survey& survey, const LintLimits& limits) {
  CaptureCost cost;
  for (const SurveyedProcess& process : survey.processes) {
    cost.memory_bytes += process.private_bytes + process.shared_bytes;
    for (const SurveyedDescriptor& descriptor : process.descriptors) {
      cost.deleted_bytes += descriptor.target.ends_with(kDeleted) ? descriptor.size_bytes : 0;
    }
  }
  cost.seconds = static_cast<double>(cost.memory_bytes + cost.deleted_bytes) /
                 static_cast<double>(limits.bytes_per_second);
  return cost;
}

}  // namespace hearth::snapshot::ctl
