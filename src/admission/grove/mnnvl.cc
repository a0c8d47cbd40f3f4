#include "admission/grove/internal/mnnvl.h"

#include "admission/grove/internal/part.h"
#include "admission/rules/reading.h"

namespace hearth::admission::grove {
namespace {

using schema::FieldPath;

constexpr Rule kGroup{
    "mnnvl-group",
    "The annotation asks for a multi-node NVLink domain, which this operator does not make: pods "
    "would run without it. Remove the annotation or set it to none."};

void CheckGroup(const json::Value& object, const FieldPath& path, Findings& findings) {
  const json::Value& group = Member(Member(object, "annotations"), kMnnvlGroup);
  if (!group.IsString() || group.string() == "none") {
    return;
  }
  const FieldPath annotations = path.Child("annotations");
  const FieldPath key = annotations.Key(kMnnvlGroup);
  findings.Add(kGroup, schema::Invalid(key, group,
                                       "multi-node NVLink is not enabled in this "
                                       "operator; only none is allowed"));
}

void Check(const SetOutline& set, const Request& request, Findings& findings) {
  if (request.operation != Operation::kCreate) {
    return;
  }
  CheckGroup(Member(set.object, "metadata"), kMetadataPath, findings);
  for (size_t i = 0; i < set.cliques.size(); ++i) {
    CheckGroup(*set.cliques[i].value, kCliquesPath.Item(i), findings);
  }
  for (size_t i = 0; i < set.groups.size(); ++i) {
    CheckGroup(*set.groups[i].value, kGroupsPath.Item(i), findings);
  }
}

}  // namespace

Part MnnvlPart() { return {Check, {&kGroup}}; }

}  // namespace hearth::admission::grove
