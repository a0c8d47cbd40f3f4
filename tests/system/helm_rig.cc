#include "helm_rig.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "base/process_runner.h"
#include "base/testing/status_matchers.h"
#include "json/yaml.h"

namespace hearth {
namespace {

using json::Value;

constexpr uint64_t kMostBytes = 16 << 20;  // definitions are large

Result<std::string> RunProgram(ProcessSpec spec) {
  spec.output_limit = kMostBytes;
  ASSIGN_OR_RETURN(
      ProcessOutcome outcome,
      RealProcessRunner().Run(spec, WaitLimit::For(RealClock(), std::chrono::minutes(2))));
  if (!outcome.ok()) {
    return InvalidError(outcome.errors + outcome.output);
  }
  return std::move(outcome.output);
}

}  // namespace

Result<std::unique_ptr<HelmRig>> HelmRig::Make(const std::string& kubeconfig) {
  ASSIGN_OR_RETURN(kube::KubeBinaries binaries, kube::KubeBinaries::Find());
  if (::access(binaries.helm.c_str(), X_OK) != 0) {
    return NotFoundError("no Helm to test with: run tools/kube-assets helm");
  }
  return std::unique_ptr<HelmRig>(new HelmRig(std::move(binaries), kubeconfig));
}

std::string HelmRig::Chart() { return std::string(HEARTH_SOURCE_DIR) + "/deploy/helm/hearth"; }

std::vector<std::pair<std::string, std::string>> HelmRig::Environment() const {
  const char* const path = std::getenv("PATH");
  return {{"KUBECONFIG", kubeconfig_},
          {"HELM_CACHE_HOME", home_ / "cache"},
          {"HELM_CONFIG_HOME", home_ / "config"},
          {"HELM_DATA_HOME", home_ / "data"},
          {"KUBECACHEDIR", home_ / "kubectl"},
          {"PATH", binaries_.helm.substr(0, binaries_.helm.rfind('/')) + ":" +
                       (path == nullptr ? "" : path)}};
}

Result<std::string> HelmRig::Run(std::vector<std::string> args, const std::string& values) {
  args.insert(args.begin(), binaries_.helm);
  if (!values.empty()) {
    args.insert(args.end(), {"--values", "-"});
  }
  return RunProgram({.argv = std::move(args), .env = Environment(), .input = values});
}

Result<std::string> HelmRig::Kustomize(const std::string& directory) {
  const std::string path = directory.starts_with('/')
                               ? directory
                               : std::string(HEARTH_SOURCE_DIR) + "/deploy/" + directory;
  return RunProgram({.argv = {binaries_.kubectl, "kustomize", path}, .env = Environment()});
}

std::map<std::string, json::Value> ByName(const Result<std::string>& yaml) {
  std::map<std::string, Value> objects;
  EXPECT_OK(yaml);
  const auto documents = json::ParseYaml(yaml.ok() ? *yaml : "");
  EXPECT_OK(documents);
  if (documents.ok()) {
    for (const Value& document : *documents) {
      const std::string kind = document.Find("kind")->StringOr("") + " ";
      const std::string name = document.FindPath("metadata.name")->StringOr("");
      if (!objects.emplace(kind + name, document).second) {
        const Value* const name_space = document.FindPath("metadata.namespace");
        const std::string second = kind + (name_space ? name_space->StringOr("") : "") + "/" + name;
        EXPECT_TRUE(objects.emplace(second, document).second) << second << " is there twice";
      }
    }
  }
  return objects;
}

}  // namespace hearth
