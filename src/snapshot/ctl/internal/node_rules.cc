#include "snapshot/ctl/internal/node_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "agent/criu/oldest_version.h"
#include "agent/host/machine.h"
#include "base/strings.h"

namespace hearth::snapshot::ctl {
namespace {

using Verdict = Judgement::Verdict;

constexpr std::string_view kOldestKernel = "5.12";  // mounts that are moved between namespaces
constexpr std::string_view kOldestCriu = agent::criu::kOldestVersion;

std::vector<int> NumbersOf(std::string_view version) {
  std::vector<int> numbers;
  for (const std::string_view part : Split(version, '.')) {
    int number = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (error != std::errc()) {
      break;
    }
    numbers.push_back(number);
    if (end != part.data() + part.size()) {
      break;  // "0-18-amd64": what follows is no number of the version
    }
  }
  return numbers;
}

// Fine when `fine`, otherwise `verdict` with the advice.
Judgement Judge(bool fine, Verdict verdict, std::string what, std::string found,
                std::string advice) {
  return {.verdict = fine ? Verdict::kFine : verdict,
          .what = std::move(what),
          .found = std::move(found),
          .advice = fine ? "" : std::move(advice)};
}

std::string YesNo(bool yes) { return yes ? "yes" : "no"; }

Judgement JudgeCriu(const NodeFacts& facts) {
  if (facts.criu_version.empty()) {
    return Judge(false, Verdict::kBad, "CRIU", "none",
                 fmt::format("{} does not run: install CRIU {} or newer, or give its place with "
                             "--criu",
                             facts.criu_path, kOldestCriu));
  }
  return Judge(
      !OlderThan(facts.criu_version, kOldestCriu), Verdict::kBad, "CRIU", facts.criu_version,
      fmt::format("too old for current kernels: {} is the oldest that is used", kOldestCriu));
}

Judgement JudgeCriuCheck(const NodeFacts& facts) {
  return Judge(facts.criu_check.empty(), Verdict::kBad, "criu check",
               facts.criu_version.empty() ? "not run"
               : facts.criu_check.empty() ? "looks good"
                                          : facts.criu_check,
               "the kernel lacks what CRIU needs: use one with CONFIG_CHECKPOINT_RESTORE, or give "
               "this container its capabilities");
}

Judgement JudgeFeatures(const SourceEnvironment& made, const NodeFacts& facts) {
  const std::vector<std::string> missing =
      agent::MissingFeatures(made.cpu_features, made.architecture, facts.cpu_features);
  if (made.cpu_features.empty()) {
    return {Verdict::kWarning, "CPU features", "not recorded",
            "nobody knows whether the processor has what the program uses"};
  }
  return Judge(missing.empty(), Verdict::kBad, "CPU features",
               missing.empty() ? "all there" : "missing: " + Join(missing, ", "),
               fmt::format("the program may use them and die: restore on {}, or capture on the "
                           "oldest processors that it is to run on",
                           made.cpu_model.empty() ? "such a processor" : made.cpu_model));
}

// Found as "here, captured on there" when they differ.
std::string Against(std::string_view here, std::string_view there) {
  return here == there ? std::string(here) : fmt::format("{}, captured on {}", here, there);
}

void JudgeMachine(const SourceEnvironment& made, const NodeFacts& facts,
                  std::vector<Judgement>& all) {
  all.push_back(Judge(made.architecture == facts.architecture, Verdict::kBad, "architecture",
                      Against(facts.architecture, made.architecture),
                      fmt::format("choose a node with {}", made.architecture)));
  all.push_back(JudgeFeatures(made, facts));
  all.push_back(Judge(!OlderThan(facts.kernel, made.kernel), Verdict::kWarning, "kernel",
                      Against(facts.kernel, made.kernel),
                      "older than where it was captured: what it used there may be missing here"));
  all.push_back(
      Judge(!facts.criu_version.empty() && !OlderThan(facts.criu_version, made.criu_version),
            Verdict::kBad, "CRIU",
            Against(facts.criu_version.empty() ? "none" : facts.criu_version, made.criu_version),
            "older than the one that made the images: install the same or a newer one"));
}

Judgement JudgeImage(const SourceEnvironment& made, std::string_view digest) {
  if (made.image_digest.empty() || digest.empty()) {
    return {Verdict::kWarning, "image digest",
            made.image_digest.empty() ? "not recorded" : "not given",
            made.image_digest.empty()
                ? "files of the image must be those of the capture; nobody recorded which"
                : fmt::format("files of the image must be those of the capture: use {}",
                              made.image_digest)};
  }
  return Judge(made.image_digest == digest, Verdict::kBad, "image digest",
               Against(digest, made.image_digest),
               "another image has other files: restore into the one that was captured");
}

}  // namespace

bool OlderThan(std::string_view a, std::string_view b) { return NumbersOf(a) < NumbersOf(b); }

std::vector<Judgement> JudgeNode(const NodeFacts& facts) {
  return {
      Judge(!OlderThan(facts.kernel, kOldestKernel), Verdict::kBad, "kernel", facts.kernel,
            fmt::format("too old: {} is the oldest that containers are restored with",
                        kOldestKernel)),
      Judge(facts.architecture == "x86_64" || facts.architecture == "aarch64", Verdict::kWarning,
            "architecture", facts.architecture, "nobody has tried it"),
      Judge(facts.root, Verdict::kBad, "root", YesNo(facts.root),
            "run as root: other processes are read and made"),
      JudgeCriu(facts),
      JudgeCriuCheck(facts),
      Judge(!facts.iptables.empty(), Verdict::kWarning, "iptables",
            facts.iptables.empty() ? "none" : facts.iptables,
            "connections cannot be held while they are captured: install iptables, or capture only "
            "what has none"),
      Judge(facts.cgroups != "none", Verdict::kBad, "cgroups", facts.cgroups,
            "mount the cgroup file system at /sys/fs/cgroup"),
      Judge(facts.freezer, Verdict::kWarning, "freezer", YesNo(facts.freezer),
            "processes are stopped one by one, which takes longer: use cgroups v2"),
      Judge(facts.overlay, Verdict::kBad, "overlay", YesNo(facts.overlay),
            "changed files of containers are found in overlays: load the module overlay"),
      Judge(facts.ptrace_scope < 3, Verdict::kBad, "ptrace scope",
            std::to_string(facts.ptrace_scope),
            "nobody may trace anybody until the next boot: set kernel.yama.ptrace_scope to 2 or "
            "less and reboot"),
      {Verdict::kFine, "GPUs", std::to_string(facts.gpus), ""}};
}

std::vector<Judgement> JudgeRestore(const Manifest& manifest, const NodeFacts& facts,
                                    std::string_view image_digest) {
  std::vector<Judgement> all;
  if (!manifest.environment) {
    all.push_back({Verdict::kWarning, "environment", "not recorded",
                   "the artifact says nothing about the machine it was made on: it may restore or "
                   "not"});
  } else {
    JudgeMachine(*manifest.environment, facts, all);
    all.push_back(JudgeImage(*manifest.environment, image_digest));
  }
  const size_t gpus = manifest.cuda ? manifest.cuda->gpu_uuids.size() : 0;
  all.push_back(Judge(static_cast<size_t>(facts.gpus) >= gpus, Verdict::kBad, "GPUs",
                      Against(std::to_string(facts.gpus), std::to_string(gpus)),
                      "it needs as many as it had: choose a node that has them"));
  for (Judgement& one : JudgeNode(facts)) {  // what is told already is not told again
    if (one.verdict == Verdict::kBad && one.what != "CRIU" && one.what != "kernel") {
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace hearth::snapshot::ctl
