#include "controller/pass.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/hash.h"
#include "controller/ownership.h"
#include "json/equal.h"
#include "kube/model/api_status.h"
#include "kube/model/object.h"
#include "kube/model/resource_version.h"

namespace hearth::controller {
namespace {

// What a cache need not keep to be compared: it is the object's address, not its content.
json::Value WithoutAddress(const json::Value& object) {
  json::Value content = object;
  content.Erase("apiVersion");
  content.Erase("kind");
  if (json::Value* metadata = content.Find("metadata")) {
    metadata->Erase("name");
    metadata->Erase("namespace");
    metadata->Erase("uid");
  }
  return content;
}

kube::ObjectKey KeyOf(const json::Value& object) {
  const json::Value* name = object.FindPath("metadata.name");
  const json::Value* name_space = object.FindPath("metadata.namespace");
  return {name_space ? name_space->StringOr("") : "", name ? name->StringOr("") : ""};
}

json::Value FinalizerPatch(const CachedObject& cached, const std::vector<std::string>& finalizers) {
  json::Value list = json::Value::Array();
  for (const std::string& finalizer : finalizers) {
    list.Append(finalizer);
  }
  // The version makes a concurrent change of the list a conflict instead of a loss.
  return json::Value::Object(
      {{"metadata",
        json::Value::Object({{"uid", cached.uid()},
                             {"resourceVersion", std::to_string(cached.resource_version())},
                             {"finalizers", std::move(list)}})}});
}

// At the end of the stamp of an object that was created.
constexpr std::string_view kOfCreation = "-created";

std::string StampOf(json::View object) {
  return object["metadata"]["annotations"][kAppliedAnnotation].StringOr("");
}

// Told by the API server itself: a proxy's 404 says nothing about the object.
bool IsGone(const Status& status) { return status.reason() == kube::reason::kNotFound; }

}  // namespace

void StampApplied(json::Value& desired) {
  const uint64_t hash = HashBytes(desired.WriteCanonical());
  desired.MakePath("metadata.annotations")[kAppliedAnnotation] =
      json::Value(fmt::format("{:016x}", hash));
}

void StampCreated(json::Value& desired) {
  StampApplied(desired);
  json::Value& stamp = desired["metadata"]["annotations"][kAppliedAnnotation];
  stamp = json::Value(stamp.StringOr("") + std::string(kOfCreation));
}

bool IsStamped(json::View object) {
  return object["metadata"]["annotations"][kAppliedAnnotation].exists();
}

bool WasApplied(json::View object) {
  return IsStamped(object) && !StampOf(object).ends_with(kOfCreation);
}

bool NeedsApply(json::View cached, json::View desired) {
  json::Value content = WithoutAddress(json::Value(desired));
  if (StampOf(cached) == StampOf(desired) + std::string(kOfCreation)) {
    content["metadata"]["annotations"].Set(kAppliedAnnotation, StampOf(cached));
  } else if (!IsStamped(cached)) {
    // Made by somebody else, or before we stamped: what it holds is all that counts.
    if (json::Value* metadata = content.Find("metadata")) {
      if (json::Value* annotations = metadata->Find("annotations")) {
        annotations->Erase(kAppliedAnnotation);
      }
    }
  }
  const std::string text = content.Write();
  return !json::Covers(cached, json::View::Trusted(text), json::Sameness::Kubernetes());
}

Pass::Pass(kube::Client& client, EventRecorder& events, MakeLogger make_logger, WaitLimit limit)
    : client_(client),
      events_(events),
      make_logger_(std::move(make_logger)),
      limit_(std::move(limit)) {}

const Logger& Pass::log() const {
  if (!logger_.has_value()) {
    logger_ = make_logger_();
  }
  return *logger_;
}

Result<bool> Pass::Apply(const kube::ResourceType& type, json::Value desired,
                         const CachedObject* cached, const ApplyOptions& how) {
  StampApplied(desired);
  std::string body = desired.Write();
  if (cached != nullptr && !NeedsApply(cached->view(), json::View::Trusted(body)) &&
      !(how.must_be_stamped && !IsStamped(cached->view()))) {
    return false;
  }
  if (cached != nullptr) {
    std::string version = std::to_string(cached->resource_version());
    if (!how.former_managers.empty()) {
      ASSIGN_OR_RETURN(const kube::Object now,
                       TakeOver(type, *cached, "", how.former_managers, how.since, nullptr));
      version = now.meta().resource_version();
    }
    if (how.since == Since::kCached) {
      desired["metadata"].Set("uid", cached->uid());
      desired["metadata"].Set("resourceVersion", version);
      body = desired.Write();
    }
  }
  kube::WriteOptions options;
  options.force = true;
  ASSIGN_OR_RETURN(const kube::Object applied,
                   client_.Apply(type, KeyOf(desired), json::View::Trusted(body), limit_, options));
  Wrote(type, applied);
  return true;
}

Result<kube::Object> Pass::TakeOver(const kube::ResourceType& type, const CachedObject& cached,
                                    std::string_view subresource,
                                    std::span<const std::string_view> managers, Since since,
                                    bool* moved) {
  ASSIGN_OR_RETURN(const kube::Object now, client_.Get(type, cached.key(), limit_));
  const std::string version = now.meta().resource_version();
  if (now.meta().uid() != cached.uid() ||
      (since == Since::kCached && version != std::to_string(cached.resource_version()))) {
    return Status(Code::kConflict, std::string(kube::reason::kConflict),
                  fmt::format("{} {} was changed meanwhile; the next pass sees how", type.kind,
                              cached.key().ToString()));
  }
  const std::string& self = client_.options().field_manager;
  std::vector<std::string_view> from(managers.begin(), managers.end());
  from.push_back(self);
  auto fields = MoveOwnership(now.view()["metadata"]["managedFields"], type.ApiVersion(),
                              subresource, self, from);
  if (!fields) {
    return now;
  }
  const auto replace = [](std::string_view path, json::Value value) {
    return json::Value::Object({{"op", "replace"}, {"path", path}, {"value", std::move(value)}});
  };
  // The version makes a write that comes between a conflict.
  const std::string body =
      json::Value::Array({replace("/metadata/managedFields", *std::move(fields)),
                          replace("/metadata/resourceVersion", version)})
          .Write();
  ASSIGN_OR_RETURN(kube::Object taken, client_.Patch(type, cached.key(), kube::PatchType::kJson,
                                                     json::View::Trusted(body), limit_));
  Wrote(type, taken);
  if (moved != nullptr) {
    *moved = true;
  }
  return taken;
}

Status Pass::Create(const kube::ResourceType& type, const json::Value& object) {
  const std::string body = object.Write();
  ASSIGN_OR_RETURN(const kube::Object created, client_.Create(type, KeyOf(object).name_space,
                                                              json::View::Trusted(body), limit_));
  Wrote(type, created);
  return {};
}

Status Pass::Patch(const kube::ResourceType& type, const CachedObject& cached, json::Value patch) {
  patch["metadata"].Set("uid", cached.uid());
  const std::string body = patch.Write();
  ASSIGN_OR_RETURN(const kube::Object patched,
                   client_.Patch(type, cached.key(), kube::PatchType::kMerge,
                                 json::View::Trusted(body), limit_));
  Wrote(type, patched);
  return {};
}

Result<bool> Pass::ApplyStatus(const kube::ResourceType& type, const CachedObject& cached,
                               json::Value status,
                               std::span<const std::string_view> former_managers) {
  const std::string uid = cached.uid();
  {
    const std::lock_guard lock(mutex_);
    CHECK(std::find(statuses_.begin(), statuses_.end(), uid) == statuses_.end())
        << "the status of " << type.ToString() << " " << cached.key().ToString()
        << " was written twice in one pass";
    statuses_.push_back(uid);
  }
  const std::string wanted = status.Write();
  if (json::Equal(cached.view()["status"], json::View::Trusted(wanted),
                  json::Sameness::Kubernetes())) {
    return false;
  }
  json::Value object = kube::NewObject(type, cached.key());
  object["metadata"].Set("uid", uid);  // never onto a new object of the same name
  object.Set("status", std::move(status));
  const std::string body = object.Write();
  kube::WriteOptions options;
  options.force = true;
  options.subresource = "status";
  ASSIGN_OR_RETURN(const kube::Object applied,
                   client_.Apply(type, cached.key(), json::View::Trusted(body), limit_, options));
  Wrote(type, applied);
  if (former_managers.empty() || json::Covers(json::View::Trusted(wanted), applied.view()["status"],
                                              json::Sameness::Kubernetes())) {
    return true;
  }
  // Something stayed that is not wanted: somebody else owns it.
  bool moved = false;
  RETURN_IF_ERROR(TakeOver(type, cached, "status", former_managers, Since::kWhenever, &moved));
  if (moved) {
    ASSIGN_OR_RETURN(const kube::Object again,
                     client_.Apply(type, cached.key(), json::View::Trusted(body), limit_, options));
    Wrote(type, again);
  }
  return true;
}

Result<bool> Pass::Delete(const kube::ResourceType& type, const CachedObject& cached,
                          kube::DeleteOptions options) {
  if (cached.deleting()) {
    return false;
  }
  options.uid = cached.uid();
  const auto outcome = client_.Delete(type, cached.key(), limit_, options);
  if (!outcome.ok()) {
    RETURN_IF_ERROR(UnlessGone(type, cached, outcome.status()));
  }
  if (!outcome.ok() || outcome->gone) {
    Remember({type, cached.key(), options.uid, 0, true, {}});
  } else {
    Wrote(type, outcome->object);
  }
  return true;
}

// Ok when a deletion failed because this very object is not there any more; the cache will show it.
// A conflict may be about its uid, its version or what an admission plugin thinks, and does not say
// which: only a look does.
Status Pass::UnlessGone(const kube::ResourceType& type, const CachedObject& cached,
                        const Status& failure) {
  if (IsGone(failure)) {
    return {};
  }
  if (!failure.Is(Code::kConflict)) {
    return failure;
  }
  const auto now = client_.Get(type, cached.key(), limit_);
  const bool gone = now.ok() ? now->meta().uid() != cached.uid() : IsGone(now.status());
  return gone ? Status() : failure;
}

Result<bool> Pass::AddFinalizer(const kube::ResourceType& type, const CachedObject& cached,
                                std::string_view finalizer) {
  const kube::Meta meta(cached.view());
  if (meta.HasFinalizer(finalizer)) {
    return false;
  }
  std::vector<std::string> finalizers = meta.finalizers();
  finalizers.emplace_back(finalizer);
  const std::string body = FinalizerPatch(cached, finalizers).Write();
  ASSIGN_OR_RETURN(const kube::Object patched,
                   client_.Patch(type, cached.key(), kube::PatchType::kMerge,
                                 json::View::Trusted(body), limit_));
  Wrote(type, patched);
  return true;
}

Result<bool> Pass::RemoveFinalizer(const kube::ResourceType& type, const CachedObject& cached,
                                   std::string_view finalizer) {
  const kube::Meta meta(cached.view());
  if (!meta.HasFinalizer(finalizer)) {
    return false;
  }
  std::vector<std::string> finalizers = meta.finalizers();
  std::erase(finalizers, finalizer);
  const std::string body = FinalizerPatch(cached, finalizers).Write();
  const auto patched =
      client_.Patch(type, cached.key(), kube::PatchType::kMerge, json::View::Trusted(body), limit_);
  if (IsGone(patched.status())) {
    return true;
  }
  RETURN_IF_ERROR(patched);
  if (finalizers.empty() && cached.deleting()) {
    // The last one held it: with this patch it is gone, and no version of it will ever be seen.
    Remember({type, cached.key(), cached.uid(), 0, true, {}});
  } else {
    Wrote(type, *patched);
  }
  return true;
}

void Pass::Wrote(const kube::ResourceType& type, const kube::Object& object) {
  const kube::Meta meta = object.meta();
  Remember({type, meta.key(), meta.uid(),
            kube::ParseResourceVersion(meta.resource_version()).value_or(0), false, object});
}

void Pass::Remember(Write write) {
  const std::lock_guard lock(mutex_);
  writes_.push_back(std::move(write));
}

void Pass::Event(const kube::ResourceType& type, const CachedObject& about, EventType event_type,
                 std::string_view reason, std::string_view note) {
  const EventSubject subject{type, about.key(), about.uid(),
                             std::to_string(about.resource_version())};
  events_.Record(subject, event_type, reason, reason, note);
}

}  // namespace hearth::controller
