#include "snapshot/ctl/internal/local.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <filesystem>

#include "agent/host/restored_processes.h"
#include "base/absolute_path.h"
#include "base/strings.h"
#include "disk/progress.h"
#include "snapshot/artifact/artifact.h"
#include "snapshot/ctl/internal/lint_rules.h"
#include "snapshot/ctl/internal/local_process.h"
#include "snapshot/ctl/internal/restore_progress.h"
#include "snapshot/ctl/internal/staged_bytes.h"

namespace hearth::snapshot::ctl {
namespace {

namespace fs = std::filesystem;

double Seconds(Duration duration) { return std::chrono::duration<double>(duration).count(); }

// The memory that is there, which is about what will be written; 0 when it cannot be told.
uint64_t ExpectedBytes(FileSystem& files, int pid) {
  const auto survey =
      SurveyProcesses(files, "/proc", agent::FirstOfWorkload({}, pid).value_or(pid));
  return survey.ok() ? CostOf(*survey, {}).memory_bytes : 0;
}

// How far a capture is. Look is called from another thread than Finish.
class CaptureProgress {
 public:
  CaptureProgress(std::string staged, uint64_t expected)
      : staged_(std::move(staged)), expected_(expected), begin_(RealClock().Now()) {}

  disk::Progress Look() {
    const uint64_t written = final_ != 0 ? final_.load() : StagedBytes(staged_);
    // What is published is staged no longer, and nothing goes back.
    highest_ = std::max(highest_, written);
    return {.phase = "capture",
            .done_bytes = highest_,
            .total_bytes = final_ != 0 ? highest_ : std::max(expected_, highest_),
            .elapsed = RealClock().Now() - begin_};
  }
  void Finish(uint64_t bytes) { final_ = bytes; }

 private:
  std::string staged_;
  uint64_t expected_;
  SteadyTime begin_;
  uint64_t highest_ = 0;  // of the thread that looks
  std::atomic<uint64_t> final_ = 0;
};

Result<agent::Captured> CaptureContainer(const LocalOptions& options, const LocalCapture& order,
                                         agent::ContainerRuntime& runtime,
                                         const agent::criu::Program& criu,
                                         const StorageLayout& layout, Terminal& terminal,
                                         const WaitLimit& limit) {
  agent::CaptureServices services{.runtime = runtime,
                                  .files = terminal.files,
                                  .clock = RealClock(),
                                  .criu = criu,
                                  .storage = layout,
                                  .journal_directory = AbsolutePath(options.journal),
                                  .places = {},
                                  .environment = {}};
  ASSIGN_OR_RETURN(services.environment, agent::DescribeNode(runtime, criu, limit));
  agent::CaptureOrder capture{.checkpoint_id = order.checkpoint_id,
                              .pod_namespace = order.name_space,
                              .compress = order.compress};
  return agent::Capture(services, order.container, capture, limit);
}

// 0 when it cannot be told; what is wrong with it whoever restores it says.
uint64_t BytesOf(const StorageLayout& layout, const std::string& id) {
  const auto directory = layout.Artifact(id, kDefaultArtifactVersion);
  const auto artifact = directory.ok() ? Artifact::Open(*directory) : directory.status();
  return artifact.ok() ? artifact->contents().TotalBytes() : 0;
}

std::string BesideThisProgram(const std::string& name) {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / name;
}

}  // namespace

void LocalOptions::AddTo(OptionTable& table) {
  table.Add({.name = "local", .help = "On this machine, without a cluster", .target = &on});
  table.Add({.name = "storage",
             .help = "With --local: directory that artifacts are kept in",
             .target = &storage,
             .value_name = "file"});
  table.Add({.name = "criu",
             .help = "With --local: CRIU's program, or the directory that tools/criu prints",
             .target = &criu,
             .environment = "HEARTH_CRIU",
             .value_name = "file"});
  runtime.AddTo(table, "With --local: ");
  table.Add({.name = "journal",
             .help = "With --local: where is noted what goes on, for whoever comes after a crash",
             .target = &journal,
             .value_name = "file"});
}

Result<agent::Captured> CaptureLocally(const LocalOptions& options, const LocalCapture& order,
                                       Terminal& terminal, bool bar, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(const StorageLayout layout, StorageLayout::Create(options.storage));
  ASSIGN_OR_RETURN(const agent::criu::Program criu,
                   agent::criu::FindProgram(AbsolutePath(options.criu)));
  ASSIGN_OR_RETURN(const auto runtime, options.runtime.Make(terminal.files));
  int pid = order.pid;
  if (!order.container.empty()) {
    ASSIGN_OR_RETURN(const agent::Container container, runtime->Find(order.container, limit));
    pid = container.pid;
  }
  ASSIGN_OR_RETURN(const std::string staging, layout.Staging(order.checkpoint_id, "any"));
  CaptureProgress progress(fs::path(staging).parent_path(),
                           bar ? ExpectedBytes(terminal.files, pid) : 0);
  const disk::ProgressReporter reporter(
      terminal.err, bar ? disk::ProgressStyle::kBar : disk::ProgressStyle::kNone,
      [&] { return progress.Look(); }, RealClock());
  Result<agent::Captured> captured =
      order.container.empty()
          ? CaptureProcess({terminal.files, criu, layout}, pid, order.checkpoint_id,
                           order.name_space, limit)
          : CaptureContainer(options, order, *runtime, criu, layout, terminal, limit);
  if (captured.ok()) {
    progress.Finish(captured->bytes);
  }
  return captured;
}

Result<agent::RestoredContainer> RestoreLocally(const LocalOptions& options,
                                                const LocalRestore& order, Terminal& terminal,
                                                bool bar, const WaitLimit& limit) {
  ASSIGN_OR_RETURN(StorageLayout layout, StorageLayout::Create(options.storage));
  if (order.container.empty()) {
    ASSIGN_OR_RETURN(const agent::criu::Program criu,
                     agent::criu::FindProgram(AbsolutePath(options.criu)));
    return RestoreProcess({terminal.files, criu, layout}, order.checkpoint_id, order.name_space,
                          bar ? &terminal.err : nullptr, limit);
  }
  ASSIGN_OR_RETURN(const auto runtime, options.runtime.Make(terminal.files));
  const agent::RestoreServices services{
      .runtime = *runtime,
      .files = terminal.files,
      .clock = RealClock(),
      .nsrestore = options.nsrestore.empty() ? BesideThisProgram("nsrestore") : options.nsrestore,
      .bundle = AbsolutePath(options.criu),
      .storage = layout,
      .journal_directory = AbsolutePath(options.journal),
      .places = {}};
  RestoreProgress progress(bar ? BytesOf(layout, order.checkpoint_id) : 0);
  const disk::ProgressReporter reporter(
      terminal.err, bar ? disk::ProgressStyle::kBar : disk::ProgressStyle::kNone,
      [&] { return progress.Look(); }, RealClock());
  Result<agent::RestoredContainer> restored =
      agent::Restore(services, order.container,
                     {.checkpoint_id = order.checkpoint_id,
                      .artifact_version = std::string(kDefaultArtifactVersion),
                      .pod_namespace = order.name_space,
                      .any_image = order.any_image},
                     limit);
  if (restored.ok()) {
    progress.Finish();
  }
  return restored;
}

std::string PhasesText(const std::vector<agent::Phase>& phases) {
  std::vector<std::string> words;
  words.reserve(phases.size());
  for (const agent::Phase& phase : phases) {
    words.push_back(fmt::format("{} {:.1f} ms", phase.name, Seconds(phase.took) * 1000));
  }
  return Join(words, ", ");
}

Value PhasesJson(const std::vector<agent::Phase>& phases) {
  Value value = Value::Object();
  for (const agent::Phase& phase : phases) {
    value.Set(phase.name, Seconds(phase.took));
  }
  return value;
}

}  // namespace hearth::snapshot::ctl
