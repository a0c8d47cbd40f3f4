#include "cli/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <thread>

#include "cli/in_order.h"
#include "cli/manifest/check.h"
#include "cli/manifest/read.h"
#include "cli/manifest/write_json.h"
#include "cli/manifest/write_text.h"
#include "cli/sources.h"

namespace hearth::cli {
namespace {

using command_line::Command;
using command_line::kExitUsage;
using command_line::Terminal;
using manifest::FileReport;
using manifest::ObjectReport;

// Below so many files a thread costs more than it brings.
constexpr size_t kFilesPerThread = 32;

constexpr const char* kNotes =
    R"(Exit codes:
  0  every object is valid, or not ours
  1  something is not
  2  the command line makes no sense, or a file cannot be read
)";

struct Settings {
  std::vector<std::string> files;
  std::vector<std::string> more_files;
  bool recursive = false;
  std::string output = "text";
  bool explain = false;
  bool quiet = false;
  bool allow_unknown_fields = false;
  bool strict = false;
  std::string against;
  std::string name_space = "default";
  bool without_grove = false;
  bool without_checkpoints = false;
  bool without_gms_snapshots = false;
  bool without_topology = false;
  std::string checkpoint_path = admission::Setup().checkpoint_path;
  std::vector<std::string> schedulers;
};

void AddInputs(OptionTable& table, Settings& s) {
  table.Add({.name = "file",
             .help = "A file or folder; - is standard input; may be repeated",
             .target = &s.files,
             .letter = 'f',
             .value_name = "file"});
  table.Add({.name = "recursive",
             .help = "Look into folders below a folder",
             .target = &s.recursive,
             .letter = 'R'});
  table.Add({.name = "against",
             .help = "What was applied earlier: check changes of it, immutable fields say",
             .target = &s.against,
             .value_name = "file"});
  table.Add({.name = "namespace",
             .help = "Of objects that name none",
             .target = &s.name_space,
             .letter = 'n',
             .value_name = "name"});
  table.AddPositional(
      {.name = "files", .help = "As --file", .target = &s.more_files, .value_name = "file"});
}

void AddOutputs(OptionTable& table, Settings& s) {
  table.Add({.name = "output",
             .help = "For people or for machines",
             .target = &s.output,
             .letter = 'o',
             .choices = {"text", "json"}});
  table.Add({.name = "explain",
             .help = "Say below each finding what the rule is for",
             .target = &s.explain});
  table.Add(
      {.name = "quiet", .help = "Only errors, one line each", .target = &s.quiet, .letter = 'q'});
  table.Add({.name = "allow-unknown-fields",
             .help = "Warn of fields that a server would drop, instead of refusing them",
             .target = &s.allow_unknown_fields});
  table.Add({.name = "strict",
             .help = "Refuse objects of other products, which are skipped otherwise",
             .target = &s.strict});
}

void AddSetup(OptionTable& table, Settings& s) {
  table.Add({.name = "without-grove",
             .help = "As if the operator ran without Grove",
             .target = &s.without_grove});
  table.Add({.name = "without-checkpoints",
             .help = "As if checkpoints were switched off",
             .target = &s.without_checkpoints});
  table.Add({.name = "without-gms-snapshots",
             .help = "As if checkpoints with a GPU memory service were switched off",
             .target = &s.without_gms_snapshots});
  table.Add({.name = "without-topology",
             .help = "As if topology-aware scheduling were switched off",
             .target = &s.without_topology});
  table.Add({.name = "checkpoint-path",
             .help = "Where the operator mounts the checkpoint storage",
             .target = &s.checkpoint_path,
             .value_name = "path"});
  table.Add({.name = "scheduler",
             .help = "A scheduler of the cluster, the default one first; may be repeated",
             .target = &s.schedulers,
             .value_name = "name"});
}

admission::Setup SetupOf(const Settings& s) {
  admission::Setup setup;
  setup.grove = !s.without_grove;
  setup.checkpoints = !s.without_checkpoints;
  setup.gms_snapshots = !s.without_gms_snapshots;
  setup.topology = !s.without_topology;
  setup.checkpoint_path = s.checkpoint_path;
  if (!s.schedulers.empty()) {
    setup.schedulers = s.schedulers;
  }
  return setup;
}

FileReport CheckSource(const Source& source, FileSystem& files,
                       const manifest::CheckOptions& options) {
  auto text = ReadSource(source, files, manifest::kLimits.max_bytes);
  if (text.ok()) {
    return manifest::CheckText(source.name, *std::move(text), options);
  }
  return {.file = source.name,
          .findings = {{.type = manifest::type::kUnreadable,
                        .message = std::string(text.status().message())}},
          .unreadable = true};
}

// Says when an object stands in the manifests twice: the last one applied would win.
class Duplicates {
 public:
  void Look(FileReport& file) {
    for (ObjectReport& object : file.objects) {
      if (object.name.empty()) {
        continue;
      }
      const std::string key =
          fmt::format("{}/{}", manifest::GroupOf(object.api_version), object.Title());
      const std::string place = fmt::format("{}:{}", file.file, object.at.line);
      const auto [first, fresh] = seen_.try_emplace(key, place);
      if (!fresh) {
        object.Add({.severity = manifest::Severity::kWarning,
                    .at = object.at,
                    .type = manifest::type::kDuplicateObject,
                    .message = fmt::format("{} stands in {} already; the last one applied wins",
                                           object.Title(), first->second)});
      }
    }
  }

 private:
  std::map<std::string, std::string> seen_;
};

class Validate : public Command {
 public:
  void AddOptions(OptionTable& table) override {
    AddInputs(table, s_);
    AddOutputs(table, s_);
    AddSetup(table, s_);
    table.AddNotes(kNotes);
  }

  int Run(Terminal& terminal) override {
    std::vector<std::string> paths = s_.files;
    paths.insert(paths.end(), s_.more_files.begin(), s_.more_files.end());
    if (paths.empty()) {
      terminal.err << "hearth validate: no files; name some, or - for standard input "
                      "(see --help)\n";
      return kExitUsage;
    }
    manifest::CheckOptions options{.setup = SetupOf(s_),
                                   .name_space = s_.name_space,
                                   .allow_unknown_fields = s_.allow_unknown_fields,
                                   .strict = s_.strict,
                                   .explain = s_.explain};
    const auto applied = ReadApplied(terminal.files);
    if (!applied.ok()) {
      terminal.err << "hearth validate: --against: " << applied.status().message() << "\n";
      return kExitUsage;
    }
    options.against = s_.against.empty() ? nullptr : &*applied;
    return Check(FindSources(paths, s_.recursive, manifest::kLimits.max_bytes, terminal), options,
                 terminal);
  }

 private:
  Result<manifest::AppliedObjects> ReadApplied(FileSystem& files) const {
    if (s_.against.empty()) {
      return manifest::AppliedObjects();
    }
    ASSIGN_OR_RETURN(const std::string text, files.Read(s_.against, manifest::kLimits.max_bytes));
    return manifest::AppliedObjects::Read(text, s_.name_space).WithContext(s_.against);
  }

  int Check(const std::vector<Source>& sources, const manifest::CheckOptions& options,
            Terminal& terminal) const {
    const size_t threads =
        std::min<size_t>(std::thread::hardware_concurrency(), sources.size() / kFilesPerThread);
    const bool json = s_.output == "json";
    Duplicates duplicates;
    manifest::Summary summary;
    manifest::JsonReport document;
    InOrder<FileReport>(
        sources.size(), threads,
        [&](size_t i) { return CheckSource(sources[i], terminal.files, options); },
        [&](FileReport file) {
          duplicates.Look(file);
          summary.Count(file);
          if (json) {
            document.Add(file);
          } else {
            terminal.out << manifest::ToText(file, s_.quiet);
          }
        });
    if (json) {
      terminal.out << document.Finish(summary);
    } else if (!s_.quiet) {
      terminal.out << manifest::ToText(summary);
    }
    return summary.ExitCode();
  }

  Settings s_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeValidate() { return std::make_unique<Validate>(); }

}  // namespace hearth::cli
