#include <fmt/format.h>

#include <ostream>

#include "gms/client/subscription.h"
#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/server_command.h"
#include "gms/ctl/internal/words.h"

namespace hearth::gms::ctl {
namespace {

std::string LineOf(const ChangeNotice& event) {
  return fmt::format("{:>6}  {}  {:19}  {:>10}  {:>11}\n", event.sequence, TimeText(event.at_ms),
                     event.kind, event.generation, event.allocation_count);
}

Value JsonOf(const ChangeNotice& event) {
  return Value::Object({{"sequence", event.sequence},
                        {"at_ms", event.at_ms},
                        {"kind", event.kind},
                        {"generation", event.generation},
                        {"allocation_count", event.allocation_count}});
}

class Events : public ServerCommand {
 public:
  Events() : ServerCommand("events", Pools::kOne) {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.Add({.name = "follow",
               .help = "Go on with what happens from now on",
               .target = &follow_,
               .letter = 'f'});
    table.Add({.name = "after",
               .help = "Only what came after the event of this number",
               .target = &after_,
               .value_name = "N",
               .check = Between(0, INT64_MAX)});
    table.Add({.name = "count",
               .help = "Stop after so many; 0: no limit",
               .target = &count_,
               .letter = 'n',
               .value_name = "N",
               .check = Between(0, INT64_MAX)});
    table.AddNotes("The server keeps the last 256 events of a pool. Times are UTC.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const DomainItem pool, OnlyPool(terminal));
    ASSIGN_OR_RETURN(
        const auto events,
        Subscription::Open(pool.socket, static_cast<uint64_t>(after_), AnswerLimit(terminal)));
    if (!json()) {
      terminal.out << fmt::format("{:>6}  {:23}  {:19}  {:>10}  {:>11}\n", "NUMBER", "TIME",
                                  "EVENT", "GENERATION", "ALLOCATIONS");
    }
    return Show(terminal, *events);
  }

 private:
  Result<int> Show(Terminal& terminal, Subscription& events) const {
    auto seen = static_cast<uint64_t>(after_);
    for (int64_t shown = 0; (follow_ || seen < events.newest()) && (count_ == 0 || shown < count_);
         ++shown) {
      const auto event = events.Next(follow_ ? SteadyTime::max() : AnswerLimit(terminal).deadline);
      if (!event.ok()) {
        return terminal.stop.stop_requested() ? Result<int>(kExitOk) : event.status();
      }
      seen = event->sequence;
      if (json()) {
        Print(terminal, JsonOf(*event));
      } else {
        terminal.out << LineOf(*event) << std::flush;
      }
    }
    return kExitOk;
  }

  bool follow_ = false;
  int64_t after_ = 0;
  int64_t count_ = 0;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeEvents() { return std::make_unique<Events>(); }

}  // namespace hearth::gms::ctl
