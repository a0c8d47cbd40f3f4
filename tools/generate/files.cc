#include "files.h"

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
  return files;
}

}  // namespace hearth::generate
