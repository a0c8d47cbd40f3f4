#include "operator_app/webhooks.h"

#include <utility>

#include "admission/certificates/file_certificates.h"
#include "admission/certificates/keeper.h"
#include "admission/pod_restore/decision.h"
#include "admission/pod_restore/restore_pod.h"
#include "base/file_system.h"
#include "kube/model/object.h"

namespace hearth::operator_app {
namespace {

using admission::webhook::Answer;

constexpr Duration kStopGrace = std::chrono::seconds(5);
constexpr const char* kColdStart = "StartsCold";

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
