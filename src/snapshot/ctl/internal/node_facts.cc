#include "snapshot/ctl/internal/node_facts.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>

#include "agent/host/machine.h"
#include "base/strings.h"

namespace hearth::snapshot::ctl {
namespace {

using json::Value;

constexpr uint64_t kMaxFileBytes = 16ULL << 20U;

std::string Read(FileSystem& files, const std::string& path) {
  return files.Read(path, kMaxFileBytes).value_or("");
}

void ReadCgroups(const NodePlaces& places, FileSystem& files, NodeFacts& facts) {
  const bool unified = files.Stat(places.cgroups + "/cgroup.controllers").ok();
  const bool mixed = files.Stat(places.cgroups + "/unified/cgroup.controllers").ok();
  const bool old = files.Stat(places.cgroups + "/freezer").ok();
  facts.cgroups = unified ? "v2" : mixed ? "hybrid" : old ? "v1" : "none";
  facts.freezer = unified || old;  // every group but the first has one in v2
}

bool AllDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

int CountGpus(const NodePlaces& places, FileSystem& files) {
  int count = 0;
  for (const std::string& name : files.List(places.devices).value_or(std::vector<std::string>())) {
    constexpr std::string_view kPrefix = "nvidia";
    count += name.starts_with(kPrefix) && AllDigits(std::string_view(name).substr(kPrefix.size()));
  }
  return count;
}

// Output of a program that ends well within the limit; empty otherwise.
std::string Said(ProcessRunner& processes, std::vector<std::string> argv, const WaitLimit& limit) {
  const auto ran = processes.Run({.argv = std::move(argv)}, limit);
  return ran.ok() && ran->ok() ? ran->output : "";
}

// "Version: 4.2.1\nGitID: ..."
std::string VersionIn(std::string_view text) {
  const size_t begin = text.find_first_of("0123456789");
  if (begin == std::string_view::npos) {
    return "";
  }
  const std::string_view rest = text.substr(begin);
  return std::string(Trim(rest.substr(0, rest.find_first_of(" \n("))));
}

void ReadCriu(const NodePlaces& places, FileSystem& files, ProcessRunner& processes,
              const WaitLimit& limit, NodeFacts& facts) {
  const std::string inside = places.criu + "/criu";
  facts.criu_path = files.Stat(inside).ok() ? inside : places.criu;
  facts.criu_version = VersionIn(Said(processes, {facts.criu_path, "--version"}, limit));
  if (facts.criu_version.empty()) {
    return;
  }
  const auto checked = processes.Run({.argv = {facts.criu_path, "check"}}, limit);
  if (!checked.ok()) {
    facts.criu_check = std::string(checked.status().message());
  } else if (!checked->ok()) {
    facts.criu_check = Excerpt(Trim(checked->errors + checked->output), 400);
  }
}

std::string Text(const Value& value, std::string_view name) {
  const Value* const member = value.Find(name);
  return member != nullptr && member->IsString() ? member->string() : "";
}
bool Flag(const Value& value, std::string_view name) {
  const Value* const member = value.Find(name);
  return member != nullptr && member->kind() == json::Kind::kBool && member->boolean();
}
int Number(const Value& value, std::string_view name) {
  const Value* const member = value.Find(name);
  return member == nullptr ? 0 : static_cast<int>(member->Int().value_or(0));
}

}  // namespace

Value WriteNodeFacts(const NodeFacts& facts) {
  Value features = Value::Array();
  for (const std::string& feature : facts.cpu_features) {
    features.Append(feature);
  }
  return Value::Object({{"kernel", facts.kernel},
                        {"architecture", facts.architecture},
                        {"cpu_model", facts.cpu_model},
                        {"cpu_features", std::move(features)},
                        {"root", facts.root},
                        {"criu_path", facts.criu_path},
                        {"criu_version", facts.criu_version},
                        {"criu_check", facts.criu_check},
                        {"iptables", facts.iptables},
                        {"cgroups", facts.cgroups},
                        {"freezer", facts.freezer},
                        {"overlay", facts.overlay},
                        {"ptrace_scope", facts.ptrace_scope},
                        {"gpus", facts.gpus}});
}

Result<NodeFacts> ReadNodeFacts(const Value& value) {
  if (!value.IsObject() || Text(value, "kernel").empty() || Text(value, "architecture").empty()) {
    return InvalidError(
        "these are no facts of a node: kernel and architecture are not there. "
        "snapshotctl check -o json prints some");
  }
  NodeFacts facts{.kernel = Text(value, "kernel"),
                  .architecture = Text(value, "architecture"),
                  .cpu_model = Text(value, "cpu_model"),
                  .cpu_features = {},
                  .root = Flag(value, "root"),
                  .criu_path = Text(value, "criu_path"),
                  .criu_version = Text(value, "criu_version"),
                  .criu_check = Text(value, "criu_check"),
                  .iptables = Text(value, "iptables"),
                  .cgroups = Text(value, "cgroups"),
                  .freezer = Flag(value, "freezer"),
                  .overlay = Flag(value, "overlay"),
                  .ptrace_scope = Number(value, "ptrace_scope"),
                  .gpus = Number(value, "gpus")};
  if (const Value* const features = value.Find("cpu_features");
      features != nullptr && features->IsArray()) {
    for (const Value& feature : features->items()) {
      facts.cpu_features.push_back(feature.StringOr(""));
    }
  }
  std::sort(facts.cpu_features.begin(), facts.cpu_features.end());
  return facts;
}

NodeFacts GatherNodeFacts(const NodePlaces& places, FileSystem& files, ProcessRunner& processes,
                          const WaitLimit& limit) {
  NodeFacts facts;
  agent::Machine machine = agent::ThisMachine(places.proc);
  facts.kernel = std::move(machine.kernel);
  facts.architecture = std::move(machine.architecture);
  facts.cpu_model = std::move(machine.cpu_model);
  facts.cpu_features = std::move(machine.cpu_features);
  facts.root = ::geteuid() == 0;
  ReadCriu(places, files, processes, limit, facts);
  facts.iptables = VersionIn(Said(processes, {"iptables", "--version"}, limit));
  ReadCgroups(places, files, facts);
  facts.overlay =
      Read(files, places.proc + "/filesystems").find("\toverlay\n") != std::string::npos;
  const std::string scope = Read(files, places.proc + "/sys/kernel/yama/ptrace_scope");
  std::from_chars(scope.data(), scope.data() + scope.size(), facts.ptrace_scope);
  facts.gpus = CountGpus(places, files);
  return facts;
}

}  // namespace hearth::snapshot::ctl
