#include "admission/access/template_access.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "admission/rules/reading.h"
#include "base/strings.h"
#include "schema/field_error.h"

namespace hearth::admission::access {
namespace {

using json::Value;
using schema::FieldPath;

// More than anybody uses, and few enough to be asked while the API server waits.
constexpr size_t kMostAsked = 16;
constexpr size_t kMostShown = 80;

const kube::ResourceType& AccessReviews() {
  static const kube::ResourceType type{"authorization.k8s.io", "v1", "subjectaccessreviews",
                                       "SubjectAccessReview", false};
  return type;
}

Value CopyOf(const Value& object, std::string_view member) {
  const Value* found = object.Find(member);
  return found != nullptr ? *found : Value();
}

Value ReviewOf(const Value& user_info, const kube::ObjectKey& key) {
  Value spec =
      Value::Object({{"user", CopyOf(user_info, "username")},
                     {"uid", CopyOf(user_info, "uid")},
                     {"groups", CopyOf(user_info, "groups")},
                     {"extra", CopyOf(user_info, "extra")},
                     {"resourceAttributes", Value::Object({{"verb", "get"},
                                                           {"group", "resource.k8s.io"},
                                                           {"resource", "resourceclaimtemplates"},
                                                           {"namespace", key.name_space},
                                                           {"name", key.name}})}});
  return Value::Object({{"apiVersion", AccessReviews().ApiVersion()},
                        {"kind", AccessReviews().kind},
                        {"spec", std::move(spec)}});
}

// One pass over a set.
class Check {
 public:
  Check(std::string_view name_space, const Value& user_info, const TemplateAccess& access,
        Findings& findings)
      : name_space_(name_space),
        user_info_(user_info),
        access_(access),
        limit_(access.limit()),
        findings_(findings) {}

  void Entries(const Value& object, const FieldPath& path) {
    const Value::Items& entries = Items(object, "resourceSharing");
    const FieldPath list = path.Child("resourceSharing");
    for (size_t i = 0; i < entries.size(); ++i) {
      const std::string_view other = Text(entries[i], "namespace");
      if (!other.empty() && other != name_space_) {
        const FieldPath item = list.Item(i);
        Entry({std::string(other), std::string(Text(entries[i], "name"))}, item.Child("namespace"));
      }
    }
  }

 private:
  void Entry(const kube::ObjectKey& key, const FieldPath& path) {
    const std::string name = Excerpt(key.ToString(), kMostShown);
    const auto may = Ask(key);
    if (!may.ok()) {
      Refuse(path, fmt::format("whether you may read ResourceClaimTemplate {} cannot be told: {}",
                               name, may.status().message()));
    } else if (!*may) {
      Refuse(path, fmt::format("you may not read ResourceClaimTemplate {}; ask for the right to "
                               "get it, or use a template of this namespace",
                               name));
    }
  }

  // Each template once.
  Result<bool> Ask(const kube::ObjectKey& key) {
    const auto known = known_.find(key.ToString());
    if (known != known_.end()) {
      return known->second;
    }
    if (known_.size() >= kMostAsked) {
      return InvalidError(
          fmt::format("a set can use {} templates of other namespaces at most", kMostAsked));
    }
    if (failed_) {
      return *failed_;
    }
    auto may = access_.may_read(user_info_, key, limit_);
    if (!may.ok()) {
      failed_ = may.status();
    }
    return known_.emplace(key.ToString(), std::move(may)).first->second;
  }

  void Refuse(const FieldPath& path, std::string text) {
    if (access_.warn_only) {
      findings_.Warn(path, std::move(text));
    } else {
      findings_.Add(kTemplateAccess, schema::Forbidden(path, std::move(text)));
    }
  }

  std::string_view name_space_;
  const Value& user_info_;
  const TemplateAccess& access_;
  const WaitLimit limit_;
  Findings& findings_;
  std::optional<Status> failed_;
  std::map<std::string, Result<bool>> known_;
};

}  // namespace

constexpr Rule kTemplateAccess{
    "sharing-template-access",
    "A template of another namespace is read with the operator's rights, and claims with its "
    "content appear beside the set. Who may not read the template may not have them. Ask for the "
    "right to get that ResourceClaimTemplate."};

void CheckTemplateAccess(const Value& set, std::string_view name_space, const Value& user_info,
                         const TemplateAccess& access, Findings& findings) {
  if (!access.may_read) {
    return;
  }
  static const FieldPath kRoot = FieldPath::Root();
  static const FieldPath kSpec = kRoot.Child("spec");
  static const FieldPath kTemplate = kSpec.Child("template");
  const Value& parts = Member(Member(set, "spec"), "template");
  Check check(name_space, user_info, access, findings);
  check.Entries(parts, kTemplate);
  for (const char* children : {"cliques", "podCliqueScalingGroups"}) {
    const FieldPath path = kTemplate.Child(children);
    const Value::Items& items = Items(parts, children);
    for (size_t i = 0; i < items.size(); ++i) {
      check.Entries(items[i], path.Item(i));
    }
  }
}

TemplateAccess::MayRead AskServer(kube::Client& client) {
  return [&client](const Value& user_info, const kube::ObjectKey& key,
                   const WaitLimit& limit) -> Result<bool> {
    const json::Blob body = ReviewOf(user_info, key).ToBlob();
    ASSIGN_OR_RETURN(const kube::Object answer,
                     client.Create(AccessReviews(), "", body.view(), limit));
    return answer.view()["status"]["allowed"].Bool().value_or(false);
  };
}

}  // namespace hearth::admission::access
