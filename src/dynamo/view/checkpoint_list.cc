#include "dynamo/view/checkpoint_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "command_line/text_table.h"
#include "dynamo/model/labels.h"
#include "dynamo/view/graph_list.h"
#include "dynamo/view/internal/reading.h"
#include "json/time.h"
#include "snapshot/protocol/checkpoint_id.h"
#include "snapshot/protocol/names.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using json::View;

constexpr size_t kLongestVersion = 15;

bool IsPlain(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

// What the door takes: the version becomes part of the name of a Job.
Status CheckVersion(std::string_view version) {
  const bool fits =
      !version.empty() && version.size() <= kLongestVersion && IsPlain(version.front()) &&
      IsPlain(version.back()) &&
      std::all_of(version.begin(), version.end(), [](char c) { return IsPlain(c) || c == '-'; });
  return fits ? Status::Ok()
              : InvalidError(fmt::format(
                    "{} cannot be an artifact version: it is up to {} small letters, digits and "
                    "hyphens, with a letter or digit at both ends; --artifact-version says another",
                    version, kLongestVersion));
}

// "2" after "1", "a-3" after "a-2", "a-2" after "a".
std::string NextVersion(const std::string& version) {
  const size_t digits = version.find_last_not_of("0123456789") + 1;
  uint64_t number = 0;
  const bool counted = digits < version.size() && (digits == 0 || version[digits - 1] == '-');
  const auto read =
      std::from_chars(version.data() + digits, version.data() + version.size(), number);
  if (!counted || read.ec != std::errc()) {
    return version + "-2";
  }
  return fmt::format("{}{}", version.substr(0, digits), number + 1);
}

std::string VersionOf(View checkpoint) {
  return snapshot::ArtifactVersionOr1(view::AnnotationOf(checkpoint, snapshot::kVersionAnnotation));
}

std::string IdOf(View checkpoint) {
  return checkpoint["status"]["checkpointID"].StringOr(
      view::LabelOf(checkpoint, snapshot::kCheckpointIdLabel));
}

std::string ReasonOf(View checkpoint) {
  for (const char* const type : {"JobCompleted", "JobCreated"}) {
    if (const View condition = view::ConditionOf(checkpoint, type); view::IsFalse(condition)) {
      return condition["reason"].StringOr("");
    }
  }
  return "";
}

}  // namespace

CheckpointEntry CheckpointEntry::Of(View checkpoint) {
  const View metadata = checkpoint["metadata"];
  const View status = checkpoint["status"];
  CheckpointEntry row{
      .name_space = metadata["namespace"].StringOr(""),
      .name = metadata["name"].StringOr(""),
      .phase = view::IsDeleting(checkpoint) ? "Terminating" : status["phase"].StringOr("Pending"),
      .id = IdOf(checkpoint),
      .version = VersionOf(checkpoint),
      .model = checkpoint["spec"]["identity"]["model"].StringOr(""),
      .backend = checkpoint["spec"]["identity"]["backendFramework"].StringOr(""),
      .graph = view::LabelOf(checkpoint, kGraphLabel),
      .component = view::LabelOf(checkpoint, kComponentLabel),
      .reason = ReasonOf(checkpoint),
      .message = status["message"].StringOr("")};
  if (const auto time = json::Time::Parse(metadata["creationTimestamp"].StringOr("")); time.ok()) {
    row.created = time->at;
  }
  return row;
}

std::string ToText(const std::vector<CheckpointEntry>& rows, bool with_namespaces, WallTime now) {
  using command_line::TextTable;
  std::vector<TextTable::Column> columns = {
      {"NAME"},      {"PHASE"}, {"VERSION"}, {"GRAPH"},
      {"COMPONENT"}, {"MODEL"}, {"BACKEND"}, {"AGE", TextTable::Align::kRight},
      {"REASON"}};
  if (with_namespaces) {
    columns.insert(columns.begin(), {"NAMESPACE"});
  }
  TextTable table(std::move(columns));
  for (const CheckpointEntry& row : rows) {
    std::vector<std::string> cells = {
        row.name,      row.phase, row.version, row.graph,
        row.component, row.model, row.backend, AgeOf(row.created, now),
        row.reason};
    if (with_namespaces) {
      cells.insert(cells.begin(), row.name_space);
    }
    table.Add(std::move(cells));
  }
  return table.Text();
}

Value ToJson(const std::vector<CheckpointEntry>& rows) {
  Value checkpoints = Value::Array();
  for (const CheckpointEntry& row : rows) {
    checkpoints.Append(Value::Object(
        {{"namespace", row.name_space},
         {"name", row.name},
         {"phase", row.phase},
         {"checkpointID", row.id},
         {"version", row.version},
         {"model", row.model},
         {"backend", row.backend},
         {"graph", row.graph},
         {"component", row.component},
         {"reason", row.reason},
         {"message", row.message},
         {"created", row.created ? Value(json::Time{*row.created}.ToString()) : Value()}}));
  }
  return Value::Object({{"checkpoints", std::move(checkpoints)}});
}

Captured HowFar(View checkpoint, std::string_view version) {
  const std::string phase = checkpoint["status"]["phase"].StringOr("");
  const std::string job = checkpoint["status"]["jobName"].StringOr("");
  const bool of_it = job.empty() || job == snapshot::CheckpointJobName(IdOf(checkpoint), version);
  if (!of_it) {
    return Captured::kNotYet;
  }
  return phase == "Ready"    ? Captured::kReady
         : phase == "Failed" ? Captured::kFailed
                             : Captured::kNotYet;
}

Result<std::string> VersionToCapture(View checkpoint, bool even_ready, const std::string& wanted) {
  const std::string name = view::NameOf(checkpoint);
  const std::string phase = checkpoint["status"]["phase"].StringOr("");
  if (view::IsDeleting(checkpoint)) {
    return InvalidError(fmt::format("DynamoCheckpoint {} is being deleted", name));
  }
  if (phase == "Ready" && !even_ready) {
    return InvalidError(fmt::format(
        "DynamoCheckpoint {} is ready; hearth checkpoint recapture {} captures it anew all the "
        "same",
        name, name));
  }
  if (phase != "Ready" && phase != "Failed") {
    return InvalidError(fmt::format("DynamoCheckpoint {} is {}: what is under way has to end first",
                                    name, phase.empty() ? "Pending" : phase));
  }
  // Only a checkpoint that had a Job begins anew with another version.
  if (checkpoint["status"]["jobName"].StringOr("").empty()) {
    return InvalidError(fmt::format(
        "DynamoCheckpoint {} failed before its Job was made ({}: {}): remove the cause, then "
        "delete it (hearth checkpoint delete {}), so that it is made anew",
        name, ReasonOf(checkpoint), checkpoint["status"]["message"].StringOr(""), name));
  }
  const std::string now = VersionOf(checkpoint);
  std::string version = wanted.empty() ? NextVersion(now) : wanted;
  RETURN_IF_ERROR(CheckVersion(version));
  if (version == now) {
    return InvalidError(
        fmt::format("{} is the version that DynamoCheckpoint {} has; say another", version, name));
  }
  return version;
}

std::vector<std::string> UsersOf(std::string_view checkpoint, View graph) {
  std::vector<std::string> users;
  for (const View component : graph["spec"]["components"].items()) {
    const std::string name = component["name"].StringOr("");
    const View config = component["experimental"]["checkpoint"];
    const View used = graph["status"]["checkpoints"][name]["checkpointName"];
    const bool enabled = config["enabled"].Bool().value_or(false);
    if (enabled && (config["checkpointRef"].Equals(checkpoint) || used.Equals(checkpoint))) {
      users.push_back(view::NameOf(graph) + "/" + name);
    }
  }
  return users;
}

}  // namespace hearth::dynamo
