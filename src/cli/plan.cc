#include "cli/plan.h"

#include <fmt/format.h>

#include <optional>
#include <ostream>

#include "admission/door/door.h"
#include "api/grove/constants.h"
#include "base/nearest_name.h"
#include "base/strings.h"
#include "cli/cluster.h"
#include "cli/gather.h"
#include "cli/manifest/check.h"
#include "cli/manifest/read.h"
#include "cli/manifest/write_text.h"
#include "cli/sources.h"
#include "grove/view/change.h"
#include "grove/view/scale.h"

namespace hearth::cli {
namespace {

using command_line::kExitOk;
using command_line::kExitUsage;
using command_line::Terminal;
using grove::Scaling;
using grove::SetFacts;
using grove::Sizes;

constexpr int kExitInvalid = 1;

constexpr const char* kNotes =
    R"(Names are full ones: that of the set (rs-test), of a scaling group (rs-test-0-sga) or of a
clique (rs-test-0-worker-a). Pods are called by their hostnames.

Exit codes:
  0  planned
  1  the set is not valid: hearth validate says the same
  2  the command line makes no sense, the file cannot be read or holds no such set, the set has no
     part of that name, or the cluster cannot be asked
)";

// What is said when a set is refused, and the exit code that goes with it.
struct Refusal {
  int code = kExitUsage;
  std::string text;
};

Result<std::vector<Scaling>> ParseAll(const std::string& option,
                                      const std::vector<std::string>& texts) {
  std::vector<Scaling> scalings;
  for (const std::string& text : texts) {
    auto scaling = grove::ParseScaling(text);
    if (!scaling.ok()) {
      return scaling.status().WithContext(option);
    }
    scalings.push_back(*std::move(scaling));
  }
  return scalings;
}

bool IsSet(const manifest::ObjectReport& object) {
  return object.kind == "PodCliqueSet" &&
         manifest::GroupOf(object.api_version) == api::grove::kGroup;
}

// What is there now.
struct Present {
  SetFacts set;
  Sizes sizes;
};

class Plan : public command_line::Command {
 public:
  void AddOptions(OptionTable& table) override {
    table.Add({.name = "file",
               .help = "The manifest; - is standard input",
               .target = &file_,
               .letter = 'f',
               .value_name = "file",
               .required = true});
    table.Add({.name = "set",
               .help = "Which PodCliqueSet, when the file holds several",
               .target = &name_,
               .value_name = "name"});
    table.Add({.name = "scale",
               .help = "What would be scaled: NAME=N; may be repeated",
               .target = &scale_,
               .value_name = "name=n"});
    table.Add({.name = "now",
               .help = "What has been scaled already: NAME=N; may be repeated",
               .target = &now_,
               .value_name = "name=n"});
    table.Add({.name = "from-cluster",
               .help = "Ask the cluster what is there now, instead of taking it from the file",
               .target = &from_cluster_});
    table.Add({.name = "namespace",
               .help = "Of a set that names none; \"default\" or the context's without it",
               .target = &name_space_,
               .letter = 'n',
               .value_name = "name"});
    table.Add({.name = "output",
               .help = "For people or for machines",
               .target = &output_,
               .letter = 'o',
               .choices = {"text", "json"}});
    cluster_.AddTo(table);
    table.AddNotes(kNotes);
  }

  int Run(Terminal& terminal) override {
    Refusal refusal;
    const auto change = MakeChange(terminal, refusal);
    if (!change.ok()) {
      terminal.err << (refusal.text.empty()
                           ? fmt::format("hearth plan: {}\n", change.status().message())
                           : refusal.text);
      return refusal.code;
    }
    terminal.out << (output_ == "json" ? grove::ToJson(*change).WritePretty()
                                       : grove::ToText(*change));
    return kExitOk;
  }

 private:
  Result<grove::Change> MakeChange(Terminal& terminal, Refusal& refusal) {
    ASSIGN_OR_RETURN(const auto scalings, ParseAll("--scale", scale_));
    ASSIGN_OR_RETURN(const auto earlier, ParseAll("--now", now_));
    if (from_cluster_ && !earlier.empty()) {
      return InvalidError("--now and --from-cluster both say what is there; take one of them");
    }
    std::unique_ptr<Cluster> cluster;
    if (from_cluster_) {
      ASSIGN_OR_RETURN(cluster, Cluster::Connect(cluster_.request));
    }
    if (name_space_.empty()) {
      name_space_ = cluster ? cluster->name_space() : "default";
    }
    ASSIGN_OR_RETURN(const SetFacts set, ReadSet(terminal, refusal));
    auto sizes = grove::Scaled(set, {}, earlier);
    if (!sizes.ok()) {
      return sizes.status().WithContext("--now");
    }
    std::optional<Present> present;
    if (cluster) {
      ASSIGN_OR_RETURN(present, Ask(*cluster, set, terminal));
      sizes = present ? present->sizes : Sizes();
    } else if (!scalings.empty() || !earlier.empty()) {
      present = Present{set, *sizes};
    }
    return Compare(set, present, *sizes, scalings);
  }

  // `sizes` are those of what is there and stays when the set is applied.
  static Result<grove::Change> Compare(const SetFacts& set, const std::optional<Present>& present,
                                       const Sizes& sizes, const std::vector<Scaling>& scalings) {
    const auto wanted = grove::Scaled(set, sizes, scalings);
    if (!wanted.ok()) {
      return wanted.status().WithContext("--scale");
    }
    std::optional<grove::Composition> before;
    if (present) {
      ASSIGN_OR_RETURN(before, grove::Compose(present->set, present->sizes));
    }
    ASSIGN_OR_RETURN(const grove::Composition after, grove::Compose(set, *wanted));
    grove::Change change = grove::ChangeOf(set, before, after);
    for (const Scaling& scaling : scalings) {
      const int32_t now =
          present ? grove::CurrentSize(present->set, present->sizes, scaling.name) : 0;
      change.sizes.push_back({scaling.name, now, scaling.replicas});
    }
    for (std::string& warning : grove::BelowMinimum(set, scalings)) {
      change.warnings.push_back(std::move(warning));
    }
    return change;
  }

  // Nothing: the set is not there yet.
  Result<std::optional<Present>> Ask(Cluster& cluster, const SetFacts& set,
                                     const Terminal& terminal) const {
    const WaitLimit limit = WaitLimit::For(RealClock(), cluster_.timeout, terminal.stop);
    const auto objects = GatherSet(cluster.client(), {set.id.name_space, set.id.name}, limit);
    if (objects.status().Is(Code::kNotFound) && objects.status().reason() == kNoSuchSet) {
      return std::optional<Present>();
    }
    if (!objects.ok()) {
      return objects.status();
    }
    ASSIGN_OR_RETURN(const auto facts, grove::ClusterFacts::From(*objects));
    Present present{facts.set, {}};
    for (const auto& group : facts.groups) {
      present.sizes[group.id.name] = group.replicas;
    }
    for (const auto& clique : facts.cliques) {
      present.sizes[clique.id.name] = clique.replicas;
    }
    return std::optional(std::move(present));
  }

  // The set as a server would store it.
  Result<SetFacts> ReadSet(Terminal& terminal, Refusal& refusal) const {
    const auto sources = FindSources({file_}, false, manifest::kLimits.max_bytes, terminal);
    if (sources.size() != 1) {
      return InvalidError(fmt::format("--file: {} is a folder; name one file", file_));
    }
    ASSIGN_OR_RETURN(std::string text,
                     ReadSource(sources[0], terminal.files, manifest::kLimits.max_bytes));
    const manifest::Manifest read = manifest::Read(text);
    if (!read.findings.empty()) {
      refusal = {kExitInvalid, manifest::ToText(manifest::FileReport{.file = sources[0].name,
                                                                     .text = std::move(text),
                                                                     .findings = read.findings},
                                                false)};
      return InvalidError("not readable as YAML");
    }
    ASSIGN_OR_RETURN(const json::YamlDocument* const set, Choose(read));
    manifest::ObjectReport report = manifest::CheckObject(*set, {.name_space = name_space_});
    if (report.verdict == manifest::Verdict::kInvalid) {
      refusal = {kExitInvalid, manifest::ToText(manifest::FileReport{.file = sources[0].name,
                                                                     .text = std::move(text),
                                                                     .objects = {report}},
                                                false)};
      return InvalidError("not valid");
    }
    json::Value object = set->value;
    object["metadata"].Set("namespace", report.name_space);
    ASSIGN_OR_RETURN(const auto admitted, admission::Admit(std::move(object), {}));
    const json::Blob stored = admitted.object.ToBlob();
    return SetFacts::From(grove::Identity::Of(stored.view()), stored.view());
  }

  Result<const json::YamlDocument*> Choose(const manifest::Manifest& read) const {
    std::vector<std::string> names;
    const json::YamlDocument* chosen = nullptr;
    for (const json::YamlDocument& document : read.objects) {
      const manifest::ObjectReport object = manifest::Identify(document);
      if (IsSet(object)) {
        names.push_back(object.name);
        chosen = name_.empty() || object.name == name_ ? &document : chosen;
      }
    }
    if (names.empty()) {
      return InvalidError(fmt::format("{} holds no PodCliqueSet", file_));
    }
    if (chosen == nullptr) {
      const std::string near = NearestName(name_, names);
      return InvalidError(fmt::format("{} holds no PodCliqueSet {}{}", file_, name_,
                                      near.empty() ? "" : "; did you mean " + near + "?"));
    }
    if (name_.empty() && names.size() > 1) {
      return InvalidError(fmt::format("{} holds {} PodCliqueSets ({}); say which one with --set",
                                      file_, names.size(), Join(names, ", ")));
    }
    return chosen;
  }

  std::string file_;
  std::string name_;
  std::vector<std::string> scale_;
  std::vector<std::string> now_;
  bool from_cluster_ = false;
  std::string name_space_;
  std::string output_ = "text";
  ClusterOptions cluster_;
};

}  // namespace

std::unique_ptr<command_line::Command> MakePlan() { return std::make_unique<Plan>(); }

}  // namespace hearth::cli
