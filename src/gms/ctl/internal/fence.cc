#include <fmt/format.h>

#include <ostream>

#include "gms/client/probe.h"
#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/server_command.h"
#include "gms/protocol/errors.h"

namespace hearth::gms::ctl {
namespace {

class Fence : public ServerCommand {
 public:
  Fence() : ServerCommand("fence", Pools::kOne) {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.AddPositional({.name = "action",
                         .help = "status, prepare, abort or complete",
                         .target = &action_,
                         .required = true,
                         .choices = {"status", "prepare", "abort", "complete"}});
    table.Add({.name = "token",
               .help = "What prepare said: abort and complete want it",
               .target = &token_,
               .value_name = "TOKEN"});
    table.Add({.name = "deadline",
               .help = "The fence comes down by itself then; 0s: never",
               .target = &deadline_});
    table.AddNotes(
        "While the fence of a device is up nobody gets a lease on it: its memory stands still for\n"
        "a checkpoint. prepare is refused while somebody holds or waits for a lease, or what is\n"
        "written is not committed. abort: the checkpoint is not taken. complete: the checkpoint "
        "was restored.\n");
  }

  std::string HintFor(const Status& failure) const override {
    if (action_ == "prepare" && failure.reason() == ReasonOf(ErrorCode::kFenceConflict)) {
      return "  gmsctl top shows who holds or waits for what; an engine that sleeps holds "
             "nothing\n";
    }
    return ServerCommand::HintFor(failure);
  }

  Result<int> Work(Terminal& terminal) override {
    const bool resolves = action_ == "abort" || action_ == "complete";
    if (resolves && token_.empty()) {
      return Misused(terminal, fmt::format("{} wants --token, as prepare printed it", action_));
    }
    ASSIGN_OR_RETURN(const DomainItem pool, OnlyPool(terminal));
    ASSIGN_OR_RETURN(const CheckpointStateResponse state, Act(pool, terminal));
    if (json()) {
      Print(terminal, Value::Object({{"device", pool.device},
                                     {"state", state.state},
                                     {"token", state.token ? Value(*state.token) : Value()}}));
    } else {
      terminal.out << fmt::format("device {}: {}{}\n", pool.device, state.state,
                                  state.token ? ", token " + *state.token : "");
    }
    return kExitOk;
  }

 private:
  Result<CheckpointStateResponse> Act(const DomainItem& pool, const Terminal& terminal) const {
    const WaitLimit limit = AnswerLimit(terminal);
    if (action_ == "prepare") {
      FenceOptions options;
      if (deadline_ > Duration::zero()) {
        options.deadline = deadline_;
      }
      return PrepareCheckpoint(pool.socket, options, limit);
    }
    if (action_ == "abort") {
      return AbortCheckpoint(pool.socket, token_, limit);
    }
    return action_ == "complete" ? CompleteRestore(pool.socket, token_, limit)
                                 : ReadCheckpointState(pool.socket, limit);
  }

  std::string action_;
  std::string token_;
  Duration deadline_ = std::chrono::minutes(10);
};

}  // namespace

std::unique_ptr<command_line::Command> MakeFence() { return std::make_unique<Fence>(); }

}  // namespace hearth::gms::ctl
