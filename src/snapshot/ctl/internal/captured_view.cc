#include "snapshot/ctl/internal/captured_view.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "base/strings.h"
#include "command_line/text_table.h"
#include "command_line/words.h"
#include "snapshot/ctl/internal/secret_exposure.h"

namespace hearth::snapshot::ctl {
namespace {

using command_line::SizeText;
using command_line::TextTable;
using images::Captured;
using images::CapturedProcess;
using images::OpenFile;
using json::Value;

constexpr auto kRight = TextTable::Align::kRight;
constexpr size_t kLongestCommand = 80;

std::string CommandOf(const CapturedProcess& process) {
  if (!process.alive) {
    return "(ended)";
  }
  return process.arguments.empty() ? process.program
                                   : Excerpt(Join(process.arguments, " "), kLongestCommand);
}

void AddBranch(const Captured& captured, uint32_t parent, size_t depth, std::set<uint32_t>& shown,
               std::string& text) {
  for (const CapturedProcess& process : captured.processes) {
    // Damaged images could name a process its own ancestor.
    if (process.parent != parent || !shown.insert(process.pid).second) {
      continue;
    }
    text += fmt::format("{:{}}{} {} ({} thread{}, {}): {}\n", "", 2 + 2 * depth, process.pid,
                        process.name, process.threads, process.threads == 1 ? "" : "s",
                        SizeText(process.saved_bytes), CommandOf(process));
    AddBranch(captured, process.pid, depth + 1, shown, text);
  }
}

struct KindSum {
  uint64_t count = 0;
  uint64_t mapped = 0;
  uint64_t saved = 0;
};
std::map<images::MappingKind, KindSum> SumsOf(const CapturedProcess& process) {
  std::map<images::MappingKind, KindSum> sums;
  for (const images::Mapping& mapping : process.mappings) {
    KindSum& sum = sums[mapping.kind];
    ++sum.count;
    sum.mapped += mapping.end - mapping.start;
    sum.saved += mapping.saved_bytes;
  }
  return sums;
}

// Calls `take` with each open file of each process that `wanted` wants.
template <typename Take>
void ForEachOpen(const Captured& captured, bool sockets, Take take) {
  for (const CapturedProcess& process : captured.processes) {
    for (const images::Descriptor& descriptor : process.descriptors) {
      const auto file = captured.files.find(descriptor.file);
      if (file == captured.files.end()) {
        continue;
      }
      const bool socket = file->second.type == "inet" || file->second.type == "unix" ||
                          file->second.type == "netlink" || file->second.type == "packet";
      if (socket == sockets) {
        take(process, descriptor, file->second);
      }
    }
  }
}

std::string Unconnected(const std::string& text) { return text.empty() ? "-" : text; }

Value SocketsJson(const Captured& captured) {
  Value sockets = Value::Array();
  ForEachOpen(captured, true, [&](const auto& process, const auto& descriptor, const auto& file) {
    const bool inet = file.type == "inet";
    sockets.Append(Value::Object({{"pid", uint64_t{process.pid}},
                                  {"fd", uint64_t{descriptor.fd}},
                                  {"kind", inet ? file.inet.protocol : file.type},
                                  {"state", inet ? file.inet.state : file.unix_socket.state},
                                  {"local", inet ? file.inet.local : file.unix_socket.name},
                                  {"peer", inet ? file.inet.peer : ""}}));
  });
  return sockets;
}

Value ProcessJson(const Captured& captured, const CapturedProcess& process) {
  Value mappings = Value::Array();
  for (const auto& [kind, sum] : SumsOf(process)) {
    mappings.Append(Value::Object({{"kind", MappingKindName(kind)},
                                   {"count", sum.count},
                                   {"mapped_bytes", sum.mapped},
                                   {"saved_bytes", sum.saved}}));
  }
  Value arguments = Value::Array();
  for (const std::string& argument : process.arguments) {
    arguments.Append(argument);
  }
  Value files = Value::Array();
  for (const images::Descriptor& descriptor : process.descriptors) {
    const auto file = captured.files.find(descriptor.file);
    if (file != captured.files.end()) {
      files.Append(Value::Object({{"fd", uint64_t{descriptor.fd}},
                                  {"type", file->second.type},
                                  {"path", file->second.path}}));
    }
  }
  return Value::Object({{"pid", uint64_t{process.pid}},
                        {"parent", uint64_t{process.parent}},
                        {"name", process.name},
                        {"program", process.program},
                        {"arguments", std::move(arguments)},
                        {"threads", uint64_t{process.threads}},
                        {"mapped_bytes", process.mapped_bytes},
                        {"saved_bytes", process.saved_bytes},
                        {"mappings", std::move(mappings)},
                        {"files", std::move(files)}});
}

}  // namespace

std::string ProcessTree(const Captured& captured) {
  std::string text;
  std::set<uint32_t> shown;
  // The parent of the first process is none of those that were captured.
  for (const CapturedProcess& process : captured.processes) {
    AddBranch(captured, process.parent, 0, shown, text);
  }
  return text;
}

std::string MappingTable(const Captured& captured) {
  TextTable table(
      {{"PID", kRight}, {"KIND"}, {"MAPPINGS", kRight}, {"MAPPED", kRight}, {"SAVED", kRight}});
  for (const CapturedProcess& process : captured.processes) {
    for (const auto& [kind, sum] : SumsOf(process)) {
      table.Add({std::to_string(process.pid), std::string(MappingKindName(kind)),
                 std::to_string(sum.count), SizeText(sum.mapped), SizeText(sum.saved)});
    }
  }
  if (captured.shared_bytes > 0) {
    table.Add({"", "shared, once for all", "", "", SizeText(captured.shared_bytes)});
  }
  return table.Text();
}

std::string SocketTable(const Captured& captured) {
  TextTable table({{"PID", kRight}, {"FD", kRight}, {"KIND"}, {"STATE"}, {"LOCAL"}, {"PEER"}});
  ForEachOpen(captured, true, [&](const auto& process, const auto& descriptor, const auto& file) {
    const bool inet = file.type == "inet";
    table.Add(
        {std::to_string(process.pid), std::to_string(descriptor.fd),
         inet ? file.inet.protocol : file.type, inet ? file.inet.state : file.unix_socket.state,
         inet ? file.inet.local : Unconnected(file.unix_socket.name), inet ? file.inet.peer : ""});
  });
  return table.empty() ? "" : table.Text();
}

std::string MountTable(const Captured& captured) {
  TextTable table({{"MOUNT"}, {"TYPE"}, {"SOURCE"}, {"RESTORED FROM"}});
  for (const images::SavedMount& mount : captured.mounts) {
    table.Add({mount.mount_point, mount.type, mount.source, mount.external ? "the pod" : "images"});
  }
  return table.empty() ? "" : table.Text();
}

std::string FileTable(const Captured& captured) {
  TextTable table({{"PID", kRight}, {"FD", kRight}, {"TYPE"}, {"PATH"}, {"SIZE", kRight}});
  ForEachOpen(captured, false, [&](const auto& process, const auto& descriptor, const auto& file) {
    table.Add({std::to_string(process.pid), std::to_string(descriptor.fd), file.type, file.path,
               file.path.empty() ? "" : SizeText(file.size)});
  });
  return table.empty() ? "" : table.Text();
}

std::string ExposureReport(const Captured& captured) {
  const std::vector<Exposure> found = FindExposures(captured);
  if (found.empty()) {
    return "  Nothing looks like a secret by its name. The memory is in the artifact all the "
           "same.\n";
  }
  std::string text;
  for (const Exposure& exposure : found) {
    text += fmt::format("  {}: {}{}\n", KindName(exposure.kind), exposure.name,
                        exposure.pid == 0 ? "" : fmt::format(" (process {})", exposure.pid));
  }
  return text;
}

Value CapturedJson(const Captured& captured) {
  Value processes = Value::Array();
  for (const CapturedProcess& process : captured.processes) {
    processes.Append(ProcessJson(captured, process));
  }
  Value mounts = Value::Array();
  for (const images::SavedMount& mount : captured.mounts) {
    mounts.Append(Value::Object({{"mount_point", mount.mount_point},
                                 {"type", mount.type},
                                 {"source", mount.source},
                                 {"external", mount.external}}));
  }
  Value exposures = Value::Array();
  for (const Exposure& exposure : FindExposures(captured)) {
    exposures.Append(Value::Object({{"kind", KindName(exposure.kind)},
                                    {"name", exposure.name},
                                    {"pid", uint64_t{exposure.pid}}}));
  }
  return Value::Object({{"image_version", uint64_t{captured.image_version}},
                        {"processes", std::move(processes)},
                        {"shared_bytes", captured.shared_bytes},
                        {"sockets", SocketsJson(captured)},
                        {"mounts", std::move(mounts)},
                        {"secret_exposure", std::move(exposures)}});
}

}  // namespace hearth::snapshot::ctl
