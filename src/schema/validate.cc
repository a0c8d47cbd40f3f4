#include "schema/validate.h"

#include "schema/internal/default_check.h"
#include "schema/internal/embedded.h"
#include "schema/internal/list_types.h"
#include "schema/internal/node.h"
#include "schema/internal/rule_walk.h"
#include "schema/internal/value_walk.h"
#include "schema/structural.h"

namespace hearth::schema {
namespace {

using json::Value;

FieldError RulesNotTried() {
  return {ErrorType::kInvalid, "<nil>", "null", std::string(kRulesNotTried)};
}

}  // namespace

struct Validator::Impl {
  explicit Impl(SchemaPtr from) : schema(std::move(from)), root(*schema) {}

  std::vector<FieldError> Check(const Value& object, const Value* old, RuleChecker* rules,
                                std::vector<FieldError> before) const {
    ErrorList errors;
    AddAll(std::move(before), errors);
    internal::ValueWalk().Check(root, object, old, FieldPath::Root(), errors);
    internal::CheckEmbedded(root, object, FieldPath::Root(), errors);
    CheckLists(object, old, errors);
    CheckRules(object, old, rules, errors);
    return errors.Take();
  }

  std::vector<FieldError> CheckStatus(const Value& object, const Value& old, RuleChecker* rules,
                                      std::vector<FieldError> before) const {
    ErrorList errors;
    AddAll(std::move(before), errors);
    const Value* status = object.Find("status");
    const internal::Node* node = root.Property("status");
    if (status != nullptr && node != nullptr) {
      // The server checks it as if it were an object of its own, and then puts its name in front.
      ErrorList found;
      internal::ValueWalk().Check(*node, *status, old.Find("status"), FieldPath::Root(), found);
      for (FieldError& error : found.Take()) {
        error.path = error.path == "<nil>" ? "status" : "status." + error.path;
        errors.Add(std::move(error));
      }
    }
    CheckLists(object, &old, errors);
    CheckRules(object, &old, rules, errors);
    return errors.Take();
  }

  static void AddAll(std::vector<FieldError> found, ErrorList& errors) {
    for (FieldError& error : found) {
      errors.Add(std::move(error));
    }
  }

  void CheckLists(const Value& object, const Value* old, ErrorList& errors) const {
    if (old == nullptr || !HasDuplicates(*old)) {
      internal::CheckListTypes(root, object, FieldPath::Root(), errors);
    }
  }

  bool HasDuplicates(const Value& object) const {
    ErrorList found;
    internal::CheckListTypes(root, object, FieldPath::Root(), found);
    return !found.empty();
  }

  void CheckRules(const Value& object, const Value* old, RuleChecker* rules,
                  ErrorList& errors) const {
    if (rules == nullptr || !root.has_rules) {
      return;
    }
    if (BlocksRules(errors.errors())) {
      errors.Add(RulesNotTried());
    } else {
      internal::WalkRules(root, object, old, *rules, errors);
    }
  }

  SchemaPtr schema;
  internal::Node root;
};

Result<Validator> Validator::Make(SchemaPtr schema) {
  RETURN_IF_ERROR(schema::ToStatus(CheckStructural(*schema), "the schema"));
  auto impl = std::make_unique<Impl>(std::move(schema));
  RETURN_IF_ERROR(schema::ToStatus(internal::CheckDefaults(impl->root), "the schema"));
  return Validator(std::move(impl));
}

Validator Validator::MakeTrusted(SchemaPtr schema) {
  return Validator(std::make_unique<Impl>(std::move(schema)));
}

Validator::Validator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Validator::Validator(Validator&&) noexcept = default;
Validator& Validator::operator=(Validator&&) noexcept = default;
Validator::~Validator() = default;

std::vector<FieldError> Validator::Validate(const Value& object, RuleChecker* rules,
                                            std::vector<FieldError> before) const {
  return impl_->Check(object, nullptr, rules, std::move(before));
}

std::vector<FieldError> Validator::ValidateUpdate(const Value& object, const Value& old,
                                                  RuleChecker* rules,
                                                  std::vector<FieldError> before) const {
  return impl_->Check(object, &old, rules, std::move(before));
}

std::vector<FieldError> Validator::ValidateStatusUpdate(const Value& object, const Value& old,
                                                        RuleChecker* rules,
                                                        std::vector<FieldError> before) const {
  return impl_->CheckStatus(object, old, rules, std::move(before));
}

const SchemaPtr& Validator::schema() const { return impl_->schema; }
bool Validator::has_rules() const { return impl_->root.has_rules; }

}  // namespace hearth::schema
