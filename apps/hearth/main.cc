// hearth: the command line program, also as a plugin of kubectl.
#include "cli/hearth.h"

int main(int argc, char** argv) { return hearth::cli::HearthMain(argc, argv); }
