#include <utility>

#include "controller/informer.h"
#include "kube/client/client.h"
#include "kube/config/config.h"
#include "net/event_loop.h"
#include "pod_fields.h"
#include "subject.h"

namespace hearth::bench {
namespace {

class CacheSubject : public Subject {
 public:
  CacheSubject(const PodwatchOptions& options, Meter& meter) : meter_(meter), options_(options) {}

  Status Start() {
    const kube::ConfigSources sources = kube::ConfigSources::Real();
    ASSIGN_OR_RETURN(const kube::Config config,
                     kube::LoadConfig({.kubeconfig = options_.kubeconfig}, sources));
    ASSIGN_OR_RETURN(transport_, kube::MakeHttpTransport(loop_, config, sources));
    client_ = std::make_unique<kube::Client>(*transport_, RealClock());
    informer_ = std::make_unique<controller::Informer>(
        *client_, RealClock(), kube::types::Pods(),
        controller::Scope{.name_space = options_.name_space},
        options_.keep_all ? WholePod::Fields() : PodFields::Fields(),
        std::vector<controller::Index>(), controller::InformerOptions(), Logger::Null(), nullptr);
    informer_->OnChange([this](const controller::Change&) { meter_.CountEvent(); });
    informer_->Start();
    return {};
  }

  Status AwaitSynced() override { return informer_->WaitForSync(WaitLimit::Forever()); }

  std::vector<kube::ObjectKey> Keys() const override {
    std::vector<kube::ObjectKey> keys;
    for (const controller::ObjectPtr& pod : informer_->store().List()) {
      keys.push_back(pod->key());
    }
    return keys;
  }

  bool reconciles() const override { return false; }
  void Enqueue(const kube::ObjectKey&) override {}

 private:
  Meter& meter_;
  PodwatchOptions options_;
  net::EventLoop loop_{"podwatch"};
  std::unique_ptr<kube::Transport> transport_;
  std::unique_ptr<kube::Client> client_;
  std::unique_ptr<controller::Informer> informer_;
};

}  // namespace

Result<std::unique_ptr<Subject>> StartCacheOnly(const PodwatchOptions& options, Meter& meter) {
  auto subject = std::make_unique<CacheSubject>(options, meter);
  RETURN_IF_ERROR(subject->Start());
  return subject;
}

}  // namespace hearth::bench
