// hearth: the command line program.
#include "cli/hearth.h"

int main(int argc, char** argv) {
  return hearth::command_line::Main(hearth::cli::Hearth(), argc, argv,
                                    hearth::command_line::kExitUsage);
}
