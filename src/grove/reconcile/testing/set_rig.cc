#include "grove/reconcile/testing/set_rig.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "base/testing/status_matchers.h"
#include "controller/conditions.h"
#include "json/yaml.h"
#include "kube/client/transport.h"

namespace hearth::grove {
namespace {

constexpr const char* kNamespace = "ns";

const kube::ResourceType& EventType() {
  static const kube::ResourceType type{"events.k8s.io", "v1", "events", "Event", true};
  return type;
}

WaitLimit Soon() { return WaitLimit::For(RealClock(), std::chrono::minutes(1)); }

// A lease that somebody else holds for as long as a test may take.
json::Value ForeignLease() {
  return *json::ParseYamlDocument(R"(
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: rig, namespace: ns}
spec:
  holderIdentity: another
  leaseDurationSeconds: 3600
  acquireTime: "2026-01-01T00:00:00.000000Z"
  renewTime: "2026-01-01T00:00:00.000000Z"
  leaseTransitions: 0
)");
}

controller::ManagerOptions Options() {
  controller::ManagerOptions options;
  options.name = "rig";
  options.leader_elect = true;
  options.lease_name = "rig";
  options.lease_namespace = kNamespace;
  options.lease_duration = std::chrono::hours(1);
  return options;
}

http::Response Refusal() {
  http::Response answer;
  answer.status = 422;
  answer.headers.Set("Content-Type", "application/json");
  answer.body =
      R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Invalid","code":422,)"
      R"("message":"ValidatingAdmissionPolicy 'p' with binding 'p' denied request: no"})";
  return answer;
}

}  // namespace

SetRig::SetRig()
    : transport_(kube::MakeHandlerTransport(loop_, api_.Handler())),
      manager_(controller::Manager::CreateWith(Options(), *transport_, Logger::Null())),
      caches_(*manager_, claims::ApiVersion::kV1, ""),
      metrics_(manager_->metrics()),
      sets_(*manager_, caches_, metrics_, {1, true}),
      groups_(*manager_, caches_, metrics_, 1),
      cliques_(*manager_, caches_, metrics_, {1, "initc", "default-scheduler"}),
      gangs_(*manager_, caches_, {1, "default-scheduler", {}, true}) {
  api_.Put(kube::types::Leases(), ForeignLease());
  const auto add = [this](const auto&... cache) { (informers_.push_back(&cache.informer()), ...); };
  add(caches_.sets, caches_.groups, caches_.cliques, caches_.pods, caches_.gangs, caches_.services,
      caches_.accounts, caches_.roles, caches_.role_bindings, caches_.secrets, *caches_.claims,
      *caches_.claim_templates);
  thread_ = std::thread([this] { (void)manager_->Run(stop_.get_token()); });
  CatchUp();
}

SetRig::~SetRig() {
  stop_.request_stop();
  thread_.join();
}

void SetRig::PutSet(int replicas, const std::string& parts) {
  Put(PodCliqueSets(), fmt::format("metadata: {{name: serve, namespace: {}}}\nspec:\n"
                                   "  replicas: {}\n  template:\n"
                                   "    terminationDelay: 4h0m0s\n{}",
                                   kNamespace, replicas, parts));
}

void SetRig::Put(const kube::ResourceType& type, std::string_view yaml) {
  auto object = json::ParseYamlDocument(yaml);
  ASSERT_OK(object);
  api_.Put(type, *std::move(object));
  CatchUp();
}

Result<controller::Outcome> SetRig::Run(controller::Reconciler& reconciler,
                                        const std::string& name) {
  controller::Pass pass(
      manager_->client(), manager_->events(), [] { return Logger::Null(); }, Soon());
  auto outcome = reconciler.Reconcile(pass, {kNamespace, name});
  writes_ += pass.writes().size();
  CatchUp();
  return outcome;
}

void SetRig::Settle() {
  for (size_t before = writes_ + 1; before != writes_;) {
    before = writes_;
    EXPECT_OK(Set());
    for (const auto& group : caches_.groups.List()) {
      EXPECT_OK(Group(std::string(group->name())));
    }
    for (const auto& clique : caches_.cliques.List()) {
      EXPECT_OK(Clique(std::string(clique->name())));
    }
    for (const auto& clique : caches_.cliques.List()) {
      EXPECT_OK(Gang(FactsOf<CliqueFacts>(clique).gang));
    }
  }
}

void SetRig::Delete(const kube::ResourceType& type, const std::string& name) {
  EXPECT_OK(manager_->client().Delete(type, {kNamespace, name}, Soon()));
  CatchUp();
}

void SetRig::Refuse(std::string method, std::string path) {
  api_.Intercept([this, method = std::move(method), path = std::move(path)](
                     const http::Request& request) -> std::optional<http::Response> {
    if (request.method != method || request.target.find(path) == std::string::npos) {
      return std::nullopt;
    }
    ++refused_;
    return Refusal();
  });
}

void SetRig::RefuseNothing() { api_.Intercept({}); }

std::optional<json::Value> SetRig::Find(const kube::ResourceType& type,
                                        const std::string& name) const {
  return api_.Find(type, {kNamespace, name});
}

std::string SetRig::Condition(const kube::ResourceType& type, const std::string& name,
                              std::string_view condition) const {
  const auto object = Find(type, name);
  const std::string text = object ? object->Write() : "{}";
  const auto found =
      controller::FindCondition(json::View::Trusted(text)["status"]["conditions"], condition);
  return found ? fmt::format("{} {}: {}", found->status, found->reason, found->message) : "";
}

std::vector<api::grove::LastError> SetRig::LastErrors(const kube::ResourceType& type,
                                                      const std::string& name) const {
  std::vector<api::grove::LastError> errors;
  const auto object = Find(type, name);
  const std::string text = object ? object->Write() : "{}";
  for (const json::View error : json::View::Trusted(text)["status"]["lastErrors"].items()) {
    errors.push_back({error["code"].StringOr(""), error["description"].StringOr(""),
                      error["observedAt"].StringOr("")});
  }
  return errors;
}

std::vector<std::string> SetRig::Events() {
  EXPECT_OK(manager_->events().Flush(Soon()));
  std::vector<std::string> events;
  for (const json::Value& event : api_.All(EventType())) {
    events.push_back(event.Find("reason")->StringOr("") + ": " + event.Find("note")->StringOr(""));
  }
  return events;
}

void SetRig::CatchUp() const {
  const auto shows_all = [this](const controller::Informer& informer) {
    const auto there = api_.All(informer.type());
    if (!informer.synced() || informer.store().size() != there.size()) {
      return false;
    }
    for (const json::Value& object : there) {
      const auto cached = informer.store().Get(object.FindPath("metadata.namespace")->StringOr(""),
                                               object.FindPath("metadata.name")->StringOr(""));
      if (!cached || std::to_string(cached->resource_version()) !=
                         object.FindPath("metadata.resourceVersion")->StringOr("")) {
        return false;
      }
    }
    return true;
  };
  for (const controller::Informer* informer : informers_) {
    while (!shows_all(*informer)) {
      std::this_thread::yield();
    }
  }
}

}  // namespace hearth::grove
