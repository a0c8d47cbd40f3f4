#include "cli/get.h"

#include <fmt/format.h>

#include <ostream>

#include "cli/common_options.h"
#include "cli/gather_graph.h"
#include "cli/graph_resources.h"
#include "dynamo/view/graph_list.h"

namespace hearth::cli {
namespace {

using command_line::kExitOk;
using command_line::Terminal;
using dynamo::GraphRow;

constexpr const char* kNotes =
    R"(RESTORED and COLD count the workers that run now, as the operator has them.

Exit codes:
  0  shown, also when there is none
  2  the command line makes no sense, there is no graph of that name, or the cluster cannot be asked
)";

class Get : public command_line::Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.AddPositional({.name = "what",
                         .help = "graphs: DynamoGraphDeployments",
                         .target = &what_,
                         .required = true,
                         .choices = {"graphs", "graph", "dgd"}});
    table.AddPositional({.name = "name", .help = "Only these", .target = &names_});
    common_.AddTo(table, true);
    table.AddNotes(kNotes);
  }

  int Run(Terminal& terminal) override {
    const auto rows = Look(terminal);
    if (!rows.ok()) {
      return Fail(terminal, "get", rows.status());
    }
    if (common_.json()) {
      terminal.out << dynamo::ToJson(*rows).WritePretty();
    } else if (rows->empty()) {
      terminal.err << "there are no graphs here\n";
    } else {
      terminal.out << dynamo::ToText(*rows, common_.all_namespaces, RealClock().WallNow());
    }
    return kExitOk;
  }

 private:
  Result<std::vector<GraphRow>> Look(const Terminal& terminal) const {
    if (common_.all_namespaces && !names_.empty()) {
      return InvalidError("a name is looked for in one namespace; leave out -A, or the name");
    }
    ASSIGN_OR_RETURN(const auto cluster, Cluster::Connect(common_.cluster.request));
    const WaitLimit limit = common_.Limit(terminal);
    const std::string name_space = common_.NamespaceIn(*cluster);
    std::vector<GraphRow> rows;
    for (const std::string& name : names_) {
      ASSIGN_OR_RETURN(const kube::Object graph,
                       GetNamed(cluster->client(), Graphs(), {name_space, name}, limit));
      rows.push_back(GraphRow::Of(graph.view()));
    }
    if (!names_.empty()) {
      return rows;
    }
    const auto graphs = ListAll(cluster->client(), Graphs(), name_space, "", limit);
    if (!graphs.ok()) {
      return graphs.status().Is(Code::kNotFound) ? UnknownKind(Graphs()) : graphs.status();
    }
    for (const kube::Object& graph : *graphs) {
      rows.push_back(GraphRow::Of(graph.view()));
    }
    return rows;
  }

  std::string what_;
  std::vector<std::string> names_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeGet() { return std::make_unique<Get>(); }

}  // namespace hearth::cli
