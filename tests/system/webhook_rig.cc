#include "webhook_rig.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <utility>

#include "admission/webhook/configurations.h"
#include "base/testing/status_matchers.h"
#include "eventually.h"

namespace hearth {
namespace {

using admission::webhook::Verdict;
using json::Value;

constexpr const char* kConverting[] = {"dynamographdeployments.nvidia.com",
                                       "dynamocomponentdeployments.nvidia.com"};

kube::ResourceType TypeOf(const Value& configuration) {
  const std::string kind = configuration.Find("kind")->string();
  const bool mutating = kind == "MutatingWebhookConfiguration";
  return {"admissionregistration.k8s.io", "v1",
          mutating ? "mutatingwebhookconfigurations" : "validatingwebhookconfigurations", kind,
          false};
}

Value ConversionAt(const std::string& url) {
  Value client =
      Value::Object({{"url", url + "/convert"}, {"service", Value()}, {"caBundle", Value()}});
  Value patch = Value::Object();
  patch.MakePath("spec.conversion.strategy") = "Webhook";
  patch.MakePath("spec.conversion.webhook.clientConfig") = std::move(client);
  return patch;
}

const kube::ResourceType& OldComponents() {
  static const kube::ResourceType kType{"nvidia.com", "v1alpha1", "dynamocomponentdeployments",
                                        "DynamoComponentDeployment", true};
  return kType;
}

}  // namespace

const kube::ResourceType& GraphDeployments(const char* version) {
  static const kube::ResourceType kAlpha{"nvidia.com", "v1alpha1", "dynamographdeployments",
                                         "DynamoGraphDeployment", true};
  static const kube::ResourceType kBeta{"nvidia.com", "v1beta1", "dynamographdeployments",
                                        "DynamoGraphDeployment", true};
  return std::string_view(version) == "v1alpha1" ? kAlpha : kBeta;
}

void InstallDefinitions(kube::TestControlPlane& plane) {
  const std::string directory = std::string(HEARTH_SOURCE_DIR) + "/deploy/crds";
  ASSERT_OK(plane.Kubectl({"apply", "--server-side", "-f", directory}));
  // Right after they were made there is no status to wait on.
  ASSERT_TRUE(Eventually([&] {
    return plane.Kubectl({"wait", "--for=condition=Established", "--timeout=20s", "-f", directory})
        .ok();
  }));
}

WebhookRig::WebhookRig(kube::TestControlPlane& plane, std::string name_space,
                       WebhookRigOptions options)
    : name_space_(std::move(name_space)),
      operator_namespace_(options.operator_namespace),
      loop_("webhook-rig"),
      port_(options.port) {
  auto transport = kube::MakeHttpTransport(loop_, plane.config(), kube::ConfigSources::Real());
  EXPECT_OK(transport);
  transport_ = *std::move(transport);
  client_ = std::make_unique<kube::Client>(
      *transport_, RealClock(), kube::ClientOptions{.field_manager = "test", .max_tries = 1});
  options.keeper.name_space = operator_namespace_;
  options.keeper.service = "hearth-webhook";
  options.keeper.names = {.dns_names = {"localhost"}, .ip_addresses = {"127.0.0.1"}};
  keeper_ = std::make_unique<admission::certificates::CertificateKeeper>(
      *client_, RealClock(), std::move(options.keeper), Logger::Null(), &metrics_);
  admission::webhook::WebhookServerOptions server;
  server.listen = {.tls = true, .host = "127.0.0.1", .port = options.port};
  server_ = std::make_unique<admission::webhook::WebhookServer>(
      loop_, RealClock(), std::move(server), std::move(options.services), metrics_, Logger::Null());
}

WebhookRig::~WebhookRig() { Stop(); }

void WebhookRig::Start() {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    EXPECT_OK(keeper_->Run(
        stop, [this](const net::TlsMaterial& material) { return server_->Serve(material); }));
  });
  ASSERT_TRUE(Eventually([this] { return server_->endpoint().has_value(); }));
  port_ = server_->endpoint()->port;
}

void WebhookRig::Stop() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  server_->Stop(Limit());
}

void WebhookRig::Register() {
  const kube::WriteOptions forced{.force = true};
  for (const Value& configuration : admission::webhook::RenderConfigurations(
           {.name_space = operator_namespace_, .url = Url()})) {
    const kube::ResourceType type = TypeOf(configuration);
    const std::string name = configuration.FindPath("metadata.name")->string();
    const json::Blob body = configuration.ToBlob();
    // Another test's may be there, with the bundle of its authority.
    (void)client_->Delete(type, {"", name}, Limit());
    ASSERT_OK(client_->Apply(type, {"", name}, body.view(), Limit(), forced));
  }
  const json::Blob patch = ConversionAt(Url()).ToBlob();
  for (const char* name : kConverting) {
    ASSERT_OK(client_->Patch(kube::types::CustomResourceDefinitions(), {"", name},
                             kube::PatchType::kMerge, patch.view(), Limit()));
  }
}

bool WebhookRig::AwaitAdmission() {
  Status last;
  const bool admitted = Eventually([&] {
    last = Create(GraphDeployments(), Graph("probe"), true).status();
    // Every definition has its own way to the conversion.
    Value graph = kube::NewObject(GraphDeployments("v1alpha1"), {name_space_, "probe"});
    graph.MakePath("spec.services.worker.componentType") = "worker";
    last = last.ok() ? Create(GraphDeployments("v1alpha1"), graph, true).status() : last;
    Value component = kube::NewObject(OldComponents(), {name_space_, "probe"});
    component.MakePath("spec.componentType") = "worker";
    last = last.ok() ? Create(OldComponents(), component, true).status() : last;
    return last.ok();
  });
  EXPECT_TRUE(admitted) << last.ToString();
  return admitted;
}

double WebhookRig::Requests(std::string_view path) {
  double sum = 0;
  for (const Verdict verdict : {Verdict::kAllowed, Verdict::kPatched, Verdict::kDenied,
                                Verdict::kConverted, Verdict::kFailed}) {
    sum += metrics_
               .counter("dynamo_operator_webhook_requests_total", "",
                        {{"path", std::string(path)},
                         {"verdict", std::string(admission::webhook::VerdictName(verdict))}})
               .value();
  }
  return sum;
}

Result<kube::Object> WebhookRig::Create(const kube::ResourceType& type, const Value& object,
                                        bool dry_run) {
  const json::Blob body = object.ToBlob();
  return client_->Create(type, name_space_, body.view(), Limit(), {.dry_run = dry_run});
}

Value WebhookRig::Graph(const std::string& name, const std::string& component) const {
  Value graph = kube::NewObject(GraphDeployments(), {name_space_, name});
  graph.MakePath("spec.components") =
      Value::Array({Value::Object({{"name", component}, {"type", "worker"}})});
  return graph;
}

}  // namespace hearth
