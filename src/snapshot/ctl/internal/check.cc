#include <ostream>

#include "snapshot/ctl/internal/commands.h"
#include "snapshot/ctl/internal/node_command.h"
#include "snapshot/ctl/internal/node_rules.h"

namespace hearth::snapshot::ctl {
namespace {

class Check : public CtlCommand {
 public:
  Check() : CtlCommand("check", "something is missing that captures or restores need") {}

 protected:
  void AddOwnOptions(OptionTable& table) override {
    criu_.AddTo(table);
    table.AddNotes("With -o json the facts are what snapshotctl preflight takes for this node.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    const NodeFacts facts = criu_.Look(terminal);
    const std::vector<Judgement> judgements = JudgeNode(facts);
    if (json()) {
      Value value = WriteNodeFacts(facts);
      value.Set("usable", NoneBad(judgements));
      value.Set("checks", JudgementsJson(judgements));
      Print(terminal, value);
    } else {
      terminal.out << JudgementText(judgements, "Looks good",
                                    "This machine can neither capture nor restore");
    }
    return NoneBad(judgements) ? kExitOk : kExitNo;
  }

 private:
  CriuOption criu_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeCheck() { return std::make_unique<Check>(); }

}  // namespace hearth::snapshot::ctl
