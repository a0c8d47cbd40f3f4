#include "grove/model/names.h"

#include <fmt/format.h>

#include <charconv>

namespace hearth::grove {
namespace {

// As we write numbers; nothing for anything else.
std::optional<int32_t> ReadIndex(std::string_view text) {
  int32_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  const bool plain = text == "0" || (!text.empty() && text[0] >= '1' && text[0] <= '9');
  return whole && plain ? std::optional(index) : std::nullopt;
}

// What follows "<prefix>-".
std::optional<std::string_view> After(std::string_view prefix, std::string_view text) {
  if (!text.starts_with(prefix) || text.size() <= prefix.size() || text[prefix.size()] != '-') {
    return std::nullopt;
  }
  return text.substr(prefix.size() + 1);
}

}  // namespace

std::string ReplicaName(std::string_view set, int32_t i) { return fmt::format("{}-{}", set, i); }

std::string HeadlessAddress(std::string_view set, int32_t i, std::string_view name_space) {
  return fmt::format("{}-{}.{}.svc.cluster.local", set, i, name_space);
}

std::string CliqueName(std::string_view set, int32_t i, std::string_view clique) {
  return fmt::format("{}-{}-{}", set, i, clique);
}

std::string GroupName(std::string_view set, int32_t i, std::string_view group) {
  return fmt::format("{}-{}-{}", set, i, group);
}

std::string MemberName(std::string_view group, int32_t j, std::string_view clique) {
  return fmt::format("{}-{}-{}", group, j, clique);
}

std::string ScaledGangName(std::string_view group, int32_t j, int32_t min_available) {
  return fmt::format("{}-{}", group, j - min_available);
}

std::string GroupReplicaName(std::string_view group, int32_t j) {
  return fmt::format("{}-{}", group, j);
}

std::string RoleName(std::string_view set) { return fmt::format("grove.io:pcs:{}", set); }

std::string TokenSecretName(std::string_view set) { return fmt::format("{}-ic-sat", set); }

std::string Hostname(std::string_view clique, int32_t index) {
  return fmt::format("{}-{}", clique, index);
}

std::optional<int32_t> IndexAfter(std::string_view prefix, std::string_view text) {
  const auto rest = After(prefix, text);
  return rest ? ReadIndex(*rest) : std::nullopt;
}

std::optional<std::string_view> NameAfter(std::string_view prefix, int32_t index,
                                          std::string_view text) {
  const auto rest = After(fmt::format("{}-{}", prefix, index), text);
  return rest && !rest->empty() ? rest : std::nullopt;
}

}  // namespace hearth::grove
