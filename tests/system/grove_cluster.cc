#include "grove_cluster.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/testing/status_matchers.h"
#include "controller/conditions.h"
#include "eventually.h"
#include "json/yaml.h"
#include "operator_app/crd_apply.h"

namespace hearth {
namespace {

using json::Value;

constexpr const char* kOperatorNamespace = "hearth-system";

std::unique_ptr<kube::Transport> Connect(net::EventLoop& loop, const kube::Config& config) {
  auto transport = kube::MakeHttpTransport(loop, config, kube::ConfigSources::Real());
  EXPECT_OK(transport);
  return transport.ok() ? *std::move(transport) : nullptr;
}

// Definitions and rights, once for a control plane.
void Install(kube::TestControlPlane& plane) {
  net::EventLoop loop("install");
  const auto transport = Connect(loop, plane.config());
  kube::Client client(*transport, RealClock());
  ASSERT_OK(operator_app::ApplyDefinitions(client, operator_app::RenderDefinitions({}),
                                           GroveCluster::Limit(),
                                           [](const std::string&, operator_app::Applied) {}));
  ASSERT_OK(plane.Kubectl({"create", "namespace", kOperatorNamespace}));
  ASSERT_OK(plane.Kubectl({"apply", "--server-side", "-f",
                           std::string(HEARTH_SOURCE_DIR) + "/deploy/operator/rbac.yaml"}));
  ASSERT_TRUE(Eventually([&] {
    return client.List(grove::PodCliqueSets(), "", GroveCluster::Limit()).ok() &&
           client.List(grove::PodGangs(), "", GroveCluster::Limit()).ok();
  }));
}

bool HasGates(json::View pod) { return pod["spec"]["schedulingGates"].size() > 0; }

}  // namespace

kube::TestControlPlane* GroveCluster::Plane(std::string* why_not, std::vector<std::string> more) {
  more.emplace_back("garbage-collector-controller");
  kube::TestControlPlane* plane =
      kube::SharedControlPlane(why_not, {.controllers = std::move(more)});
  if (plane != nullptr) {
    static const bool kInstalled = [&] {
      Install(*plane);
      return true;
    }();
    EXPECT_TRUE(kInstalled);
  }
  return plane;
}

GroveCluster::GroveCluster(kube::TestControlPlane& plane)
    : plane_(plane), transport_(Connect(loop_, plane.config())) {
  client_ = std::make_unique<kube::Client>(*transport_, RealClock(),
                                           kube::ClientOptions{.field_manager = "test"});
  auto name_space = plane.NewNamespace("grove");
  EXPECT_OK(name_space);
  name_space_ = name_space.ok() ? *name_space : "default";
  operator_transport_ = Connect(operator_loop_, OperatorConfig());
  faults_ = std::make_unique<FaultyTransport>(*operator_transport_);
}

GroveCluster::~GroveCluster() { (void)StopOperator(); }

kube::Config GroveCluster::OperatorConfig() {
  const json::Blob body = Value::Object({{"apiVersion", "authentication.k8s.io/v1"},
                                         {"kind", "TokenRequest"},
                                         {"spec", Value::Object({{"expirationSeconds", 3600}})}})
                              .ToBlob();
  const auto answer = client_->CreateSubresource(kube::types::ServiceAccounts(),
                                                 {kOperatorNamespace, "hearth-operator"},
                                                 body.view(), Limit(), {.subresource = "token"});
  EXPECT_OK(answer);
  kube::Config config = plane_.config();
  config.credentials =
      kube::StaticToken(answer.ok() ? answer->view()["status"]["token"].StringOr("") : "");
  config.name_space = kOperatorNamespace;
  return config;
}

void GroveCluster::StartOperator(grove::GroveControllerOptions options) {
  // Tests share a cluster: each has an operator for its own namespace.
  options.name_space = name_space_;
  stop_ = std::stop_source();
  manager_ = controller::Manager::CreateWith({.name = "hearth-operator"}, *faults_, Logger::Null());
  controllers_ = std::make_unique<grove::GroveControllers>(*manager_, options);
  if (graph_options_) {
    graph_options_->graphs.name_space = name_space_;
    graphs_ = std::make_unique<dynamo::DynamoControllers>(*manager_, *graph_options_);
  }
  thread_ = std::thread([this] { ended_ = manager_->Run(stop_.get_token()); });
}

Status GroveCluster::StopOperator() {
  stop_.request_stop();
  if (thread_.joinable()) {
    thread_.join();
  }
  manager_.reset();
  controllers_.reset();
  graphs_.reset();
  return ended_;
}

Status GroveCluster::TryApply(const std::string& yaml) {
  std::string text = yaml;
  const std::string placeholder = "$namespace";
  for (size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder)) {
    text.replace(at, placeholder.size(), name_space_);
  }
  ASSIGN_OR_RETURN(const auto documents, json::ParseYaml(text));
  for (const Value& document : documents) {
    if (!document.IsObject()) {
      continue;
    }
    const std::string kind = document.Find("kind")->StringOr("");
    const std::string api_version = document.Find("apiVersion")->StringOr("");
    ASSIGN_OR_RETURN(const auto version, kube::GroupVersion::Parse(api_version));
    std::string plural = kind + "s";
    std::transform(plural.begin(), plural.end(), plural.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    const kube::ResourceType type{version.group, version.version, plural, kind, true};
    const json::Blob body = document.ToBlob();
    const kube::Meta body_meta(body.view());
    const std::string name_space =
        body_meta.name_space().empty() ? name_space_ : body_meta.name_space();
    RETURN_IF_ERROR(client_->Apply(type, {name_space, body_meta.name()}, body.view(), Limit(),
                                   {.force = true}));
  }
  return {};
}

void GroveCluster::Apply(const std::string& yaml) { ASSERT_OK(TryApply(yaml)); }

void GroveCluster::Scale(const kube::ResourceType& type, const std::string& name, int replicas) {
  Value patch;
  patch.MakePath("spec.replicas") = replicas;
  const json::Blob body = patch.ToBlob();
  ASSERT_OK(client_->Patch(type, {name_space_, name}, kube::PatchType::kMerge, body.view(), Limit(),
                           {.subresource = "scale"}));
}

void GroveCluster::Delete(const kube::ResourceType& type, const std::string& name) {
  ASSERT_OK(client_->Delete(type, {name_space_, name}, Limit(), {.propagation = "Background"}));
}

void GroveCluster::RunPods() {
  for (const kube::Object& pod : List(kube::types::Pods())) {
    if (pod.meta().deleting() || HasGates(pod.view()) ||
        controller::IsTrue(pod["status"]["conditions"], "Ready")) {
      continue;
    }
    const auto condition = [](const char* type) {
      return Value::Object({{"type", type}, {"status", "True"}});
    };
    Value status = Value::Object(
        {{"phase", "Running"},
         {"conditions", Value::Array({condition("PodScheduled"), condition("Ready")})},
         {"containerStatuses", Value::Array({Value::Object({{"name", "main"},
                                                            {"image", "i"},
                                                            {"imageID", "i"},
                                                            {"ready", true},
                                                            {"started", true},
                                                            {"restartCount", 0}})})}});
    const json::Blob body = Value::Object({{"status", std::move(status)}}).ToBlob();
    (void)client_->Patch(kube::types::Pods(), pod.meta().key(), kube::PatchType::kMerge,
                         body.view(), Limit(), {.subresource = "status"});
  }
}

std::vector<kube::Object> GroveCluster::List(const kube::ResourceType& type,
                                             const std::string& selector) {
  auto page = client_->List(type, name_space_, Limit(), {.label_selector = selector});
  EXPECT_OK(page);
  return page.ok() ? page->items : std::vector<kube::Object>();
}

std::set<std::string> GroveCluster::Names(const kube::ResourceType& type,
                                          const std::string& selector) {
  std::set<std::string> names;
  for (const kube::Object& object : List(type, selector)) {
    names.insert(object.meta().name());
  }
  return names;
}

std::optional<kube::Object> GroveCluster::Get(const kube::ResourceType& type,
                                              const std::string& name) {
  auto object = client_->Get(type, {name_space_, name}, Limit());
  return object.ok() ? std::optional(*std::move(object)) : std::nullopt;
}

std::string GroveCluster::Condition(const kube::ResourceType& type, const std::string& name,
                                    const std::string& condition) {
  const auto object = Get(type, name);
  const auto found =
      object ? controller::FindCondition(object->view()["status"]["conditions"], condition)
             : std::nullopt;
  return found ? found->status + " " + found->reason : "";
}

std::vector<std::string> GroveCluster::Writes() const {
  std::vector<std::string> writes;
  for (const std::string& request : faults_->Sent()) {
    const bool reads = request.starts_with("GET ");
    if (!reads && request.find("/events") == std::string::npos &&
        request.find("/leases") == std::string::npos) {
      writes.push_back(request);
    }
  }
  return writes;
}

}  // namespace hearth
