#include "raw_loop.h"

#include <chrono>
#include <utility>

#include "manifests.h"
#include "parallel.h"
#include "scratch.h"

namespace hearth::bench {
namespace {

constexpr auto kRequestTimeout = std::chrono::seconds(60);

WaitLimit Limit() { return WaitLimit::For(RealClock(), kRequestTimeout); }

Status Connect(Stage& stage, const std::string& name_space, size_t connections) {
  return ForEachInParallel(connections, connections, [&](size_t) {
    return stage.as_operator()
        .Get(kube::types::ConfigMaps(), {name_space, "owner"}, Limit())
        .status();
  });
}

}  // namespace

Result<RawObjects> MakeRaw(Stage& stage, const std::vector<Made>& made) {
  RawObjects raw;
  ASSIGN_OR_RETURN(raw.name_space, stage.NewNamespace("raw"));
  ASSIGN_OR_RETURN(const json::Value owner, stage.NewOwner(raw.name_space));
  raw.objects.reserve(made.size());
  for (const auto& [type, object] : made) {
    json::Value body = AsRaw(object.ToValue(), raw.name_space, owner);
    body.Set("apiVersion", type.ApiVersion());
    body.Set("kind", type.kind);
    raw.objects.push_back({type, body.ToBlob()});
  }
  return raw;
}

Result<double> CreateRaw(Stage& stage, const RawObjects& raw, size_t connections) {
  RETURN_IF_ERROR(Connect(stage, raw.name_space, connections));
  const SteadyTime begin = RealClock().Now();
  RETURN_IF_ERROR(ForEachInParallel(raw.objects.size(), connections, [&](size_t i) {
    const auto& [type, body] = raw.objects[i];
    return stage.as_operator().Create(type, raw.name_space, body.view(), Limit()).status();
  }));
  return SecondsSince(begin);
}

}  // namespace hearth::bench
