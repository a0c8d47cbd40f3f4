#include "admission/grove/internal/set_outline.h"

#include "admission/rules/reading.h"

namespace hearth::admission::grove {
namespace {

// The server adds five characters to a generateName.
std::string NameOf(const json::Value& metadata) {
  const std::string_view name = Text(metadata, "name");
  const std::string_view generate = Text(metadata, "generateName");
  return name.empty() && !generate.empty() ? std::string(generate) + "xxxxx" : std::string(name);
}

}  // namespace

SetOutline::SetOutline(const json::Value& object)
    : object(object),
      spec(Member(object, "spec")),
      set_template(Member(spec, "template")),
      name(NameOf(Member(object, "metadata"))),
      startup_type(Text(set_template, "cliqueStartupType")) {
  const json::Value::Items& clique_list = Items(set_template, "cliques");
  cliques.reserve(clique_list.size());
  clique_of.reserve(clique_list.size());
  for (const json::Value& clique : clique_list) {
    clique_of.emplace(Text(clique, "name"), cliques.size());
    cliques.push_back({&clique, &Member(clique, "spec"), Text(clique, "name")});
  }
  for (const json::Value& group : Items(set_template, "podCliqueScalingGroups")) {
    group_of.emplace(Text(group, "name"), groups.size());
    for (const json::Value& member : Items(group, "cliqueNames")) {
      const auto clique = clique_of.find(Text(&member));
      if (clique != clique_of.end() && cliques[clique->second].group == kNone) {
        cliques[clique->second].group = groups.size();
      }
    }
    groups.push_back({&group, Text(group, "name")});
  }
  for (const json::Value& claim_template : Items(set_template, "resourceClaimTemplates")) {
    templates.insert(Text(claim_template, "name"));
  }
}

}  // namespace hearth::admission::grove
