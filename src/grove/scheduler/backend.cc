#include "grove/scheduler/backend.h"

#include <array>

#include "grove/scheduler/internal/backends.h"

namespace hearth::grove {
namespace {

// One for each name.
struct Row {
  std::string_view name;
  std::unique_ptr<Backend> (*make)();
};
constexpr std::array kBackends = {
    Row{"default-scheduler", internal::MakeDefaultBackend},
    Row{"kai-scheduler", internal::MakeKaiBackend},
    Row{"volcano", internal::MakeVolcanoBackend},
    Row{"lpx-scheduler", internal::MakeLpxBackend},
};

}  // namespace

void Backend::PrepareGang(const SetFacts& /*set*/, json::Value& /*gang*/) const {}

std::optional<json::Value> Backend::RenderGroup(const GangFacts& /*gang*/,
                                                json::View /*existing*/) const {
  return std::nullopt;
}

std::unique_ptr<Backend> MakeBackend(std::string_view name) {
  for (const Row& row : kBackends) {
    if (row.name == name) {
      return row.make();
    }
  }
  return nullptr;
}

std::vector<std::string> BackendNames() {
  std::vector<std::string> names;
  names.reserve(kBackends.size());
  for (const Row& row : kBackends) {
    names.emplace_back(row.name);
  }
  return names;
}

std::string SchedulerOf(const SetFacts& set, std::string_view fallback) {
  for (const auto& clique : set.parts().cliques) {
    const json::Value* const name = clique.spec.pod_spec.Find("schedulerName");
    if (name != nullptr && !name->StringOr("").empty()) {
      return name->string();
    }
  }
  return std::string(fallback);
}

}  // namespace hearth::grove
