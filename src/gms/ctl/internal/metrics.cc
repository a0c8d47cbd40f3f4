#include <ostream>

#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/exposition.h"
#include "gms/ctl/internal/server_command.h"

namespace hearth::gms::ctl {
namespace {

// One object: {"samples": [{"name": ..., "labels": {...}, "value": "1"}]}
Value JsonOf(const std::vector<Sample>& samples) {
  Value list = Value::Array();
  for (const Sample& sample : samples) {
    Value labels = Value::Object();
    for (const auto& [name, value] : sample.labels) {
      labels.Set(name, value);
    }
    list.Append(Value::Object(
        {{"name", sample.name}, {"labels", std::move(labels)}, {"value", sample.value}}));
  }
  return Value::Object({{"samples", std::move(list)}});
}

class MetricsCommand : public ServerCommand {
 public:
  MetricsCommand() : ServerCommand("metrics", Pools::kMany) {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.AddNotes(
        "Of one server: where a folder has several, --device, --domain or --server say of which.\n"
        "The text is what Prometheus reads. In JSON values are strings, as there is no other way\n"
        "to write +Inf.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const RunningServer server, OnlyServer(terminal));
    ASSIGN_OR_RETURN(const auto admin, Open(server, terminal));
    ASSIGN_OR_RETURN(const std::string text, admin->ReadMetrics(AnswerLimit(terminal).deadline));
    if (json()) {
      Print(terminal, JsonOf(ReadExposition(text)));
    } else {
      terminal.out << text;
    }
    return kExitOk;
  }
};

}  // namespace

std::unique_ptr<command_line::Command> MakeMetrics() { return std::make_unique<MetricsCommand>(); }

}  // namespace hearth::gms::ctl
