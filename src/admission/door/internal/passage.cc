#include "admission/door/internal/passage.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "admission/door/internal/server_steps.h"
#include "admission/door/internal/versions.h"
#include "admission/rules/user_words.h"
#include "schema/defaults.h"
#include "schema/prepare.h"

namespace hearth::admission::internal {
namespace {

using json::Value;

// One object on its way.
class Passage {
 public:
  Passage(const api::CheckedKind& kind, const KindRules* rules, const Request& request)
      : kind_(kind), rules_(rules), request_(request) {}

  Result<Admitted> Go(Value object) {
    admitted_.object = std::move(object);
    RETURN_IF_ERROR(Read());
    RETURN_IF_ERROR(ReadForRules());
    FillIn();
    CheckSchema();
    RETURN_IF_ERROR(CheckRules());
    return std::move(admitted_);
  }

 private:
  const Value* old() const { return old_ ? &*old_ : nullptr; }
  bool ConvertsForRules() const {
    return rules_ != nullptr && rules_->version != kind_.version.name;
  }

  Status Read() {
    ASSIGN_OR_RETURN(
        admitted_.unknown_fields,
        schema::Prepare(admitted_.object, *kind_.version.schema, &admitted_.more_unknown_fields));
    DropServerMetadata(admitted_.object);
    if (request_.old != nullptr) {
      ASSIGN_OR_RETURN(old_, Stored(*request_.old));
      KeepServerMetadata(admitted_.object, *old_);
    } else {
      GenerateName(admitted_.object);
    }
    KeepStatus(admitted_.object, old(), kind_.version);
    WarnOfVersion();
    return Status::Ok();
  }

  void WarnOfVersion() {
    if (kind_.version.deprecated) {
      admitted_.warnings.push_back(
          {.text = kind_.version.deprecation_warning.empty()
                       ? fmt::format("{}/{} {} is deprecated", kind_.definition.group,
                                     kind_.version.name, kind_.definition.kind)
                       : kind_.version.deprecation_warning});
    }
  }

  // What is stored, as a client would get it in the version of the request.
  Result<Value> Stored(Value stored) const {
    const auto* version = FindVersion(kind_.definition, VersionOf(stored));
    if (version == nullptr) {
      return InvalidError("the object that is updated is of another kind");
    }
    RETURN_IF_ERROR(schema::Prepare(stored, *version->schema));
    return InVersion(stored, kind_.definition, kind_.version.name);
  }

  // Rules know one version only: objects of others come to them converted.
  Status ReadForRules() {
    rules_request_ = request_;
    rules_request_.old = old();
    if (!ConvertsForRules()) {
      return Status::Ok();
    }
    converted_ = InVersion(admitted_.object, kind_.definition, rules_->version);
    if (old_) {
      ASSIGN_OR_RETURN(converted_old_, InVersion(*old_, kind_.definition, rules_->version));
      rules_request_.old = &*converted_old_;
    }
    return Status::Ok();
  }

  // As the mutating webhook does.
  void FillIn() {
    if (rules_ == nullptr || rules_->set_defaults == nullptr) {
      return;
    }
    if (!ConvertsForRules()) {
      rules_->set_defaults(admitted_.object, rules_request_);
      schema::ApplyDefaults(admitted_.object, *kind_.version.schema);
    } else if (converted_->ok()) {
      FillInConverted(**converted_);
    }
  }

  // What it changes is converted back.
  void FillInConverted(Value& converted) {
    const Value before = converted;
    rules_->set_defaults(converted, rules_request_);
    if (converted == before) {
      return;
    }
    auto back = InVersion(converted, kind_.definition, kind_.version.name);
    if (back.ok()) {
      admitted_.object = *std::move(back);
    }
  }

  void CheckSchema() {
    auto before = CheckMetadata(admitted_.object, old(), kind_.definition.namespaced);
    const bool bad_metadata = schema::BlocksRules(before);
    const auto checker = kind_.rules.NewChecker();
    auto errors = Validated(checker.get(), std::move(before));
    // A rule of the schema may call something required, too; the object is sensible all the same.
    rules_blocked_ = schema::BlocksRules(errors) &&
                     (bad_metadata || schema::BlocksRules(Validated(nullptr, {})));
    for (schema::FieldError& error : errors) {
      admitted_.errors.push_back({std::move(error), nullptr});
    }
  }

  std::vector<schema::FieldError> Validated(schema::RuleChecker* rules,
                                            std::vector<schema::FieldError> before) const {
    return old_ ? kind_.validator.ValidateUpdate(admitted_.object, *old_, rules, std::move(before))
                : kind_.validator.Validate(admitted_.object, rules, std::move(before));
  }

  Status CheckRules() {
    if (rules_ == nullptr || rules_->validate == nullptr || rules_blocked_) {
      return Status::Ok();
    }
    if (!ConvertsForRules()) {
      Ask(admitted_.object);
    } else if (converted_->ok()) {
      Ask(**converted_);
    } else if (admitted_.errors.empty()) {  // what the schema says of such an object is clearer
      return converted_->status();
    }
    return Status::Ok();
  }

  void Ask(const Value& object) {
    Findings findings;
    rules_->validate(object, rules_request_, findings);
    const UserWords words(admitted_.object, object);
    for (Finding finding : findings.errors()) {
      if (ConvertsForRules()) {
        words.Translate(finding.error);
      } else if (finding.rule->in_schema) {
        continue;  // told already
      }
      admitted_.errors.push_back(std::move(finding));
    }
    for (Warning warning : findings.warnings()) {
      if (ConvertsForRules()) {
        words.Translate(warning);
      }
      if (!IsRefused(warning.path)) {
        admitted_.warnings.push_back(std::move(warning));
      }
    }
  }

  // What the schema refuses needs no warning.
  bool IsRefused(const std::string& path) const {
    return std::any_of(
        admitted_.errors.begin(), admitted_.errors.end(), [&](const Finding& finding) {
          return finding.rule == nullptr && !path.empty() && finding.error.path == path;
        });
  }

  const api::CheckedKind& kind_;
  const KindRules* rules_;  // null when there are none
  const Request& request_;
  Admitted admitted_;
  std::optional<Value> old_;  // in the version of the object
  // For the rules, where they speak of another version.
  std::optional<Result<Value>> converted_;
  std::optional<Value> converted_old_;
  Request rules_request_;
  bool rules_blocked_ = false;
};

}  // namespace

Result<Admitted> Pass(const api::CheckedKind& kind, const KindRules* rules, Value object,
                      const Request& request) {
  return Passage(kind, rules, request).Go(std::move(object));
}

}  // namespace hearth::admission::internal
