#include <fmt/format.h>

#include <random>
#include <utility>

#include "grove/model/labels.h"
#include "grove/plan/replica_failure.h"
#include "grove/reconcile/clique_reconciler.h"
#include "grove/render/pod.h"
#include "kube/model/api_status.h"

// The pods of a clique: made, taken away and let go as its plan says.
namespace hearth::grove {
namespace {

using controller::Pass;

uint64_t Random() {
  thread_local std::mt19937_64 generator{std::random_device{}()};
  return generator();
}

// What the server says of a pod names it; the name is thrown anew with every try, and the message
// would differ each time.
Status WithoutName(const Status& status, std::string_view name, std::string_view clique) {
  std::string message(status.message());
  for (size_t at = message.find(name); at != std::string::npos; at = message.find(name)) {
    message.replace(at, name.size(), fmt::format("{}-*", clique));
  }
  return {status.code(), std::string(status.reason()), std::move(message)};
}

// Another pod may have got the name that was thrown; there are fourteen million for each clique.
constexpr int kNameTries = 5;

Status CreatePod(Pass& pass, PodRequest request, const Backend& backend) {
  Status created;
  for (int i = 0; i < kNameTries; ++i) {
    request.name = PodName(request.clique.id.name, Random());
    ASSIGN_OR_RETURN(const json::Value pod, RenderPod(request, backend));
    created = pass.Create(kube::types::Pods(), pod);
    if (created.reason() != kube::reason::kAlreadyExists) {
      break;
    }
  }
  return created.ok() ? created : WithoutName(created, request.name, request.clique.id.name);
}

// Takes those out of a list that came to nothing; the outcomes are in the same order.
template <typename T>
void DropFailed(const std::vector<Status>& outcomes, std::vector<T>& list) {
  size_t i = 0;
  std::erase_if(list, [&](const T&) { return !outcomes[i++].ok(); });
}

// A patch that takes only our gate away.
json::Value WithoutGate(json::View pod) {
  json::Value gates = json::Value::Array();
  for (const json::View gate : pod["spec"]["schedulingGates"].items()) {
    if (!gate["name"].Equals(kGate)) {
      gates.Append(json::Value(gate));
    }
  }
  json::Value patch;
  patch.MakePath("spec.schedulingGates") = std::move(gates);
  return patch;
}

}  // namespace

Status CliqueReconciler::CreatePods(Work& work) {
  std::vector<Wish> wishes;
  for (const PodPlan::Creation& creation : work.plan.create) {
    wishes.push_back({error_code::kCreatePod, [this, &work, creation] {
                        const PodRequest request{work.world.set,
                                                 work.world.clique,
                                                 work.cached->view()["spec"]["podSpec"],
                                                 creation.index,
                                                 "",
                                                 creation.gated,
                                                 options_.initc_image};
                        return CreatePod(work.pass, request, work.backend);
                      }});
  }
  const bool refused_before = HasReplicaFailure(work.world.clique);
  const Sent sent = SendUntilRefused(wishes, refused_before, work.notes.errors);
  DropFailed(sent.outcomes, work.plan.create);
  const size_t failed = wishes.size() - work.plan.create.size();
  if (sent.refused > 0) {
    work.notes.refused = ReplicaFailure(sent.refusal, failed, work.world.clique.id.generation);
  }
  TellCreated(work, failed, sent.failure);
  return sent.failure;
}

void CliqueReconciler::TellCreated(Work& work, size_t failed, const Status& failure) {
  if (const size_t created = work.plan.create.size()) {
    metrics_.PodsCreated(created);
    work.pass.Event(PodCliques(), *work.cached, controller::EventType::kNormal,
                    "PodCreateSuccessful", fmt::format("made {} pods", created));
  }
  if (failed > 0) {
    work.pass.Event(PodCliques(), *work.cached, controller::EventType::kWarning, "PodCreateFailed",
                    fmt::format("{} pods could not be made: {}", failed, failure.message()));
  }
}

Status CliqueReconciler::RemovePods(Work& work) {
  std::vector<Wish> wishes;
  for (const PodPlan::Removal& removal : work.plan.remove) {
    const Identity& id = removal.pod->id;
    wishes.push_back({error_code::kDeletePod, [this, &work, &id]() -> Status {
                        const auto object = caches_.pods.Get({id.name_space, id.name});
                        if (!object || (*object)->uid() != id.uid) {
                          return {};  // gone already
                        }
                        return work.pass.Delete(kube::types::Pods(), **object).status();
                      }});
  }
  const Sent sent = SendEach(wishes, work.notes.errors);
  DropFailed(sent.outcomes, work.plan.remove);
  for (const PodPlan::Removal& removal : work.plan.remove) {
    metrics_.PodsDeleted(removal.why, 1);
    work.pass.Event(PodCliques(), *work.cached, controller::EventType::kNormal,
                    "PodDeleteSuccessful",
                    fmt::format("deleting {}: {}", removal.pod->id.name, removal.why));
  }
  return sent.failure;
}

Status CliqueReconciler::ReleasePods(Work& work) {
  std::vector<Wish> wishes;
  for (const PodFacts* pod : work.plan.ungate) {
    const auto object = caches_.pods.Get({pod->id.name_space, pod->id.name});
    if (!object || (*object)->uid() != pod->id.uid) {
      continue;
    }
    wishes.push_back({error_code::kReleasePod, [&work, object = object->ptr()] {
                        return work.pass.Patch(kube::types::Pods(), *object,
                                               WithoutGate(object->view()));
                      }});
  }
  metrics_.PodsReleased(wishes.size());
  return SendAll(wishes, work.notes.errors);
}

}  // namespace hearth::grove
