// hearth: the command line program.
#include <iostream>

#include "cli/program.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  hearth::cli::Terminal terminal{std::cin, std::cout, std::cerr, hearth::RealFileSystem()};
  const int code = hearth::cli::RunHearth({argv + 1, argv + argc}, terminal);
  if (!std::cout.flush()) {
    std::cerr << "hearth: cannot write to standard output\n";
    return hearth::cli::kExitUsage;
  }
  return code;
}
