#include "cli/describe.h"

#include <ostream>

#include "cli/common_options.h"
#include "cli/gather_graph.h"
#include "dynamo/view/chain.h"

namespace hearth::cli {
namespace {

using command_line::kExitOk;
using command_line::Terminal;

constexpr int kExitStuck = 1;

constexpr const char* kNotes =
    R"(Exit codes:
  0  nothing is stuck
  1  something is: lines that begin with ! say what and why
  2  the command line makes no sense, there is no such graph, or the cluster cannot be asked
)";

class Describe : public command_line::Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.AddPositional({.name = "what",
                         .help = "graph: a DynamoGraphDeployment",
                         .target = &what_,
                         .required = true,
                         .choices = {"graph", "graphs", "dgd"}});
    table.AddPositional({.name = "name", .help = "Which one", .target = &name_, .required = true});
    common_.AddTo(table);
    table.AddNotes(kNotes);
  }

  int Run(Terminal& terminal) override {
    const auto objects = Look(terminal);
    if (!objects.ok()) {
      return Fail(terminal, "describe", objects.status());
    }
    const dynamo::ChainNode chain = dynamo::MakeChain(*objects);
    terminal.out << (common_.json() ? dynamo::ToJson(chain, objects->unread, "graph").WritePretty()
                                    : dynamo::ToText(chain, objects->unread));
    return dynamo::Summarize(chain).stuck() ? kExitStuck : kExitOk;
  }

 private:
  Result<dynamo::GraphObjects> Look(const Terminal& terminal) const {
    ASSIGN_OR_RETURN(const auto cluster, Cluster::Connect(common_.cluster.request));
    return GatherGraph(cluster->client(), {common_.NamespaceIn(*cluster), name_},
                       common_.Limit(terminal));
  }

  std::string what_;
  std::string name_;
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeDescribe() { return std::make_unique<Describe>(); }

}  // namespace hearth::cli
