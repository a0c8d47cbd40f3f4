#include "command_line/completion.h"

#include <fmt/format.h>

#include <ostream>

namespace hearth::command_line {
namespace {

class Completion : public Command {
 public:
  explicit Completion(const Program& program) : program_(program) {}

  void AddOptions(OptionTable& table) override {
    table.AddPositional({.name = "shell",
                         .help = "bash, zsh or fish",
                         .target = &shell_,
                         .required = true,
                         .choices = {"bash", "zsh", "fish"}});
    table.AddNotes(
        fmt::format("To load it:\n"
                    "  bash  source <({0} completion bash)\n"
                    "  zsh   source <({0} completion zsh)\n"
                    "  fish  {0} completion fish | source\n",
                    program_.name()));
  }

  int Run(Terminal& terminal) override {
    terminal.out << (shell_ == "bash"  ? BashCompletion(program_)
                     : shell_ == "zsh" ? ZshCompletion(program_)
                                       : FishCompletion(program_));
    return kExitOk;
  }

 private:
  const Program& program_;
  std::string shell_;
};

}  // namespace

std::unique_ptr<Command> MakeCompletion(const Program& program) {
  return std::make_unique<Completion>(program);
}

}  // namespace hearth::command_line
