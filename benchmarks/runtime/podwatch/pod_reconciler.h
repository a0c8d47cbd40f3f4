#pragma once

#include <atomic>
#include <cstddef>

#include "controller/cached.h"
#include "controller/reconciler.h"
#include "meter.h"
#include "pod_fields.h"

namespace hearth::bench {

inline constexpr const char* kAppIndex = "app";

// Reads ten fields of the Pod it is called for. In a storm it also lists the Pods of the same app
// by index. P is PodFields or WholePod.
template <typename P>
class PodReconciler : public controller::Reconciler {
 public:
  PodReconciler(controller::Cached<P> pods, Meter& meter) : pods_(pods), meter_(meter) {}

  Result<controller::Outcome> Reconcile(controller::Pass&, const kube::ObjectKey& key) override {
    if (const auto pod = pods_.Get(key)) {
      Read(key, *pod);
    }
    meter_.CountReconcile();
    return controller::Outcome::Done();
  }

 private:
  using Pod = controller::Snapshot<P>;

  void Read(const kube::ObjectKey& key, const Pod& pod) {
    size_t sum = 0;
    const auto add = [&sum](const auto& text) { sum += text ? text->size() : 0; };
    const auto app = pod.template get<"metadata.labels.app">();
    add(app);
    add(pod->view()["metadata"]["ownerReferences"].at(0)["uid"].PlainString());
    add(pod.template get<"spec.nodeName">());
    add(pod.template get<"spec.serviceAccountName">());
    add(pod.template get<"status.phase">());
    add(pod.template get<"status.podIP">());
    add(pod.template get<"status.hostIP">());
    sum += static_cast<size_t>(pod.template get<"spec.priority">().value_or(0));
    sum += pod.template get<"status.startTime">().has_value() ? 1 : 0;
    meter_.Observe(key, pod.template get<"metadata.annotations['bench/sent']">().value_or(""));
    if (meter_.storming()) {
      sum += pods_.Lookup(kAppIndex, app.value_or("")).size();
    }
    sink_.store(sum, std::memory_order_relaxed);
  }

  controller::Cached<P> pods_;
  Meter& meter_;
  std::atomic<size_t> sink_{0};  // keeps the reads from being optimised away
};

}  // namespace hearth::bench
