#include "grove/initc/parents.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "grove/model/labels.h"
#include "kube/model/names.h"

namespace hearth::grove::initc {
namespace {

Result<std::pair<std::string, int64_t>> ParseParent(std::string_view text) {
  const auto wrong = [&](std::string_view why) {
    return InvalidError(fmt::format("\"{}\" is no <clique>:<count>: {}", text, why));
  };
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) {
    return wrong("there is no colon");
  }
  const std::string_view clique = text.substr(0, colon);
  if (const Status name = kube::CheckDnsSubdomain(clique); !name.ok()) {
    return wrong(name.message());
  }
  const std::string_view digits = text.substr(colon + 1);
  int32_t count = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
  if (error != std::errc() || end != digits.data() + digits.size() || count < 1) {
    return wrong("the count must be a number above 0");
  }
  return std::pair(std::string(clique), int64_t{count});
}

}  // namespace

Result<Parents> ParseParents(const std::vector<std::string>& texts) {
  Parents parents;
  for (const std::string& text : texts) {
    ASSIGN_OR_RETURN(const auto parent, ParseParent(text));
    int64_t& count = parents[parent.first];
    count = std::max(count, parent.second);
  }
  return parents;
}

std::string PodSelector(std::string_view gang, const Parents& parents) {
  std::string cliques;
  for (const auto& [clique, count] : parents) {
    cliques += (cliques.empty() ? "" : ",") + clique;
  }
  return fmt::format("{}={},{} in ({})", kGangLabel, gang, kCliqueLabel, cliques);
}

std::string StillMissing(const Parents& parents, const std::map<std::string, int64_t>& ready) {
  std::string missing;
  for (const auto& [clique, count] : parents) {
    const auto found = ready.find(clique);
    const int64_t there = found == ready.end() ? 0 : found->second;
    if (there < count) {
      missing += fmt::format("{}{} {} of {}", missing.empty() ? "" : ", ", clique, there, count);
    }
  }
  return missing;
}

}  // namespace hearth::grove::initc
