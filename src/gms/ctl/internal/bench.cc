#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <ostream>

#include "gms/client/memory_manager.h"
#include "gms/client/probe.h"
#include "gms/ctl/internal/commands.h"
#include "gms/ctl/internal/server_command.h"
#include "gms/ctl/internal/words.h"
#include "gms/device/host_device.h"

namespace hearth::gms::ctl {
namespace {

struct Figure {
  std::string what;
  std::vector<Duration> times;  // sorted

  double Microseconds(double share) const {
    const auto index = static_cast<size_t>(share * static_cast<double>(times.size() - 1));
    return std::chrono::duration<double, std::micro>(times[index]).count();
  }
};

Result<Figure> Measure(const std::string& what, int64_t rounds, const std::stop_token& stop,
                       const std::function<Status()>& once) {
  Figure figure{.what = what};
  RETURN_IF_ERROR(once());  // the first one pays for what is not there yet
  while (static_cast<int64_t>(figure.times.size()) < rounds && !stop.stop_requested()) {
    const SteadyTime begin = RealClock().Now();
    RETURN_IF_ERROR(once());
    figure.times.push_back(RealClock().Now() - begin);
  }
  if (figure.times.empty()) {
    return CancelledError("stopped before anything was measured");
  }
  std::sort(figure.times.begin(), figure.times.end());
  return figure;
}

class Bench : public ServerCommand {
 public:
  Bench() : ServerCommand("bench", Pools::kOne) {}

 protected:
  void AddMoreOptions(OptionTable& table) override {
    table.Add({.name = "rounds",
               .help = "How often each thing is done; attaching a tenth as often",
               .target = &rounds_,
               .letter = 'n',
               .value_name = "N",
               .check = Between(1, 10'000'000)});
    table.AddNotes(
        "  round trip  a request and its answer, on a connection that is there\n"
        "  probe       connect, ask for the state, end\n"
        "  attach      connect as a reader, take every descriptor of what is committed, end\n"
        "  map         the same, and map all of it (memory of the machine only)\n"
        "The last two want something committed. Quick figures for this machine as it is now.\n");
  }

  Result<int> Work(Terminal& terminal) override {
    ASSIGN_OR_RETURN(const RunningServer server, OnlyServer(terminal));
    ASSIGN_OR_RETURN(const auto admin, Open(server, terminal));
    const DomainItem& pool = server.status.domains.front();
    ASSIGN_OR_RETURN(const auto figures, MeasureAll(*admin, pool, terminal));
    if (json()) {
      PrintJson(terminal, pool, figures);
    } else {
      PrintText(terminal, pool, figures);
    }
    return kExitOk;
  }

 private:
  Result<std::vector<Figure>> MeasureAll(Admin& admin, const DomainItem& pool,
                                         const Terminal& terminal) const {
    std::vector<Figure> figures;
    ASSIGN_OR_RETURN(figures.emplace_back(), Measure("round trip", rounds_, terminal.stop, [&] {
                       return ToStatus(admin.ReadStatus(AnswerLimit(terminal).deadline));
                     }));
    ASSIGN_OR_RETURN(figures.emplace_back(), Measure("probe", rounds_, terminal.stop, [&] {
                       return ToStatus(ReadRuntimeState(pool.socket, AnswerLimit(terminal)));
                     }));
    if (pool.state != "COMMITTED" && pool.state != "RO") {
      return figures;
    }
    const int64_t attaches = std::max<int64_t>(rounds_ / 10, 1);
    ASSIGN_OR_RETURN(figures.emplace_back(), Measure("attach", attaches, terminal.stop,
                                                     [&] { return Attach(pool, terminal); }));
    if (pool.device_kind == "host") {
      ASSIGN_OR_RETURN(figures.emplace_back(), Measure("map", attaches, terminal.stop,
                                                       [&] { return Map(pool, terminal); }));
    }
    return figures;
  }

  ConnectOptions Reader(const DomainItem& pool) const {
    return {.socket = pool.socket,
            .client = "gmsctl bench",
            .admission_timeout = answer_timeout(),
            .rpc_timeout = answer_timeout()};
  }

  Status Attach(const DomainItem& pool, const Terminal& terminal) const {
    ASSIGN_OR_RETURN(const auto session, Session::Connect(Reader(pool), AnswerLimit(terminal)));
    // In parts, so that a large layout needs no more open files than one.
    return session->OpenLayoutInParts({}, [](const OpenedLayout&) { return Status::Ok(); });
  }

  Status Map(const DomainItem& pool, const Terminal& terminal) const {
    const auto space = OpenHostAddressSpace({.kind = "host", .granularity = 4096});
    MemoryManager memory(*space, {.connect = Reader(pool)});
    RETURN_IF_ERROR(memory.Connect(LeaseRequest::kRo, AnswerLimit(terminal)));
    RETURN_IF_ERROR(memory.OpenLayout());
    return memory.Close();
  }

  static void PrintText(Terminal& terminal, const DomainItem& pool,
                        const std::vector<Figure>& figures) {
    constexpr auto kRight = TextTable::Align::kRight;
    TextTable table(
        {{"WHAT"}, {"ROUNDS", kRight}, {"FASTEST", kRight}, {"MEDIAN", kRight}, {"P99", kRight}});
    for (const Figure& figure : figures) {
      const auto micros = [&](double share) {
        return fmt::format("{:.1f} us", figure.Microseconds(share));
      };
      table.Add(
          {figure.what, std::to_string(figure.times.size()), micros(0), micros(0.5), micros(0.99)});
    }
    terminal.out << fmt::format("device {} {}: {}, {} allocations, {}\n", pool.device, pool.domain,
                                pool.state, pool.allocation_count,
                                SizeText(static_cast<uint64_t>(pool.bytes)))
                 << table.Text();
  }

  static void PrintJson(Terminal& terminal, const DomainItem& pool,
                        const std::vector<Figure>& figures) {
    Value list = Value::Array();
    for (const Figure& figure : figures) {
      list.Append(Value::Object({{"what", figure.what},
                                 {"rounds", uint64_t{figure.times.size()}},
                                 {"fastest_us", figure.Microseconds(0)},
                                 {"median_us", figure.Microseconds(0.5)},
                                 {"p99_us", figure.Microseconds(0.99)}}));
    }
    Print(terminal, Value::Object({{"device", pool.device},
                                   {"domain", pool.domain},
                                   {"state", pool.state},
                                   {"allocation_count", pool.allocation_count},
                                   {"bytes", pool.bytes},
                                   {"figures", std::move(list)}}));
  }

  int64_t rounds_ = 1000;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeBench() { return std::make_unique<Bench>(); }

}  // namespace hearth::gms::ctl
