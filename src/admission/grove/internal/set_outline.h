#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/seeded_hash.h"
#include "json/value.h"
#include "schema/field_path.h"

namespace hearth::admission::grove {

// A PodCliqueSet as the rules look at it: its cliques and groups in their order, and who belongs to
// whom. Points into the object, which must outlive it and stay as it is.
struct SetOutline {
  static constexpr size_t kNone = std::numeric_limits<size_t>::max();

  struct Clique {
    const json::Value* value;
    const json::Value* spec;
    std::string_view name;
    size_t group = kNone;  // the first scaling group that names it
  };
  struct Group {
    const json::Value* value;
    std::string_view name;
  };

  explicit SetOutline(const json::Value& object);

  // Whether a clique is in no scaling group.
  bool Standalone(size_t clique) const { return cliques[clique].group == kNone; }

  const json::Value& object;
  const json::Value& spec;
  const json::Value& set_template;
  // metadata.name, or what stands for a name the server has yet to make.
  std::string name;
  std::string_view startup_type;
  std::vector<Clique> cliques;
  std::vector<Group> groups;
  SeededMap<std::string_view, size_t> clique_of;  // by name, the first one
  SeededMap<std::string_view, size_t> group_of;   // by name, the first one
  SeededSet<std::string_view> templates;          // names of resourceClaimTemplates
};

// Where things stand. The rules add .Item(i) and .Child(name).
inline const schema::FieldPath kMetadataPath = schema::FieldPath::Base("metadata");
inline const schema::FieldPath kTemplatePath = schema::FieldPath::Base("spec.template");
inline const schema::FieldPath kCliquesPath = schema::FieldPath::Base("spec.template.cliques");
inline const schema::FieldPath kGroupsPath =
    schema::FieldPath::Base("spec.template.podCliqueScalingGroups");

}  // namespace hearth::admission::grove
