#include "operator_app/webhooks.h"

#include <utility>

#include "admission/access/template_access.h"
#include "admission/certificates/file_certificates.h"
#include "admission/certificates/keeper.h"
#include "admission/pod_restore/decision.h"
#include "admission/pod_restore/restore_pod.h"
#include "admission/protection/protection.h"
#include "base/file_system.h"
#include "dynamo/operator/restore_shaping.h"
#include "kube/model/object.h"

namespace hearth::operator_app {
namespace {

using admission::webhook::Answer;

constexpr Duration kStopGrace = std::chrono::seconds(5);
constexpr const char* kColdStart = "StartsCold";
// For everything that the API server is asked within a review; it waits ten seconds for the answer.
constexpr Duration kAskTogether = std::chrono::seconds(5);

std::unique_ptr<admission::certificates::CertificateSource> MakeCertificates(
    controller::Manager& manager, const OperatorOptions& options) {
  using namespace admission::certificates;
  if (options.webhooks.certificates == "manual") {
    return std::make_unique<FileCertificates>(options.webhooks.directory, RealFileSystem(),
                                              manager.clock(), manager.logger());
  }
  KeeperOptions keeper;
  keeper.name_space = options.name_space;
  keeper.service = options.webhooks.service;
  keeper.secret = options.webhooks.secret;
  return std::make_unique<CertificateKeeper>(manager.client(), manager.clock(), std::move(keeper),
                                             manager.logger(), &manager.metrics());
}

// A pod that does not exist yet cannot carry an event; who owns it can.
void TellOwner(controller::EventRecorder& events, const Answer::ColdStart& cold_start) {
  if (!admission::pod_restore::IsTrouble(cold_start.why.skip)) {
    return;
  }
  const json::Blob owners = cold_start.owner.ToBlob();
  for (const json::View view : owners.view().items()) {
    const kube::OwnerReference owner = kube::OwnerReference::From(view);
    const auto version = kube::GroupVersion::Parse(owner.api_version);
    if (owner.controller && version.ok()) {
      events.Record({{version->group, version->version, "", owner.kind, true},
                     {cold_start.name_space, owner.name},
                     owner.uid,
                     ""},
                    controller::EventType::kWarning, kColdStart, kColdStart,
                    std::string(admission::pod_restore::SkipReason(cold_start.why.skip)) + ": " +
                        cold_start.why.detail);
    }
  }
}

dynamo::RestoreShaping RestoreShapingOf(const OperatorOptions& options) {
  return {options.graphs.graphs.storage, options.graphs.graphs.seccomp_profile};
}

admission::webhook::Services MakeServices(controller::Manager& manager,
                                          const OperatorOptions& options,
                                          const std::string& version) {
  admission::webhook::Services services;
  services.setup = options.MakeSetup(version);
  services.leaves_alone = [namespaces = options.snapshots.namespaces](std::string_view name) {
    return !namespaces.Include(name);
  };
  services.restore.read_checkpoint =
      admission::pod_restore::ReadFrom(manager.client(), manager.clock());
  services.restore.shape =
      [&manager, shaping = RestoreShapingOf(options)](
          json::Value pod, const admission::pod_restore::Restore& restore) -> Result<json::Value> {
    auto shaped =
        dynamo::ShapeNewPod(manager.client(), WaitLimit::For(manager.clock(), kAskTogether),
                            shaping, std::move(pod), restore.checkpoint.object, restore.targets);
    // By its contract.
    return shaped.status().Is(Code::kNotFound)
               ? shaped.status().WithReason(admission::pod_restore::kStorageUnknown)
               : std::move(shaped);
  };
  services.guard.accounts = options.AccountsThatMayChangeSets();
  services.templates.may_read = admission::access::AskServer(manager.client());
  services.templates.limit = [&clock = manager.clock()] {
    return WaitLimit::For(clock, kAskTogether);
  };
  services.templates.warn_only = options.webhooks.foreign_templates == "warn";
  services.guard.read_set = admission::protection::ReadFrom(manager.client(), manager.clock());
  return services;
}

}  // namespace

Result<std::unique_ptr<Webhooks>> Webhooks::Create(controller::Manager& manager,
                                                   const OperatorOptions& options,
                                                   const std::string& version) {
  admission::webhook::WebhookServerOptions server;
  ASSIGN_OR_RETURN(server.listen, net::Endpoint::ParseUrl("https://" + options.webhooks.address)
                                      .WithContext("webhook address " + options.webhooks.address));
  server.on_cold_start = [&events = manager.events()](const Answer::ColdStart& cold_start) {
    TellOwner(events, cold_start);
  };
  auto webhooks = std::unique_ptr<Webhooks>(new Webhooks);
  webhooks->certificates_ = MakeCertificates(manager, options);
  webhooks->server_ = std::make_unique<admission::webhook::WebhookServer>(
      manager.client().transport().loop(), manager.clock(), std::move(server),
      MakeServices(manager, options, version), manager.metrics(), manager.logger());
  Webhooks& self = *webhooks;
  manager.AddRunnable("webhooks", false,
                      [&self](const std::stop_token& stop) { return self.Run(stop); });
  manager.AddReadyCheck("webhook-certificate", [&self] { return self.certificates_->Ready(); });
  manager.AddReadyCheck("webhook-server", [&self] { return self.server_->Ready(); });
  return webhooks;
}

Webhooks::~Webhooks() = default;

Status Webhooks::Run(const std::stop_token& stop) {
  Status ended = certificates_->Run(
      stop, [this](const net::TlsMaterial& material) { return server_->Serve(material); });
  server_->Stop(WaitLimit::For(RealClock(), kStopGrace));
  return ended;
}

}  // namespace hearth::operator_app
