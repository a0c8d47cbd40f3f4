#include "admission/dynamo/internal/prepared_template.h"

#include <fmt/format.h>

#include "admission/rules/reading.h"
#include "api/dynamo/constants.h"
#include "base/seeded_hash.h"
#include "base/strings.h"
#include "schema/field_error.h"

namespace hearth::admission::dynamo {
namespace {

using api::dynamo::kGmsMountPath;
using api::dynamo::kGmsSaver;
using api::dynamo::kGmsServer;
using api::dynamo::kGmsSocketDir;
using api::dynamo::kGmsVolume;
using api::dynamo::kGpuClaim;
using json::Value;

constexpr size_t kMost = 100;  // findings that anybody reads

std::string Quoted(std::string_view name) { return schema::QuotedText(Excerpt(name, 63)); }

bool HasMount(const Value& container) {
  for (const Value& mount : Items(container.Find("volumeMounts"))) {
    if (Text(mount.Find("name")) == kGmsVolume && Text(mount.Find("mountPath")) == kGmsMountPath) {
      return true;
    }
  }
  return false;
}

bool HasSocketDir(const Value& container) {
  const Value* variable = FindNamed(container.Find("env"), kGmsSocketDir);
  return variable != nullptr && Text(variable->Find("value")) == kGmsMountPath;
}

class Inspection {
 public:
  explicit Inspection(const Value& spec)
      : memory_(spec.Find("gpuMemoryService")),
        job_(spec.Find("job")),
        pod_(At(job_, "podTemplateSpec.spec")) {
    for (const Value& container : Items(At(pod_, "containers"))) {
      containers_.emplace(Text(container.Find("name")), &container);
    }
  }

  std::vector<MissingWiring> Run() {
    LookAtMode();
    const Value* target = LookAtTarget();
    if (FindNamed(At(pod_, "resourceClaims"), kGpuClaim) == nullptr) {
      AddToPod("resourceClaims", fmt::format("is missing pod resource claim \"{}\"", kGpuClaim));
    }
    if (FindNamed(At(pod_, "volumes"), kGmsVolume) == nullptr) {
      AddToPod("volumes", fmt::format("is missing shared volume \"{}\"", kGmsVolume));
    }
    LookAtWiring("containers", target);
    const Value* server = FindNamed(At(pod_, "initContainers"), kGmsServer);
    if (server == nullptr) {
      AddToPod("initContainers", fmt::format("is missing init sidecar \"{}\"", kGmsServer));
    }
    LookAtWiring("initContainers", server);
    LookAtClients();
    return std::move(missing_);
  }

 private:
  void Add(std::string path, std::string cause) {
    missing_.push_back({std::move(path), std::move(cause)});
  }
  void AddToPod(std::string_view member, const std::string& what) {
    Add(fmt::format("spec.job.podTemplateSpec.spec.{}", member),
        "gpuMemoryService checkpoint pod template " + what);
  }

  void LookAtMode() {
    const std::string_view mode = Text(At(memory_, "mode"));
    if (!mode.empty() && mode != "intraPod") {
      Add("spec.gpuMemoryService.mode",
          fmt::format("gpuMemoryService checkpoint jobs for mode {} are not implemented",
                      Quoted(mode)));
    }
  }

  const Value* LookAtTarget() {
    const std::string_view given = Text(At(job_, "targetContainerName"));
    const std::string_view name = given.empty() ? api::dynamo::kMainContainer : given;
    const Value* target = FindNamed(At(pod_, "containers"), name);
    if (target == nullptr) {
      Add("spec.job.targetContainerName",
          "gpuMemoryService checkpoint pod template has no target container " + Quoted(name));
    }
    return target;
  }

  // Nothing to look at when the container is not there: that was told.
  void LookAtWiring(std::string_view list, const Value* container) {
    if (container == nullptr) {
      return;
    }
    const size_t index = container - Items(At(pod_, list)).data();
    const std::string place = fmt::format("spec.job.podTemplateSpec.spec.{}[{}].", list, index);
    const std::string who =
        "gpuMemoryService checkpoint container " + Quoted(Text(container->Find("name"))) + " ";
    if (FindNamed(container->FindPath("resources.claims"), kGpuClaim) == nullptr) {
      Add(place + "resources.claims",
          who + fmt::format("is missing resource claim \"{}\"", kGpuClaim));
    }
    if (!HasMount(*container)) {
      Add(place + "volumeMounts",
          who + fmt::format("is missing {} mount at {}", kGmsVolume, kGmsMountPath));
    }
    if (!HasSocketDir(*container)) {
      Add(place + "env", who + fmt::format("is missing {}={}", kGmsSocketDir, kGmsMountPath));
    }
  }

  void LookAtClients() {
    const bool has_own_saver = ObjectOrNull(At(memory_, "checkpoint")) != nullptr;
    const auto& names = Items(At(memory_, "extraClientContainers"));
    SeededSet<std::string_view> seen;
    for (size_t i = 0; i < names.size() && missing_.size() < kMost; ++i) {
      const std::string_view name = Text(&names[i]);
      // The operator's own saver is added to the Job, wired.
      if (seen.insert(name).second && !(has_own_saver && name == kGmsSaver)) {
        LookAtClient(name, i);
      }
    }
  }

  void LookAtClient(std::string_view name, size_t index) {
    const auto client = containers_.find(name);
    if (client != containers_.end()) {
      LookAtWiring("containers", client->second);
      return;
    }
    Add(fmt::format("spec.gpuMemoryService.extraClientContainers[{}]", index),
        "gpuMemoryService checkpoint pod template is missing extra client container " +
            Quoted(name));
  }

  const Value* memory_;
  const Value* job_;
  const Value* pod_;
  SeededMap<std::string_view, const Value*> containers_;
  std::vector<MissingWiring> missing_;
};

}  // namespace

std::vector<MissingWiring> FindMissingWiring(const Value& spec) { return Inspection(spec).Run(); }

}  // namespace hearth::admission::dynamo
