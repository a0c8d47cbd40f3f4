#include "cli/diagnose.h"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "cli/collect.h"
#include "cli/common_options.h"
#include "cli/gather_graph.h"
#include "cli/graph_resources.h"
#include "json/time.h"

namespace hearth::cli {
namespace {

using command_line::kExitOk;
using command_line::Terminal;
using json::Value;

constexpr const char* kNotes =
    R"(Writes a .tar.gz with the objects of the graphs' chains, events, nodes, versions, and the logs of
the operator and the agents. Secrets and ConfigMaps are never read; values of variables and options
that are called like secrets, tokens, keys, passwords in URLs, and the annotation in which kubectl
repeats objects are taken out. manifest.json says what is in it, what was taken out and what was
left out, and why. Look at it before you send it.

Exit codes:
  0  written; what could not be read is told and left out
  2  the command line makes no sense, there is no such graph, the cluster cannot be asked, or the
     file cannot be written
)";

class Diagnose : public command_line::Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.AddPositional({.name = "graph",
                         .help = "Only these DynamoGraphDeployments; all of the namespace without",
                         .target = &graphs_});
    table.Add({.name = "file",
               .help = "Where it is written; hearth-diagnose-<time>.tar.gz without it",
               .target = &file_,
               .letter = 'f',
               .value_name = "file"});
    table.Add(
        {.name = "logs", .help = "Also logs of the operator and the agents", .target = &logs_});
    table.Add(
        {.name = "log-bytes", .help = "How much of the end of each log", .target = &log_bytes_});
    common_.cluster.timeout = std::chrono::minutes(5);
    common_.AddTo(table, true);
    table.AddNotes(kNotes);
  }

  int Run(Terminal& terminal) override {
    const Status done = Do(terminal);
    return done.ok() ? kExitOk : Fail(terminal, "diagnose", done);
  }

 private:
  Status Do(Terminal& terminal) {
    if (common_.all_namespaces && !graphs_.empty()) {
      return InvalidError("a name is looked for in one namespace; leave out -A, or the name");
    }
    const WallTime now = RealClock().WallNow();
    if (file_.empty()) {
      std::string time = json::Time{now}.ToString();
      std::erase_if(time, [](char c) { return c == '-' || c == ':'; });
      file_ = fmt::format("hearth-diagnose-{}.tar.gz", time);
    }
    if (terminal.files.Stat(file_).ok()) {
      return InvalidError(fmt::format("{} is there already; say another --file", file_));
    }
    ASSIGN_OR_RETURN(const auto cluster, Cluster::Connect(common_.cluster.request));
    const WaitLimit limit = common_.Limit(terminal);
    bundle::Bundle bundle({.version = HEARTH_VERSION, .server = cluster->server(), .now = now});
    ASSIGN_OR_RETURN(const CollectOptions options, Choose(*cluster, limit));
    ASSIGN_OR_RETURN(const auto problems, Collect(cluster->client(), options, limit, bundle));
    const Value manifest = bundle.Manifest();
    RETURN_IF_ERROR(terminal.files.Write(file_, bundle.Pack(), 0600));
    Print(terminal, manifest, problems);
    return Status::Ok();
  }

  Result<CollectOptions> Choose(Cluster& cluster, const WaitLimit& limit) const {
    CollectOptions options{.logs = logs_, .log_bytes = log_bytes_.value};
    const std::string name_space = common_.NamespaceIn(cluster);
    for (const std::string& name : graphs_) {
      RETURN_IF_ERROR(GetNamed(cluster.client(), Graphs(), {name_space, name}, limit).status());
      options.graphs.push_back({name_space, name});
    }
    if (graphs_.empty()) {
      const auto found = ListAll(cluster.client(), Graphs(), name_space, "", limit);
      if (!found.ok()) {
        return found.status().Is(Code::kNotFound) ? UnknownKind(Graphs()) : found.status();
      }
      for (const kube::Object& graph : *found) {
        options.graphs.push_back(graph.meta().key());
      }
    }
    if (!name_space.empty()) {
      options.name_spaces.insert(name_space);
    }
    for (const kube::ObjectKey& graph : options.graphs) {
      options.name_spaces.insert(graph.name_space);
    }
    return options;
  }

  void Print(Terminal& terminal, const Value& manifest,
             const std::vector<std::string>& problems) const {
    const auto count = [&](const char* list) { return manifest.Find(list)->items().size(); };
    if (common_.json()) {
      Value found = Value::Array();
      for (const std::string& line : problems) {
        found.Append(line);
      }
      terminal.out << Value::Object(
                          {{"file", file_}, {"problems", std::move(found)}, {"manifest", manifest}})
                          .WritePretty();
      return;
    }
    for (const std::string& line : problems) {
      terminal.out << "! " << line << "\n";
    }
    terminal.out << fmt::format(
        "{}: {} files, {} values taken out, {} things left out; manifest.json says which\n", file_,
        count("files"), count("redacted"), count("leftOut"));
  }

  std::vector<std::string> graphs_;
  std::string file_;
  bool logs_ = true;
  OptionTable::Bytes log_bytes_{uint64_t{2} << 20};
  CommonOptions common_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakeDiagnose() { return std::make_unique<Diagnose>(); }

}  // namespace hearth::cli
