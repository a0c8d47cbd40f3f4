// The main job on one machine: an engine starts slowly, its weights are saved and it is captured;
// everything is killed; weights and engine come back in seconds, the same to the last byte; and a
// second engine takes over when the first is killed.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <future>
#include <numeric>
#include <string>
#include <vector>

#include "agent/capture/capture.h"
#include "agent/container/oci_runtime.h"
#include "agent/restore/restore.h"
#include "base/file_system.h"
#include "base/options.h"
#include "base/process_runner.h"
#include "base/random.h"
#include "base/stop_signal.h"
#include "command_line/text_table.h"
#include "container.h"
#include "engine_client.h"
#include "net/event_loop.h"

namespace hearth::demo {
namespace {

namespace fs = std::filesystem;

struct Settings {
  std::string programs;  // directory
  std::string engine;    // the program
  std::string criu;      // as tools/criu makes it
  std::string directory;
  std::string sockets;  // directory
  OptionTable::Bytes weights{2ULL << 30};
  bool keep = false;
};

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }
std::string Size(uint64_t bytes) {
  return bytes >= 1ULL << 30 ? fmt::format("{:.2f} GiB", static_cast<double>(bytes) / (1ULL << 30))
                             : fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1ULL << 20));
}

// Prints what goes on, and keeps what it took.
class Story {
 public:
  template <typename Work>
  auto Tell(const std::string& what, Work work) {
    fmt::print("{:<58}", what);
    std::fflush(stdout);
    const SteadyTime begin = RealClock().Now();
    auto done = work();
    took_ = RealClock().Now() - begin;
    fmt::print("{:>8.3f} s\n", Seconds(took_));
    return done;
  }
  Duration took() const { return took_; }

 private:
  Duration took_{};
};

class Demo {
 public:
  Demo(const Settings& settings, std::stop_token stop)
      : settings_(settings),
        stop_(std::move(stop)),
        runtime_(
            agent::MakeOciRuntime({.root = Path("runc")}, RealProcessRunner(), RealFileSystem())) {}

  Status Run() {
    fs::create_directories(Socket("gms"));
    fs::create_directories(Path("shared"));
    RETURN_IF_ERROR(ColdStart());
    RETURN_IF_ERROR(Save());
    KillEverything();
    RETURN_IF_ERROR(ComeBack());
    RETURN_IF_ERROR(FailOver());
    PrintTable();
    return Status::Ok();
  }

 private:
  std::string Path(const std::string& name) const { return settings_.directory + "/" + name; }
  std::string Socket(const std::string& name) const { return settings_.sockets + "/" + name; }
  std::string Program(const std::string& name) const { return settings_.programs + "/" + name; }
  WaitLimit Enough() const { return WaitLimit::For(RealClock(), std::chrono::minutes(5), stop_); }
  // The engine's socket, from outside its container.
  EngineClient ClientOf(const std::string& container) {
    return EngineClient(loop_, Socket(container) + "/engine.sock", stop_);
  }
  // An engine waits for a memory service that has ended: its end is told at once.
  Status AwaitServing(EngineClient client) {
    return client.AwaitServing([this] {
      return server_->Running()
                 ? Status::Ok()
                 : UnavailableError("gms-server has ended: " +
                                    RealFileSystem().Read(server_log_, 1 << 20).value_or(""));
    });
  }

  Status StartServer(const std::string& log) {
    server_log_ = Path(log);
    ASSIGN_OR_RETURN(ChildProcess server,
                     ChildProcess::Start({.argv = {Program("gms-server"), "--device-type", "host",
                                                   "--device", "0", "--socket-dir", Socket("gms")},
                                          .log_path = server_log_}));
    server_.emplace(std::move(server));
    return Status::Ok();
  }

  Status RunProgram(const std::string& name) {
    ProcessSpec spec;
    spec.argv = {
        Program(name), "--device-type",    "host",          "--device",   "0",   "--socket-dir",
        Socket("gms"), "--checkpoint-dir", Path("weights"), "--progress", "none"};
    ASSIGN_OR_RETURN(const ProcessOutcome done, RealProcessRunner().Run(spec, Enough()));
    return done.ok() ? Status::Ok() : InternalError(fmt::format("{}: {}", name, done.errors));
  }

  Result<Container> StartContainer(const std::string& name, std::vector<std::string> argv) {
    fs::create_directories(Socket(name));
    return Container::Start(
        {.directory = Path(name),
         .name = id_ + name,
         .argv = std::move(argv),
         .volumes = {{Socket(name), "/control"},
                     {Socket("gms"), "/gms"},
                     {Path("shared"), "/shared"},
                     {fs::path(settings_.engine).parent_path(), "/opt/engine"}}},
        Path("runc"));
  }
  std::vector<std::string> EngineCommand(const std::string& engine_id) {
    return {"/opt/engine/" + fs::path(settings_.engine).filename().string(),
            "--listen",
            "unix:///control/engine.sock",
            "--socket-dir",
            "/gms",
            "--weights",
            std::to_string(settings_.weights.value),
            "--engine-id",
            engine_id,
            "--failover-lock",
            "/shared/failover.lock"};
  }

  Status ColdStart() {
    RETURN_IF_ERROR(StartServer("gms-server.log"));
    RETURN_IF_ERROR(story_.Tell(
        fmt::format("an engine with {} of weights starts", Size(settings_.weights.value)), [&] {
          auto started = StartContainer("engine-0", EngineCommand("0"));
          if (!started.ok()) {
            return started.status();
          }
          engine_.emplace(*std::move(started));
          return AwaitServing(ClientOf("engine-0"));
        }));
    cold_start_ = story_.took();
    EngineClient client = ClientOf("engine-0");
    for (const char* const prompt : {"the fire", "that keeps", "warm"}) {
      ASSIGN_OR_RETURN(const std::string text, client.Complete(prompt));
      fmt::print("    \"{}\" -> \"{}\"\n", prompt, text);
      before_.push_back(text);
    }
    ASSIGN_OR_RETURN(state_, client.Ask());
    return Status::Ok();
  }

  Status Save() {
    RETURN_IF_ERROR(
        story_.Tell("its weights are saved (gms-saver)", [&] { return RunProgram("gms-saver"); }));
    save_ = story_.took();
    RETURN_IF_ERROR(ClientOf("engine-0").Sleep());
    ASSIGN_OR_RETURN(const agent::criu::Program program, agent::criu::FindProgram(settings_.criu));
    ASSIGN_OR_RETURN(auto environment, agent::DescribeNode(*runtime_, program, Enough()));
    ASSIGN_OR_RETURN(const snapshot::StorageLayout storage,
                     snapshot::StorageLayout::Create(Path("checkpoints")));
    const agent::CaptureServices services{.runtime = *runtime_,
                                          .files = RealFileSystem(),
                                          .clock = RealClock(),
                                          .criu = program,
                                          .storage = storage,
                                          .journal_directory = Path("journal"),
                                          .environment = environment};
    const auto captured = story_.Tell("it is captured (CRIU)", [&] {
      return agent::Capture(services, engine_->id(),
                            {.checkpoint_id = "demo", .pod_namespace = "demo"}, Enough());
    });
    RETURN_IF_ERROR(captured.status());
    captured_ = *captured;
    return Status::Ok();
  }

  void KillEverything() {
    story_.Tell("everything is killed", [&] {
      engine_->Kill();
      server_.reset();
      return 0;
    });
  }

  Status ComeBack() {
    RETURN_IF_ERROR(story_.Tell("server, weights and engine come back", [&] { return Restore(); }));
    warm_start_ = story_.took();
    EngineClient client = ClientOf("restored");
    ASSIGN_OR_RETURN(const EngineClient::State state, client.Ask());
    if (state.requests != state_.requests || state.digest != state_.digest) {
      return InternalError("the engine that came back is not the one that was captured");
    }
    ASSIGN_OR_RETURN(const std::string text, client.Complete("the fire"));
    fmt::print("    \"the fire\" -> \"{}\", request {} of the same process\n", text,
               state.requests + 1);
    return text == before_[0] ? Status::Ok()
                              : InternalError("the engine that came back answers otherwise");
  }

  // Weights and process come back side by side.
  Status Restore() {
    RETURN_IF_ERROR(StartServer("gms-server-2.log"));
    auto loading = std::async(std::launch::async, [&] {
      const SteadyTime begin = RealClock().Now();
      Status loaded = RunProgram("gms-loader");
      load_ = RealClock().Now() - begin;
      return loaded;
    });
    ASSIGN_OR_RETURN(Container placeholder,
                     StartContainer("restored", {"/usr/bin/sleep", "infinity"}));
    engine_.emplace(std::move(placeholder));
    ASSIGN_OR_RETURN(const snapshot::StorageLayout storage,
                     snapshot::StorageLayout::Create(Path("checkpoints")));
    const agent::RestoreServices services{.runtime = *runtime_,
                                          .files = RealFileSystem(),
                                          .clock = RealClock(),
                                          .nsrestore = Program("nsrestore"),
                                          .bundle = settings_.criu,
                                          .storage = storage,
                                          .journal_directory = Path("journal")};
    const auto restored = agent::Restore(
        services, engine_->id(), {.checkpoint_id = "demo", .pod_namespace = "demo"}, Enough());
    RETURN_IF_ERROR(loading.get());
    RETURN_IF_ERROR(restored.status());
    restored_ = *restored;
    RETURN_IF_ERROR(ClientOf("restored").Wake());
    return AwaitServing(ClientOf("restored"));
  }

  Status FailOver() {
    ASSIGN_OR_RETURN(Container second, StartContainer("engine-1", EngineCommand("1")));
    EngineClient client = ClientOf("engine-1");
    const WaitLimit limit = Enough();
    for (auto state = client.Ask(); !state.ok() || state->phase != "standby";
         state = client.Ask()) {
      RETURN_IF_ERROR(limit.Check(RealClock(), "the second engine is not ready"));
      static_cast<void>(SleepFor(RealClock(), std::chrono::milliseconds(20), stop_));
    }
    RETURN_IF_ERROR(story_.Tell("the first engine is killed, the second takes over", [&] {
      engine_->Kill();
      return AwaitServing(client);
    }));
    failover_ = story_.took();
    ASSIGN_OR_RETURN(const std::string text, client.Complete("the fire"));
    fmt::print("    \"the fire\" -> \"{}\"\n", text);
    second_.emplace(std::move(second));
    return text == before_[0] ? Status::Ok() : InternalError("the second engine answers otherwise");
  }

  void PrintTable() const {
    using command_line::TextTable;
    TextTable table({{"STEP"},
                     {"SECONDS", TextTable::Align::kRight},
                     {"BYTES", TextTable::Align::kRight},
                     {"GB/S", TextTable::Align::kRight}});
    const uint64_t weights = settings_.weights.value;
    const auto row = [&](const std::string& name, Duration took, uint64_t bytes) {
      table.Add({name, fmt::format("{:.3f}", Seconds(took)), bytes == 0 ? "" : Size(bytes),
                 bytes == 0
                     ? ""
                     : fmt::format("{:.2f}", static_cast<double>(bytes) / 1e9 / Seconds(took))});
    };
    row("cold start", cold_start_, 0);
    row("save weights, durable", save_, weights);
    const auto phases = [&](const std::vector<agent::Phase>& all) {
      for (const agent::Phase& phase : all) {
        row("  " + phase.name, phase.took, 0);
      }
    };
    const auto sum = [](const std::vector<agent::Phase>& all) {
      return std::accumulate(all.begin(), all.end(), Duration(),
                             [](Duration a, const agent::Phase& b) { return a + b.took; });
    };
    row("capture engine, durable", sum(captured_.phases), captured_.bytes);
    phases(captured_.phases);
    row("warm start", warm_start_, 0);
    row("  load weights, verified", load_, weights);
    row("  restore engine, verified", sum(restored_.phases), restored_.bytes);
    for (const agent::Phase& phase : restored_.phases) {
      row("    " + phase.name, phase.took, 0);
    }
    row("failover", failover_, 0);
    fmt::print("\n{}\ncold start / warm start: {:.1f}\nroot digest of the artifact: {}\n",
               table.Text(), Seconds(cold_start_) / Seconds(warm_start_), captured_.root_digest);
  }

  const Settings& settings_;
  const std::stop_token stop_;
  const std::string id_ = fmt::format("hearth-demo-{:08x}-", Random::Seeded().Next() >> 32);
  std::unique_ptr<agent::ContainerRuntime> runtime_;
  net::EventLoop loop_{"demo"};
  Story story_;
  std::optional<ChildProcess> server_;
  std::string server_log_;
  std::optional<Container> engine_;
  std::optional<Container> second_;
  std::vector<std::string> before_;
  EngineClient::State state_;
  agent::Captured captured_;
  agent::RestoredContainer restored_;
  Duration cold_start_{};
  Duration save_{};
  Duration load_{};
  Duration warm_start_{};
  Duration failover_{};
};

int Main(int argc, char** argv) {
  Settings settings;
  OptionTable table("demo", "Starts, saves, captures, kills, restores and fails over an engine.");
  table.Add({.name = "programs",
             .help = "Directory of gms-server, gms-saver, gms-loader, nsrestore",
             .target = &settings.programs,
             .required = true});
  table.Add({.name = "engine",
             .help = "The example engine",
             .target = &settings.engine,
             .required = true});
  table.Add({.name = "criu",
             .help = "The directory that tools/criu prints",
             .target = &settings.criu,
             .required = true});
  table.Add({.name = "directory",
             .help = "A new directory for everything that is made",
             .target = &settings.directory,
             .required = true});
  table.Add({.name = "sockets",
             .help = "A new directory with a short path: that of a socket has at most 107 bytes",
             .target = &settings.sockets,
             .required = true});
  table.Add({.name = "weights", .help = "Bytes of weights", .target = &settings.weights});
  table.Add({.name = "keep",
             .help = "Leave server and engine running until told to stop",
             .target = &settings.keep});
  const auto parsed = table.Parse(argc, argv);
  if (!parsed.ok()) {
    fmt::print(stderr, "demo: {}\n", parsed.status().message());
    return 2;
  }
  if (*parsed != OptionTable::Parsed::kRun) {
    fmt::print("{}", table.Help());
    return 0;
  }
  const StopSignal stop;
  Demo demo(settings, stop.token());
  const Status done = demo.Run();
  if (!done.ok()) {
    fmt::print(stderr, "\ndemo: {}\n", done.ToString());
  }
  if (settings.keep) {
    fmt::print("\nEverything runs on, with its files in {}. Ctrl-C ends it.\n", settings.directory);
    std::fflush(stdout);
    static_cast<void>(SleepFor(RealClock(), Duration::max(), stop.token()));
  }
  return done.ok() ? 0 : 1;
}

}  // namespace
}  // namespace hearth::demo

int main(int argc, char** argv) { return hearth::demo::Main(argc, argv); }
