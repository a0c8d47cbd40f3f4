#include "api/catalog/catalog.h"

#include <map>

#include "api/dynamo/definitions.h"
#include "api/grove/definitions.h"
#include "api/snapshot/definitions.h"
#include "base/check.h"
#include "base/guarded.h"

namespace hearth::api {
namespace {

std::vector<schema::ResourceDefinition> Collect() {
  std::vector<schema::ResourceDefinition> all;
  for (const auto& definitions :
       {dynamo::Definitions(), grove::Definitions(), snapshot::Definitions()}) {
    all.insert(all.end(), definitions.begin(), definitions.end());
  }
  return all;
}

std::unique_ptr<CheckedKind> Ready(const schema::ResourceDefinition& definition,
                                   const schema::ResourceVersion& version) {
  auto validator = schema::Validator::Make(version.schema);
  auto rules = schema::RuleSet::Compile(version.schema);
  CHECK(validator.ok() && rules.ok()) << definition.Name() << " " << version.name;
  return std::make_unique<CheckedKind>(
      CheckedKind{definition, version, std::move(*validator), std::move(*rules)});
}

using KindsByVersion = std::map<const schema::ResourceVersion*, std::unique_ptr<CheckedKind>>;

}  // namespace

const std::vector<schema::ResourceDefinition>& AllDefinitions() {
  static const std::vector<schema::ResourceDefinition> kAll = Collect();
  return kAll;
}

const CheckedKind* FindKind(std::string_view api_version, std::string_view kind) {
  static Guarded<KindsByVersion> made;
  for (const schema::ResourceDefinition& definition : AllDefinitions()) {
    for (const schema::ResourceVersion& version : definition.versions) {
      if (definition.kind == kind && definition.group + "/" + version.name == api_version) {
        auto lock = made.Lock();
        std::unique_ptr<CheckedKind>& ready = (*lock)[&version];
        if (ready == nullptr) {
          ready = Ready(definition, version);
        }
        return ready.get();
      }
    }
  }
  return nullptr;
}

}  // namespace hearth::api
