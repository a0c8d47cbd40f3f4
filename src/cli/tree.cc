#include "cli/tree.h"

#include <ostream>

#include "cli/cluster.h"
#include "cli/gather.h"
#include "grove/view/tree.h"

namespace hearth::cli {
namespace {

using command_line::kExitOk;
using command_line::kExitUsage;
using command_line::Terminal;

constexpr int kExitStuck = 1;

constexpr const char* kNotes =
    R"(Exit codes:
  0  nothing is stuck
  1  something is: lines that begin with ! say what and why
  2  the command line makes no sense, there is no such set, or the cluster cannot be asked
)";

class Tree : public command_line::Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.AddPositional(
        {.name = "set", .help = "Name of a PodCliqueSet", .target = &set_, .required = true});
    table.Add({.name = "namespace",
               .help = "Of the set; the context's without it",
               .target = &name_space_,
               .letter = 'n',
               .value_name = "name"});
    table.Add({.name = "output",
               .help = "For people or for machines",
               .target = &output_,
               .letter = 'o',
               .choices = {"text", "json"}});
    cluster_.AddTo(table);
    table.AddNotes(kNotes);
  }

  int Run(Terminal& terminal) override {
    const auto facts = Look(terminal);
    if (!facts.ok()) {
      terminal.err << "hearth tree: " << facts.status().message() << "\n";
      return kExitUsage;
    }
    const grove::TreeNode tree = grove::MakeTree(*facts);
    terminal.out << (output_ == "json" ? grove::ToJson(tree).WritePretty() : grove::ToText(tree));
    return grove::Summarize(tree).stuck() ? kExitStuck : kExitOk;
  }

 private:
  Result<grove::ClusterFacts> Look(Terminal& terminal) const {
    ASSIGN_OR_RETURN(const auto cluster, Cluster::Connect(cluster_.request));
    const WaitLimit limit = WaitLimit::For(RealClock(), cluster_.timeout, terminal.stop);
    const std::string& name_space = name_space_.empty() ? cluster->name_space() : name_space_;
    ASSIGN_OR_RETURN(const grove::ClusterObjects objects,
                     GatherSet(cluster->client(), {name_space, set_}, limit));
    return grove::ClusterFacts::From(objects);
  }

  std::string set_;
  std::string name_space_;
  std::string output_ = "text";
  ClusterOptions cluster_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeTree() { return std::make_unique<Tree>(); }

}  // namespace hearth::cli
