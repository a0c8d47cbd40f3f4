#include "files.h"

#include "admission/webhook/configurations.h"
#include "api/catalog/catalog.h"
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

GeneratedFile WebhookFile(const std::string& directory, const json::Value& configuration) {
  return {directory + configuration.FindPath("metadata.name")->string() + ".yaml",
          kWebhookHeader + json::WriteYaml(configuration)};
}

}  // namespace

std::vector<GeneratedFile> GenerateAll() {
  std::vector<GeneratedFile> files;
  for (const schema::ResourceDefinition& definition : api::AllDefinitions()) {
    files.push_back({"deploy/crds/" + definition.group + "_" + definition.plural + ".yaml",
                     kHeader + json::WriteYaml(schema::ToCrd(definition))});
    files.push_back(ReferencePage(definition));
  }
  files.push_back(ReferenceIndex(api::AllDefinitions()));
  for (const json::Value& configuration : admission::webhook::RenderConfigurations({})) {
    files.push_back(WebhookFile("deploy/webhooks/", configuration));
  }
  for (const json::Value& configuration : admission::webhook::RenderOptionalConfigurations({})) {
    files.push_back(WebhookFile("deploy/webhooks/optional/", configuration));
  }
  return files;
}

}  // namespace hearth::generate
