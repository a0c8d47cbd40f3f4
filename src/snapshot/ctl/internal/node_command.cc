#include "snapshot/ctl/internal/node_command.h"

#include "base/clock.h"

namespace hearth::snapshot::ctl {
namespace {

constexpr Duration kLongestLook = std::chrono::seconds(30);

}  // namespace

void CriuOption::AddTo(OptionTable& table) {
  table.Add({.name = "criu",
             .help = "CRIU's program, or the directory that tools/criu prints",
             .target = &place,
             .environment = "HEARTH_CRIU",
             .value_name = "file"});
}

NodeFacts CriuOption::Look(Terminal& terminal) const {
  NodePlaces places;
  places.criu = place;
  return GatherNodeFacts(places, terminal.files, RealProcessRunner(),
                         WaitLimit::For(RealClock(), kLongestLook, terminal.stop));
}

}  // namespace hearth::snapshot::ctl
