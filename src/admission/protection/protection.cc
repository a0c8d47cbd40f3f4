#include "admission/protection/protection.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace hearth::admission::protection {
namespace {

using json::Value;

constexpr Duration kReadTimeout = std::chrono::seconds(3);
constexpr size_t kMostShown = 253;

std::string_view Meta(const Value& object, std::string_view map, std::string_view key) {
  const Value* metadata = object.IsObject() ? object.Find("metadata") : nullptr;
  const Value* entries =
      metadata != nullptr && metadata->IsObject() ? metadata->Find(map) : nullptr;
  const Value* value = entries != nullptr && entries->IsObject() ? entries->Find(key) : nullptr;
  return value != nullptr && value->IsString() ? std::string_view(value->string())
                                               : std::string_view();
}

bool MayAlways(std::string_view user, const Guard& guard) {
  return std::find(guard.accounts.begin(), guard.accounts.end(), user) != guard.accounts.end();
}

// A pod that is deleted is made anew: that is how people restart one.
bool IsFree(const Attempt& attempt) {
  const bool covered = attempt.operation == "CREATE" || attempt.operation == "UPDATE" ||
                       attempt.operation == "DELETE";
  return !covered || (attempt.operation == "DELETE" && attempt.kind == "Pod");
}

std::string Named(const Attempt& attempt) {
  return fmt::format("{} \"{}\"", Excerpt(attempt.kind, kMostShown),
                     Excerpt(attempt.name, kMostShown));
}

const char* Verb(std::string_view operation) {
  return operation == "CREATE" ? "make" : operation == "DELETE" ? "delete" : "change";
}

Decision Deny(const Attempt& attempt, const std::string& set) {
  return {.allowed = false,
          .text = fmt::format(
              "{} belongs to PodCliqueSet \"{}\", whose operator looks after it; \"{}\" may not {} "
              "it: change the PodCliqueSet instead, or set its annotation {} to \"true\"",
              Named(attempt), Excerpt(set, kMostShown), Excerpt(attempt.user, kMostShown),
              Verb(attempt.operation), kDisabledAnnotation)};
}

const kube::ResourceType& Sets() {
  static const kube::ResourceType kType{"grove.io", "v1alpha1", "podcliquesets", "PodCliqueSet",
                                        true};
  return kType;
}

}  // namespace

Result<Decision> Decide(const Attempt& attempt, const Guard& guard) {
  if (IsFree(attempt) || MayAlways(attempt.user, guard)) {
    return Decision{};
  }
  const Value& judged = attempt.operation == "CREATE" ? attempt.object : attempt.old_object;
  if (Meta(judged, "labels", kManagedByLabel) != kManagedBy) {
    return Decision{};
  }
  const std::string set(Meta(judged, "labels", kPartOfLabel));
  if (set.empty()) {
    return Decision{.text = fmt::format("{} has no label {}: nobody knows which PodCliqueSet it "
                                        "belongs to, and it is not protected",
                                        Named(attempt), kPartOfLabel)};
  }
  const auto found = guard.read_set({std::string(attempt.name_space), set});
  if (found.status().Is(Code::kNotFound)) {
    return Decision{.text = fmt::format("{} belongs to PodCliqueSet \"{}\", which is not there: it "
                                        "is not protected",
                                        Named(attempt), Excerpt(set, kMostShown))};
  }
  if (!found.ok()) {
    return found.status().WithContext("reading PodCliqueSet " + Excerpt(set, kMostShown));
  }
  return Meta(*found, "annotations", kDisabledAnnotation) == "true" ? Decision{}
                                                                    : Deny(attempt, set);
}

const std::vector<std::string>& ClusterAccounts() {
  static const std::vector<std::string> kAccounts = {
      "system:apiserver",  // labels the tokens in Secrets that are used
      "system:kube-controller-manager",
      "system:kube-scheduler",
      "system:serviceaccount:kube-system:generic-garbage-collector",
      "system:serviceaccount:kube-system:horizontal-pod-autoscaler",
      "system:serviceaccount:kube-system:namespace-controller",
      "system:serviceaccount:kube-system:resource-claim-controller",
      "system:serviceaccount:kai-scheduler:pod-grouper",
      "system:serviceaccount:kai-scheduler:binder",
  };
  return kAccounts;
}

std::function<Result<Value>(const kube::ObjectKey& key)> ReadFrom(kube::Client& client,
                                                                  Clock& clock) {
  return [&client, &clock](const kube::ObjectKey& key) -> Result<Value> {
    ASSIGN_OR_RETURN(const kube::Object object,
                     client.Get(Sets(), key, WaitLimit::For(clock, kReadTimeout)));
    return object.ToValue();
  };
}

}  // namespace hearth::admission::protection
