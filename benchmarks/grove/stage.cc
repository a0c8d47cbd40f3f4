#include "stage.h"

#include <fmt/format.h>

#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/file_system.h"
#include "base/process_runner.h"
#include "json/projection.h"
#include "kube/client/transport.h"
#include "kube/model/object.h"
#include "kube/testing/control_plane.h"
#include "manifests.h"
#include "net/event_loop.h"

namespace hearth::bench {
namespace {

using controller::Informer;
using json::Value;

constexpr const char* kHome = "bench-operator";  // where the operator's account is
constexpr const char* kAccount = "operator";
constexpr int kConnections = 64;  // as many as threads that write, so that none is made twice
constexpr auto kSetupTimeout = std::chrono::seconds(60);
constexpr auto kLookAgain = std::chrono::milliseconds(5);

WaitLimit Limit() { return WaitLimit::For(RealClock(), kSetupTimeout); }

std::string UserOf(const char* account) {
  return fmt::format("system:serviceaccount:{}:{}", kHome, account);
}

// Connections, and a thread of their own.
struct Line {
  net::EventLoop loop;
  std::unique_ptr<kube::Transport> transport;
  std::unique_ptr<kube::Client> client;

  explicit Line(const std::string& name) : loop(name) {}

  Status Connect(const kube::Config& config) {
    kube::HttpTransportOptions options;
    options.http.max_idle_connections = kConnections;
    options.http.max_connections = kConnections;
    ASSIGN_OR_RETURN(transport, kube::MakeHttpTransport(loop, config, kube::ConfigSources::Real(),
                                                        std::move(options)));
    client = std::make_unique<kube::Client>(*transport, RealClock(),
                                            kube::ClientOptions{.field_manager = "bench"});
    return {};
  }
};

using Available = json::Projection<json::Field<"status.availableReplicas", json::View>,
                                   json::Field<"status.observedGeneration", json::View>>;
using Claim = json::Projection<json::Field<"metadata.name", json::View>>;

std::unique_ptr<Informer> Follow(kube::Client& client, const kube::ResourceType& type,
                                 const std::string& selector, json::FieldSet fields) {
  return std::make_unique<Informer>(
      client, RealClock(), type,
      controller::Scope{.name_space = "", .label_selector = selector, .field_selector = ""},
      std::move(fields), std::vector<controller::Index>(), controller::InformerOptions(),
      Logger::Null(), nullptr);
}

}  // namespace

struct Stage::Impl {
  std::string directory;
  std::unique_ptr<AuditLog> log;
  std::unique_ptr<kube::TestControlPlane> plane;
  std::string operator_kubeconfig;
  Line driver{"driver"};
  Line watcher{"watcher"};
  Line kubelet{"kubelet"};
  Line as_operator{"as-operator"};
  PopulationCounter pods;
  PopulationCounter claims;
  std::unique_ptr<PodStub> stub;
  std::mutex mutex;  // held while a set is looked at, so that no change comes unseen in between
  std::condition_variable set_changed;
  // Last: before what they call goes, they do.
  std::unique_ptr<Informer> pod_informer;
  std::unique_ptr<Informer> claim_informer;
  std::unique_ptr<Informer> set_informer;

  Status StartPlane() {
    ASSIGN_OR_RETURN(AuditLog prepared, AuditLog::Prepare(directory, UserOf(kAccount)));
    log = std::make_unique<AuditLog>(std::move(prepared));
    ASSIGN_OR_RETURN(
        plane, kube::TestControlPlane::Start({.apiserver_args = log->ApiServerArgs(),
                                              .controllers = {"garbage-collector-controller"}}));
    for (Line* line : {&driver, &watcher, &kubelet}) {
      RETURN_IF_ERROR(line->Connect(plane->config()));
    }
    return {};
  }

  Status Define(const std::string& program) {
    const ProcessSpec apply{
        .argv = {program, "crd-apply", "--kubeconfig", plane->kubeconfig_path()}};
    ASSIGN_OR_RETURN(const ProcessOutcome done, RealProcessRunner().Run(apply, Limit()));
    if (!done.ok()) {
      return UnavailableError("the definitions could not be applied: " + done.errors);
    }
    const WaitLimit limit = Limit();
    for (const kube::ResourceType* type : {&PodCliqueSets(), &PodCliques(), &PodGangs()}) {
      while (!driver.client->List(*type, "", limit).ok()) {
        RETURN_IF_ERROR(limit.Check(RealClock(), type->kind + " is not served"));
        SleepFor(RealClock(), kLookAgain, {});
      }
    }
    return {};
  }

  Status MakeAccount() {
    for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
             {"create", "namespace", kHome},
             {"create", "serviceaccount", kAccount, "-n", kHome},
             {"create", "clusterrolebinding", "bench-operator", "--clusterrole=cluster-admin",
              fmt::format("--serviceaccount={}:{}", kHome, kAccount)}}) {
      RETURN_IF_ERROR(plane->Kubectl(words).status());
    }
    ASSIGN_OR_RETURN(std::string token,
                     plane->Kubectl({"create", "token", kAccount, "-n", kHome, "--duration=24h"}));
    token.erase(token.find_last_not_of('\n') + 1);
    kube::Config config = plane->config();
    operator_kubeconfig = directory + "/operator.kubeconfig";
    RETURN_IF_ERROR(
        RealFileSystem().Write(operator_kubeconfig, kube::WriteKubeconfig(config, token), 0600));
    config.credentials = kube::StaticToken(token);
    return as_operator.Connect(config);
  }

  Status StartWatching() {
    const std::string ours = fmt::format("{}={}", kManagedBy, kManager);
    pod_informer = Follow(*watcher.client, kube::types::Pods(), ours, PodStub::Fields());
    claim_informer = Follow(*watcher.client, ResourceClaims(), ours, Claim::Fields());
    pods.Follow(*pod_informer);
    claims.Follow(*claim_informer);
    set_informer = Follow(*watcher.client, PodCliqueSets(), "", Available::Fields());
    set_informer->OnChange([this](const controller::Change&) {
      const std::lock_guard lock(mutex);
      set_changed.notify_all();
    });
    stub = std::make_unique<PodStub>(*kubelet.client, *pod_informer);
    for (Informer* informer : {pod_informer.get(), claim_informer.get(), set_informer.get()}) {
      informer->Start();
      RETURN_IF_ERROR(informer->WaitForSync(Limit()));
    }
    return {};
  }
};

Stage::Stage(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Stage::~Stage() = default;

Result<std::unique_ptr<Stage>> Stage::Set(const std::string& hearth_operator,
                                          const std::string& directory) {
  auto impl = std::make_unique<Impl>();
  impl->directory = directory;
  RETURN_IF_ERROR(impl->StartPlane());
  RETURN_IF_ERROR(impl->Define(hearth_operator));
  RETURN_IF_ERROR(impl->MakeAccount());
  RETURN_IF_ERROR(impl->StartWatching());
  return std::unique_ptr<Stage>(new Stage(std::move(impl)));
}

const std::string& Stage::operator_kubeconfig() const { return impl_->operator_kubeconfig; }
AuditLog& Stage::requests() { return *impl_->log; }
kube::Client& Stage::as_operator() { return *impl_->as_operator.client; }
kube::Client& Stage::client() { return *impl_->driver.client; }
const PopulationCounter& Stage::pods() const { return impl_->pods; }
const PopulationCounter& Stage::claims() const { return impl_->claims; }
PodStub& Stage::stub() { return *impl_->stub; }

Result<std::string> Stage::NewNamespace(const std::string& prefix) {
  return impl_->plane->NewNamespace(prefix);
}

Result<Value> Stage::NewOwner(const std::string& name_space) {
  const json::Blob body =
      kube::NewObject(kube::types::ConfigMaps(), {name_space, "owner"}).ToBlob();
  ASSIGN_OR_RETURN(const kube::Object made,
                   client().Create(kube::types::ConfigMaps(), name_space, body.view(), Limit()));
  return kube::OwnerReference{"v1", "ConfigMap", "owner", made.meta().uid(), true, true}.ToValue();
}

Status Stage::AwaitAvailable(const kube::ObjectKey& set, int replicas, const WaitLimit& limit) {
  std::unique_lock lock(impl_->mutex);
  while (true) {
    const controller::ObjectPtr object = impl_->set_informer->store().Get(set.name_space, set.name);
    const json::View status = object ? object->view()["status"] : json::View();
    if (object && status["availableReplicas"].Int().value_or(-1) == replicas &&
        status["observedGeneration"].Int().value_or(0) >= object->generation()) {
      return {};
    }
    RETURN_IF_ERROR(limit.Check(RealClock(), set.ToString() + " does not become available"));
    RealClock().WaitUntil(lock, impl_->set_changed, limit.deadline);
  }
}

}  // namespace hearth::bench
