#include "grove/plan/hashes.h"

#include <set>

#include "grove/model/labels.h"
#include "grove/model/names.h"
#include "grove/render/template_hash.h"

namespace hearth::grove {
namespace {

bool IsUpdating(const SetFacts& set) {
  return set.status.update_progress && set.status.update_progress->update_ended_at.empty();
}

// The template that a clique is of, by its exact name.
std::string_view TemplateOf(const SetFacts& set, const CliqueFacts& clique) {
  const Place& place = clique.place;
  std::optional<std::string_view> name;
  if (clique.standalone() && place.set_replica) {
    name = NameAfter(set.id.name, *place.set_replica, clique.id.name);
  } else if (!clique.standalone() && place.group_replica) {
    name = NameAfter(place.group, *place.group_replica, clique.id.name);
  }
  return name.value_or("");
}

// What the other operator calls a template: as the cliques that it brought up to date are labelled;
// when it says that of none, as all are.
std::string TheirHash(const SetFacts& set, std::string_view clique_template,
                      const std::vector<CliqueFacts>& cliques) {
  std::set<std::string> settled;
  std::set<std::string> all;
  for (const CliqueFacts& clique : cliques) {
    if (clique.id.deleting || clique.template_hash.empty() ||
        TemplateOf(set, clique) != clique_template) {
      continue;
    }
    all.insert(clique.template_hash);
    if (clique.status.current_set_generation_hash == set.status.current_generation_hash) {
      settled.insert(clique.template_hash);
    }
  }
  const std::set<std::string>& seen = settled.empty() ? all : settled;
  return seen.size() == 1 ? *seen.begin() : "";
}

}  // namespace

Hashes Hashes::Of(const SetFacts& set) {
  Hashes hashes;
  hashes.generation = GenerationHash(set);
  for (const api::grove::CliqueTemplate& clique : set.parts().cliques) {
    hashes.cliques[clique.name] = TemplateHash(set, clique);
  }
  const auto noted = set.annotations.find(std::string(kHashAliasAnnotation));
  if (noted != set.annotations.end()) {
    hashes.aliases = ParseAliases(noted->second);
  }
  return hashes;
}

bool Hashes::Same(std::string_view ours, std::string_view seen) const {
  if (ours.empty() || seen.empty()) {
    return false;
  }
  if (ours == seen) {
    return true;
  }
  const auto alias = aliases.find(std::string(ours));
  return alias != aliases.end() && alias->second == seen;
}

std::string_view Hashes::Current(std::string_view clique_template) const {
  const auto found = cliques.find(std::string(clique_template));
  return found == cliques.end() ? std::string_view() : found->second;
}

bool Hashes::IsCurrent(std::string_view clique_template, std::string_view seen) const {
  return Same(Current(clique_template), seen);
}

std::string Hashes::LabelFor(std::string_view clique_template, std::string_view seen) const {
  return std::string(IsCurrent(clique_template, seen) ? seen : Current(clique_template));
}

std::string FormatAliases(const std::map<std::string, std::string>& aliases) {
  std::string text;
  for (const auto& [ours, theirs] : aliases) {
    text += (text.empty() ? "" : ",") + ours + "=" + theirs;
  }
  return text;
}

std::map<std::string, std::string> ParseAliases(std::string_view text) {
  std::map<std::string, std::string> aliases;
  while (!text.empty()) {
    const std::string_view entry = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), entry.size() + 1));
    const size_t sign = entry.find('=');
    if (sign != std::string_view::npos && sign > 0 && sign + 1 < entry.size()) {
      aliases[std::string(entry.substr(0, sign))] = entry.substr(sign + 1);
    }
  }
  return aliases;
}

HashStep PlanHash(const SetFacts& set, const Hashes& hashes,
                  const std::vector<CliqueFacts>& cliques) {
  using Kind = HashStep::Kind;
  const std::string& noted = set.status.current_generation_hash;
  if (noted == hashes.generation) {
    return {Kind::kSettled, {}};
  }
  if (noted.empty()) {
    return {Kind::kFirst, {}};
  }
  const bool is_whole = set.status.observed_generation == set.id.generation && !IsUpdating(set);
  if (IsOurHash(noted) || !is_whole) {
    return {Kind::kChanged, {}};
  }
  HashStep step{Kind::kTakeOver, {{hashes.generation, noted}}};
  for (const auto& [clique, ours] : hashes.cliques) {
    const std::string theirs = TheirHash(set, clique, cliques);
    if (!theirs.empty() && theirs != ours) {
      step.aliases[ours] = theirs;
    }
  }
  return step;
}

}  // namespace hearth::grove
