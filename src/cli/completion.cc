#include "cli/completion.h"

#include <ostream>

namespace hearth::cli {
namespace {

class Completion : public Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.AddPositional({.name = "shell",
                         .help = "bash, zsh or fish",
                         .target = &shell_,
                         .required = true,
                         .choices = {"bash", "zsh", "fish"}});
    table.AddNotes(
        "To load it:\n"
        "  bash  source <(hearth completion bash)\n"
        "  zsh   source <(hearth completion zsh)\n"
        "  fish  hearth completion fish | source\n");
  }

  int Run(Terminal& terminal) override {
    terminal.out << (shell_ == "bash"  ? BashCompletion()
                     : shell_ == "zsh" ? ZshCompletion()
                                       : FishCompletion());
    return kExitOk;
  }

 private:
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> MakeCompletion() { return std::make_unique<Completion>(); }

}  // namespace hearth::cli
