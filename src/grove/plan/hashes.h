#pragma once

#include <map>
#include <string>
#include <string_view>

#include "grove/model/facts.h"

namespace hearth::grove {

// What the templates of a set are called now. A set that another operator has looked after has pods
// and cliques with hashes of that operator; as long as the templates are the same, those count as
// ours (kHashAliasAnnotation).
struct Hashes {
  std::string generation;
  std::map<std::string, std::string> cliques;  // by the name of the template
  std::map<std::string, std::string> aliases;  // ours -> theirs

  static Hashes Of(const SetFacts& set);

  bool Same(std::string_view ours, std::string_view seen) const;
  // The hash of a template as it is now; empty when the set has no such clique.
  std::string_view Current(std::string_view clique_template) const;
  // Whether an object with this hash is of the template, or of the whole set, as it is now.
  bool IsCurrent(std::string_view clique_template, std::string_view seen) const;
  bool IsCurrentGeneration(std::string_view seen) const { return Same(generation, seen); }
  // The label for an object of the template: what it has when that counts as ours, so that objects
  // of another operator are not written because of it.
  std::string LabelFor(std::string_view clique_template, std::string_view seen) const;
};

// Aliases as they stand in the set's annotation (kHashAliasAnnotation), and read back; what cannot
// be read is left out.
std::string FormatAliases(const std::map<std::string, std::string>& aliases);
std::map<std::string, std::string> ParseAliases(std::string_view text);

// What becomes of the hash in the set's status. The aliases of kTakeOver must be written to the
// annotation before the status is, and belong into Hashes::aliases from then on.
struct HashStep {
  enum class Kind {
    kSettled,   // it is the current one
    kFirst,     // there was none: it is noted, nothing is updated
    kTakeOver,  // another operator's, for the same templates: noted with aliases
    kChanged,   // the templates have changed: an update begins
  };
  Kind kind = Kind::kSettled;
  std::map<std::string, std::string> aliases;  // of kTakeOver: ours -> theirs
};
// `cliques` are the set's, standalone and members.
HashStep PlanHash(const SetFacts& set, const Hashes& hashes,
                  const std::vector<CliqueFacts>& cliques);

}  // namespace hearth::grove
