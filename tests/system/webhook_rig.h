#pragma once

#include <memory>
#include <string>
#include <thread>

#include "admission/certificates/keeper.h"
#include "admission/webhook/server.h"
#include "base/metrics.h"
#include "kube/client/client.h"
#include "kube/testing/control_plane.h"

namespace hearth {

const kube::ResourceType& GraphDeployments(const char* version = "v1beta1");

// Applies the product's definitions and waits until they are served. They convert through a webhook
// from the beginning, but nobody answers there until a rig runs.
void InstallDefinitions(kube::TestControlPlane& plane);

struct WebhookRigOptions {
  std::string operator_namespace;  // where the Secret is
  admission::webhook::Services services;
  admission::certificates::KeeperOptions keeper;  // names, namespace and service are the rig's
  uint16_t port = 0;                              // any free one
};

// One replica of the operator's webhooks, in this process, on a loopback port: server and keeper of
// the certificate. The API server calls it by URL.
class WebhookRig {
 public:
  // The test's objects are in `name_space`.
  WebhookRig(kube::TestControlPlane& plane, std::string name_space, WebhookRigOptions options);
  ~WebhookRig();

  // Server and keeper begin; returns when the first certificate is served.
  void Start();
  void Stop();
  // Points configurations and conversions of the cluster at this replica, with no CA bundle. Each
  // change of a definition keeps an API server busy for seconds.
  void Register();
  // Waits until graphs can be created (dry run) in both versions, and components in the older one.
  bool AwaitAdmission();

  // Of a webhook's path, whatever came of them.
  double Requests(std::string_view path);
  admission::webhook::WebhookServer& server() { return *server_; }
  admission::certificates::CertificateKeeper& keeper() { return *keeper_; }
  uint16_t port() const { return port_; }
  std::string Url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  // The test's own client, for the administrator.
  kube::Client& client() { return *client_; }
  const std::string& name_space() const { return name_space_; }
  static WaitLimit Limit() { return WaitLimit::For(RealClock(), std::chrono::minutes(3)); }

  Result<kube::Object> Create(const kube::ResourceType& type, const json::Value& object,
                              bool dry_run = false);
  // Names the object, in the rig's namespace.
  json::Value Graph(const std::string& name, const std::string& component = "worker") const;

 private:
  const std::string name_space_;
  const std::string operator_namespace_;
  net::EventLoop loop_;
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
  Metrics metrics_;
  std::unique_ptr<admission::webhook::WebhookServer> server_;
  std::unique_ptr<admission::certificates::CertificateKeeper> keeper_;
  uint16_t port_;
  std::jthread thread_;
};

}  // namespace hearth
