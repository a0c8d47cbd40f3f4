#include "agent/node/pod_facts.h"

#include <algorithm>

#include "agent/container/container.h"
#include "kube/model/object.h"

namespace hearth::agent::node {
namespace {

std::map<std::string, std::string, std::less<>> ReadMap(json::View object) {
  std::map<std::string, std::string, std::less<>> map;
  for (const json::Member& member : object.members()) {
    map.emplace(member.Name(), member.value.StringOr(""));
  }
  return map;
}

ContainerFacts ReadContainer(json::View status) {
  const json::View state = status["state"];
  ContainerFacts container;
  container.name = status["name"].StringOr("");
  container.id = WithoutScheme(status["containerID"].StringOr(""));
  container.waiting = state["waiting"].exists();
  container.ready = status["ready"].Bool().value_or(false);
  if (state["terminated"].exists()) {
    container.exit_code = state["terminated"]["exitCode"].Int().value_or(0);
  }
  container.running =
      !container.waiting && !container.exit_code.has_value() && !container.id.empty();
  return container;
}

std::string_view Value(const std::map<std::string, std::string, std::less<>>& map,
                       std::string_view name) {
  const auto found = map.find(name);
  return found == map.end() ? std::string_view() : std::string_view(found->second);
}

std::vector<std::string> ReadAddresses(json::View status) {
  std::vector<std::string> addresses;
  for (const json::View item : status["podIPs"].items()) {
    if (const auto address = item["ip"].String(); address && !address->empty()) {
      addresses.push_back(*address);
    }
  }
  const std::string only = status["podIP"].StringOr("");
  if (addresses.empty() && !only.empty()) {
    addresses.push_back(only);
  }
  return addresses;
}

}  // namespace

std::string_view PodFacts::Label(std::string_view name) const { return Value(labels, name); }

std::string_view PodFacts::Annotation(std::string_view name) const {
  return Value(annotations, name);
}

const ContainerFacts* PodFacts::Container(std::string_view name) const {
  const auto found = std::find_if(containers.begin(), containers.end(),
                                  [&](const auto& container) { return container.name == name; });
  return found == containers.end() ? nullptr : &*found;
}

bool PodFacts::HasContainer(std::string_view name) const {
  return std::find(container_names.begin(), container_names.end(), name) != container_names.end();
}

PodFacts ReadPod(json::View pod) {
  const kube::Meta meta(pod);
  PodFacts facts;
  facts.key = meta.key();
  facts.uid = meta.uid();
  facts.deleting = meta.deleting();
  facts.labels = ReadMap(meta.labels());
  facts.annotations = ReadMap(meta.annotations());
  facts.node = pod["spec"]["nodeName"].StringOr("");
  facts.phase = pod["status"]["phase"].StringOr("");
  facts.ips = ReadAddresses(pod["status"]);
  for (const json::View container : pod["spec"]["containers"].items()) {
    facts.container_names.push_back(container["name"].StringOr(""));
  }
  for (const json::View status : pod["status"]["containerStatuses"].items()) {
    facts.containers.push_back(ReadContainer(status));
  }
  return facts;
}

PodFacts ReadPod(const controller::CachedObject& cached) {
  PodFacts facts = ReadPod(cached.view());
  facts.key = cached.key();
  facts.uid = cached.uid();
  facts.deleting = cached.deleting();
  return facts;
}

}  // namespace hearth::agent::node
