#include "grove/render/template_hash.h"

#include <fmt/format.h>

#include "base/hash.h"
#include "grove/render/internal/canonical.h"
#include "grove/render/internal/metadata.h"
#include "grove/render/internal/priority.h"

namespace hearth::grove {
namespace {

// What pods are made of, written so that what means the same is the same.
json::Value PodTemplate(const SetFacts& set, const api::grove::CliqueTemplate& clique) {
  json::Value pod_spec = clique.spec.pod_spec;
  internal::SetPriority(set, pod_spec);
  internal::Canonicalize("core.v1.PodSpec", pod_spec);
  return json::Value::Object(
      {{"labels", api::Codec<Labels>::Encode(clique.labels)},
       {"annotations", api::Codec<Labels>::Encode(internal::PodAnnotations(clique))},
       {"spec", std::move(pod_spec)}});
}

std::string HashOf(const json::Value& value) {
  return fmt::format("{}{:016x}", kHashPrefix, HashBytes(value.WriteCanonical()));
}

}  // namespace

std::string TemplateHash(const SetFacts& set, const api::grove::CliqueTemplate& clique) {
  return HashOf(PodTemplate(set, clique));
}

std::string GenerationHash(const SetFacts& set) {
  json::Value all = json::Value::Object();
  for (const auto& clique : set.parts().cliques) {
    all.Set(clique.name, PodTemplate(set, clique));
  }
  return HashOf(all);
}

bool IsOurHash(std::string_view hash) { return hash.starts_with(kHashPrefix); }

}  // namespace hearth::grove
