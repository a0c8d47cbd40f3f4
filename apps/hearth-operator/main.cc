// hearth-operator: the controllers and webhooks of the product.
#include "base/stop_signal.h"
#include "operator_app/hearth_operator.h"

int main(int argc, char** argv) {
  const hearth::StopSignal signal;
  return hearth::command_line::Main(hearth::operator_app::HearthOperator(), argc, argv,
                                    hearth::command_line::kExitUsage, signal.token());
}
