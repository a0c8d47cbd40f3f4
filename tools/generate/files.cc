#include "files.h"

#include "admission/webhook/configurations.h"
#include "api/dynamo/definitions.h"
#include "api/grove/definitions.h"
#include "api/snapshot/definitions.h"
#include "json/yaml.h"
#include "reference.h"
#include "schema/crd.h"

namespace hearth::generate {
namespace {

constexpr const char* kHeader =
    "# Made by tools/generate from the field tables in src/api; change those instead.\n";
constexpr const char* kWebhookHeader =
    "# Made by tools/generate from src/admission/webhook/configurations.cc; change that instead. "
    "The "
    "operator puts\n# the caBundle in.\n";

}  // namespace

std::vector<schema::ResourceDefinition> AllDefinitions() {
  std::vector<schema::ResourceDefinition> all;
  for (const auto& definitions :
       {api::dynamo::Definitions(), api::grove::Definitions(), api::snapshot::Definitions()}) {
    all.insert(all.end(), definitions.begin(), definitions.end());
  }
  return all;
}

std::vector<GeneratedFile> GenerateAll() {
  std::vector<GeneratedFile> files;
  for (const schema::ResourceDefinition& definition : AllDefinitions()) {
    files.push_back({"deploy/crds/" + definition.group + "_" + definition.plural + ".yaml",
                     kHeader + json::WriteYaml(schema::ToCrd(definition))});
    files.push_back(ReferencePage(definition));
  }
  files.push_back(ReferenceIndex(AllDefinitions()));
  for (const json::Value& configuration : admission::webhook::RenderConfigurations({})) {
    files.push_back(
        {"deploy/webhooks/" + configuration.FindPath("metadata.name")->string() + ".yaml",
         kWebhookHeader + json::WriteYaml(configuration)});
  }
  return files;
}

}  // namespace hearth::generate
