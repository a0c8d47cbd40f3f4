#include "dynamo/view/graph_list.h"

#include <fmt/format.h>

#include <algorithm>

#include "command_line/text_table.h"
#include "command_line/words.h"
#include "dynamo/view/internal/reading.h"
#include "json/time.h"

namespace hearth::dynamo {
namespace {

using json::Value;
using json::View;

std::string Count(const std::optional<int64_t>& count) {
  return count ? fmt::format("{}", *count) : "";
}

Value CountJson(const std::optional<int64_t>& count) { return count ? Value(*count) : Value(); }

}  // namespace

std::string AgeOf(const std::optional<WallTime>& created, WallTime now) {
  if (!created) {
    return "-";
  }
  const auto age = std::chrono::duration_cast<std::chrono::seconds>(now - *created);
  return command_line::AgeText(std::max<int64_t>(age.count(), 0) * 1000);
}

GraphRow GraphRow::Of(View graph) {
  const View metadata = graph["metadata"];
  const View status = graph["status"];
  const View condition = view::ConditionOf(graph, "Ready");
  GraphRow row{
      .name_space = metadata["namespace"].StringOr(""),
      .name = metadata["name"].StringOr(""),
      .ready = condition["status"].StringOr("Unknown"),
      .state = view::IsDeleting(graph) ? "terminating" : status["state"].StringOr("initializing"),
      .backend = graph["spec"]["backendFramework"].StringOr("")};
  for (const View component : graph["spec"]["components"].items()) {
    const View live = status["components"][component["name"].StringOr("")];
    const int64_t ready =
        live["readyReplicas"].Int().value_or(live["availableReplicas"].Int().value_or(0));
    ++row.components;
    row.ready_components += ready >= component["replicas"].Int().value_or(1) ? 1 : 0;
  }
  for (const auto& checkpoint : status["checkpoints"].members()) {
    ++row.checkpoints;
    row.ready_checkpoints += checkpoint.value["ready"].Bool().value_or(false) ? 1 : 0;
  }
  row.restored = status["startup"]["restored"].Int();
  row.cold = status["startup"]["cold"].Int();
  if (row.ready != "True") {
    row.reason = condition["reason"].StringOr("");
    row.message = condition["message"].StringOr("");
  }
  if (const auto time = json::Time::Parse(metadata["creationTimestamp"].StringOr("")); time.ok()) {
    row.created = time->at;
  }
  return row;
}

std::string ToText(const std::vector<GraphRow>& rows, bool with_namespaces, WallTime now) {
  using command_line::TextTable;
  using enum TextTable::Align;
  std::vector<TextTable::Column> columns = {{"NAME"},
                                            {"READY"},
                                            {"STATE"},
                                            {"BACKEND"},
                                            {"COMPONENTS", kRight},
                                            {"CHECKPOINTS", kRight},
                                            {"RESTORED", kRight},
                                            {"COLD", kRight},
                                            {"AGE", kRight},
                                            {"REASON"}};
  if (with_namespaces) {
    columns.insert(columns.begin(), {"NAMESPACE"});
  }
  TextTable table(std::move(columns));
  for (const GraphRow& row : rows) {
    std::vector<std::string> cells = {
        row.name,
        row.ready,
        row.state,
        row.backend,
        fmt::format("{}/{}", row.ready_components, row.components),
        row.checkpoints == 0 ? "" : fmt::format("{}/{}", row.ready_checkpoints, row.checkpoints),
        Count(row.restored),
        Count(row.cold),
        AgeOf(row.created, now),
        row.reason};
    if (with_namespaces) {
      cells.insert(cells.begin(), row.name_space);
    }
    table.Add(std::move(cells));
  }
  return table.Text();
}

Value ToJson(const std::vector<GraphRow>& rows) {
  Value graphs = Value::Array();
  for (const GraphRow& row : rows) {
    graphs.Append(Value::Object(
        {{"namespace", row.name_space},
         {"name", row.name},
         {"ready", row.ready},
         {"state", row.state},
         {"backend", row.backend},
         {"components", row.components},
         {"readyComponents", row.ready_components},
         {"checkpoints", row.checkpoints},
         {"readyCheckpoints", row.ready_checkpoints},
         {"restored", CountJson(row.restored)},
         {"cold", CountJson(row.cold)},
         {"reason", row.reason},
         {"message", row.message},
         {"created", row.created ? Value(json::Time{*row.created}.ToString()) : Value()}}));
  }
  return Value::Object({{"graphs", std::move(graphs)}});
}

}  // namespace hearth::dynamo
