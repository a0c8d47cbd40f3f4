#include "dynamo/view/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <tuple>
#include <utility>

#include "base/strings.h"
#include "command_line/text_table.h"
#include "dynamo/model/labels.h"
#include "dynamo/view/graph_list.h"
#include "dynamo/view/internal/chain_parts.h"
#include "dynamo/view/internal/reading.h"
#include "json/time.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using json::View;

constexpr size_t kLongestLine = 512;
constexpr std::string_view kRevision = "deployment.kubernetes.io/revision";
constexpr std::string_view kReplicaSetHash = "pod-template-hash";
constexpr std::string_view kCliqueHash = "grove.io/pod-template-hash";

std::optional<WallTime> CreatedAt(View object) {
  const auto time = json::Time::Parse(object["metadata"]["creationTimestamp"].StringOr(""));
  return time.ok() ? std::optional(time->at) : std::nullopt;
}

std::vector<std::string> ImagesOf(View pod_spec) {
  std::set<std::string> images;
  for (const View container : pod_spec["containers"].items()) {
    images.insert(container["image"].StringOr(""));
  }
  return {images.begin(), images.end()};
}

std::string HashOf(View pod) {
  const std::string hash = view::LabelOf(pod, kReplicaSetHash);
  return hash.empty() ? view::LabelOf(pod, kCliqueHash) : hash;
}

Generation FromReplicaSet(View set) {
  Generation generation{.component = view::LabelOf(set, kComponentLabel),
                        .hash = view::LabelOf(set, kReplicaSetHash),
                        .worker_hash = view::LabelOf(set, kWorkerHashLabel),
                        .images = ImagesOf(set["spec"]["template"]["spec"]),
                        .created = CreatedAt(set)};
  const std::string revision = view::AnnotationOf(set, kRevision);
  std::from_chars(revision.data(), revision.data() + revision.size(), generation.revision);
  return generation;
}

void CountPod(View pod, std::vector<Generation>& generations) {
  const std::string component = view::LabelOf(pod, kComponentLabel);
  const std::string hash = HashOf(pod);
  for (Generation& generation : generations) {
    if (generation.component == component && generation.hash == hash) {
      ++generation.pods;
      const auto created = CreatedAt(pod);
      generation.created =
          std::min(generation.created.value_or(WallTime::max()), created.value_or(WallTime::max()));
      return;
    }
  }
  generations.push_back({.component = component,
                         .hash = hash,
                         .worker_hash = view::LabelOf(pod, kWorkerHashLabel),
                         .pods = 1,
                         .images = ImagesOf(pod["spec"]),
                         .created = CreatedAt(pod)});
}

void AddCheckpoint(const GraphObjects& objects, Generation& generation) {
  for (const kube::Object& checkpoint : objects.checkpoints) {
    const View each = checkpoint.view();
    if (EqualIgnoreCase(view::LabelOf(each, kComponentLabel), generation.component) &&
        view::LabelOf(each, kWorkerHashLabel) == generation.worker_hash) {
      generation.checkpoint = view::NameOf(each);
      generation.phase = each["status"]["phase"].StringOr("Pending");
    }
  }
}

}  // namespace

History HistoryOf(const GraphObjects& objects, const std::vector<kube::Object>& replica_sets) {
  const View graph = objects.graph.view();
  const View status = graph["status"];
  History history{.name_space = graph["metadata"]["namespace"].StringOr(""),
                  .graph = view::NameOf(graph),
                  .restart_id = status["restart"]["observedID"].StringOr(""),
                  .restart_phase = status["restart"]["phase"].StringOr(""),
                  .update_phase = status["rollingUpdate"]["phase"].StringOr(""),
                  .update_start = status["rollingUpdate"]["startTime"].StringOr(""),
                  .update_end = status["rollingUpdate"]["endTime"].StringOr("")};
  for (const kube::Object& set : replica_sets) {
    history.generations.push_back(FromReplicaSet(set.view()));
  }
  for (const kube::Object& pod : objects.pods) {
    if (!view::IsSource(pod.view())) {
      CountPod(pod.view(), history.generations);
    }
  }
  for (Generation& generation : history.generations) {
    AddCheckpoint(objects, generation);
  }
  const auto order = [](const Generation& generation) {
    return std::tuple(generation.component, generation.created.value_or(WallTime::max()),
                      generation.revision, generation.hash);
  };
  std::sort(history.generations.begin(), history.generations.end(),
            [&](const Generation& a, const Generation& b) { return order(a) < order(b); });
  return history;
}

std::string ToText(const History& history, WallTime now) {
  using command_line::TextTable;
  using enum TextTable::Align;
  const auto line = [](const std::string& words) { return Excerpt(words, kLongestLine) + "\n"; };
  std::string text = line(fmt::format("graph {}/{}", history.name_space, history.graph));
  if (!history.restart_id.empty()) {
    text += line(fmt::format("last restart {}: {}", history.restart_id, history.restart_phase));
  }
  if (!history.update_phase.empty()) {
    text += line(fmt::format("last update of workers: {}, begun {}{}{}", history.update_phase,
                             history.update_start, history.update_end.empty() ? "" : ", ended ",
                             history.update_end));
  }
  TextTable table({{"COMPONENT"},
                   {"REVISION", kRight},
                   {"TEMPLATE"},
                   {"WORKERS"},
                   {"PODS", kRight},
                   {"AGE", kRight},
                   {"CHECKPOINT"},
                   {"PHASE"},
                   {"IMAGES"}});
  for (const Generation& generation : history.generations) {
    table.Add({generation.component,
               generation.revision == 0 ? "" : fmt::format("{}", generation.revision),
               generation.hash, generation.worker_hash, fmt::format("{}", generation.pods),
               AgeOf(generation.created, now), generation.checkpoint, generation.phase,
               Join(generation.images, ",")});
  }
  return text + table.Text();
}

Value ToJson(const History& history) {
  Value generations = Value::Array();
  for (const Generation& generation : history.generations) {
    Value images = Value::Array();
    for (const std::string& image : generation.images) {
      images.Append(image);
    }
    generations.Append(Value::Object(
        {{"component", generation.component},
         {"revision", generation.revision},
         {"template", generation.hash},
         {"workerHash", generation.worker_hash},
         {"checkpoint", generation.checkpoint},
         {"checkpointPhase", generation.phase},
         {"pods", generation.pods},
         {"images", std::move(images)},
         {"created",
          generation.created ? Value(json::Time{*generation.created}.ToString()) : Value()}}));
  }
  return Value::Object(
      {{"namespace", history.name_space},
       {"graph", history.graph},
       {"restart", Value::Object({{"id", history.restart_id}, {"phase", history.restart_phase}})},
       {"rollingUpdate", Value::Object({{"phase", history.update_phase},
                                        {"start", history.update_start},
                                        {"end", history.update_end}})},
       {"generations", std::move(generations)}});
}

}  // namespace hearth::dynamo
