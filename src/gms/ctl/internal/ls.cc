#include <fmt/format.h>

#include <ostream>

#include "base/duration.h"
#include "gms/client/session.h"
#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/layout_view.h"
#include "gms/ctl/internal/server_command.h"
#include "gms/ctl/internal/words.h"

namespace hearth::gms::ctl {
namespace {

LayoutView ViewOf(const OpenedLayout& layout) {
  LayoutView view;
  for (const AllocationItem& item : layout.allocations) {
    view.allocations.push_back({item.allocation_id, item.tag, static_cast<uint64_t>(item.size),
                                static_cast<uint64_t>(item.aligned_size)});
  }
  for (const MetadataItem& item : layout.metadata) {
    view.tensors.push_back(
        {item.key, item.allocation_id, static_cast<uint64_t>(item.offset_bytes), item.value});
  }
  return view;
}

// Only these have something that a reader may see.
bool Readable(const DomainItem& pool) { return pool.state == "COMMITTED" || pool.state == "RO"; }

class Ls : public ServerCommand {
 public:
  Ls() : ServerCommand("ls", Pools::kMany) {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.AddPositional(
        {.name = "prefix", .help = "Only tensors whose name begins so", .target = &prefix_});
    table.AddNotes(
        "A reader's lease is taken for the moment; a writer that waits has to wait for it.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const std::vector<DomainItem> pools, PoolsOf(terminal));
    size_t shown = 0;
    for (const DomainItem& pool : pools) {
      if (Readable(pool)) {
        ASSIGN_OR_RETURN(const OpenedLayout layout, Read(pool, terminal));
        Show(terminal, pool, layout, shown++ == 0);
      }
    }
    if (shown == 0 && !json()) {
      terminal.out << "Nothing is committed.\n";
    }
    return TellSilent(terminal);
  }

 private:
  Result<OpenedLayout> Read(const DomainItem& pool, const Terminal& terminal) const {
    const auto session = Session::Connect({.socket = pool.socket,
                                           .client = "gmsctl",
                                           .admission_timeout = answer_timeout(),
                                           .rpc_timeout = answer_timeout()},
                                          AnswerLimit(terminal));
    if (session.status().Is(Code::kDeadlineExceeded)) {
      return UnavailableError(fmt::format(
          "{}: no reader's lease within {}: somebody writes or waits to; gmsctl top shows who",
          pool.socket, FormatDuration(answer_timeout())));
    }
    RETURN_IF_ERROR(session.status());
    return (*session)->OpenLayout({.with_fds = false});
  }

  void Show(Terminal& terminal, const DomainItem& pool, const OpenedLayout& layout,
            bool first) const {
    const LayoutView view = ViewOf(layout).WithPrefix(prefix_);
    if (json()) {
      Value value = Value::Object({{"device", pool.device},
                                   {"domain", pool.domain},
                                   {"generation", layout.generation},
                                   {"memory_layout_hash", layout.hash}});
      view.AddJson(value);
      Print(terminal, value);
      return;
    }
    terminal.out << fmt::format("{}device {} {}: generation {}, {} in {} allocations, layout {}\n",
                                first ? "" : "\n", pool.device, pool.domain, layout.generation,
                                SizeText(static_cast<uint64_t>(pool.bytes)),
                                layout.allocations.size(), ShortHash(layout.hash))
                 << view.Table();
  }

  std::string prefix_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeLs() { return std::make_unique<Ls>(); }

}  // namespace hearth::gms::ctl
