// snapshot-agent: captures and restores the containers of one node.
#include "agent/node/program.h"
#include "agent/work/real_node.h"
#include "base/stop_signal.h"

int main(int argc, char** argv) {
  const hearth::StopSignal stop;
  return hearth::agent::node::RunSnapshotAgent(argc, argv, stop, hearth::agent::MakeRealNode);
}
